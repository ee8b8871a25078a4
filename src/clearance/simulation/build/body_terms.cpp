#include "clearance/simulation/build/body_terms.h"

#include "clearance/bodies/affine/orthogonality_potential.h"
#include "clearance/bodies/fem/fem_body.h"
#include "clearance/bodies/rod/rod_potential.h"
#include "clearance/bodies/shell/bending_potential.h"
#include "clearance/bodies/shell/membrane_potential.h"
#include "clearance/math/dimension.h"
#include "clearance/simulation/build/scene_elements.h"
#include "clearance/simulation/build/thin_bodies.h"

namespace clearance {

namespace {

/// Adds the masses of the blocks of stiff units, and the potential that keeps affine ones from deforming. Only centres
/// of mass have a weight.
template <int dim>
void add_stiff_units(const std::vector<StiffUnit>& units, BodyTerms& terms) {
  std::vector<OrthogonalBody> affine;
  for (const StiffUnit& unit : units) {
    const AffineFrame& frame = unit.frame;
    const Vec<dim + 1> masses = block_masses<dim>(frame);
    for (int i = 0; i <= dim; ++i) terms.mass[unit.first_block + i] += masses[i];
    terms.weighing[unit.first_block] += masses[0];
    terms.stiff_bodies.push_back({unit.first_block, frame.radius, unit.is_rigid, unit.symmetry_axis});
    if (!unit.is_rigid) affine.push_back({unit.first_block, frame.radius, unit.stiffness * frame.volume});
  }
  if (!affine.empty()) {
    terms.potentials.push_back(std::make_shared<OrthogonalityPotential<dim>>(std::move(affine)));
  }
}

template <int dim>
void add_elasticity(const SceneElements<dim>& elements, BodyTerms& terms) {
  std::vector<std::function<std::vector<ElementState>(const VecX&)>> states;
  for (const ElementMesh<dim>& mesh : elements.meshes()) {
    const auto potential = std::make_shared<ElasticPotential<dim>>(mesh);
    states.push_back([potential](const VecX& x) { return potential->element_states(x); });
    terms.potentials.push_back(potential);
  }
  if (states.empty()) return;
  terms.element_states = [states](const VecX& x) {
    std::vector<ElementState> all;
    for (const auto& of_order : states) {
      const std::vector<ElementState> part = of_order(x);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
}

template <int dim>
void add_stresses(const SceneElements<dim>& elements, BodyTerms& terms) {
  const auto meshes = std::make_shared<const std::vector<ElementMesh<dim>>>(elements.meshes());
  for (const ElementMesh<dim>& mesh : *meshes) {
    for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
      const MaterialParameters& material = mesh.material_of(e);
      terms.element_kinds.push_back({mesh.order, material.model, material.mu, material.lambda});
    }
  }
  if (meshes->empty()) return;
  terms.element_stresses = [meshes](const VecX& x, int extra_degree) {
    ElementStresses all;
    for (const ElementMesh<dim>& mesh : *meshes) append_stresses(mesh, x, extra_degree, all);
    return all;
  };
}

/// Adds the masses and energies of shells and rods, and the masses of particles.
void add_thin_bodies(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                     BodyTerms& terms) {
  VecX nodes = VecX::Zero(terms.mass.size()), inner = nodes;
  add_particle_mass(desc, bodies, unknowns, nodes);
  const auto shells = std::make_shared<const ShellMesh>(collect_shells(desc, bodies, unknowns));
  if (!shells->triangles.empty()) {
    add_shell_mass(*shells, nodes, inner);
    terms.potentials.push_back(std::make_shared<MembranePotential>(shells));
    const auto bending = std::make_shared<BendingPotential>(shells);
    // Contact presses across the sheet, where bending and inertia resist, not the far stiffer membrane.
    bending->add_stiffness(shells->x_start, terms.elastic_stiffness);
    if (bending->has_elements()) terms.potentials.push_back(bending);
  }
  const auto rods = std::make_shared<const RodMesh>(collect_rods(desc, bodies, unknowns));
  if (!rods->segments.empty()) {
    add_rod_mass(*rods, nodes, inner);
    const auto potential = std::make_shared<RodPotential>(rods);
    potential->add_stiffness(terms.elastic_stiffness);
    terms.potentials.push_back(potential);
  }
  terms.weighing += nodes;
  terms.mass += nodes + inner;
}

/// Makes the inertia if it is not a lumped mass. `mass` [kg] per block has all masses; `lumped` is the one of linear
/// elements, and `shares` are those of curved ones.
template <int dim>
std::shared_ptr<const MassOperator> make_consistent_mass(const SceneDesc& desc, const SceneElements<dim>& elements,
                                                         const VecX& mass, const VecX& lumped, const VecX& shares) {
  const bool is_consistent = desc.time.mass == MassKind::consistent && elements.linear.num_elements() > 0;
  if (!is_consistent && elements.curved.empty()) return nullptr;
  const VecX others = mass - shares - (is_consistent ? lumped : VecX::Zero(lumped.size()));
  return std::make_shared<ConsistentMass<dim>>(elements.meshes(is_consistent), others);
}

template <int dim>
void add_shape_moments(const ElementMesh<dim>& mesh, const std::vector<int>& body_of_block, std::size_t num_bodies,
                       std::vector<Vec<3>>& sums) {
  if (mesh.higher_shape_order == 0) return;
  sums.resize(num_bodies, Vec<3>::Zero());
  const std::vector<Vec<dim>> moments = shape_moments(mesh);
  for (std::size_t e = 0; e < moments.size(); ++e) {
    const std::size_t block = mesh.nodes_of(e)[0];
    sums[body_of_block[block]].template head<dim>() += moments[e];
  }
}

/// Adds gravity, damping and the barriers against inversion.
template <int dim>
void add_gravity_and_barriers(const SceneDesc& desc, const SceneElements<dim>& elements, BodyTerms& terms) {
  const Vec<dim> gravity = desc.gravity.head<dim>();
  if (!gravity.isZero(0.0)) {
    terms.potentials.push_back(std::make_shared<GravityPotential<dim>>(terms.weighing, gravity));
  }
  for (const ElementMesh<dim>& mesh : elements.meshes()) {
    const auto damping = std::make_shared<LaggedDampingPotential<dim>>(mesh);
    if (damping->has_elements()) terms.potentials.push_back(damping);
    const auto barrier = std::make_shared<InversionBarrier<dim>>(mesh);
    if (barrier->has_elements()) terms.potentials.push_back(barrier);
  }
}

template <int dim>
BodyTerms make_terms(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns) {
  BodyTerms terms;
  SceneElements<dim> elements = collect_elements<dim>(desc, bodies, unknowns);
  terms.cell_of_element = std::move(elements.cell_of_element);
  terms.elastic_stiffness = VecX::Zero(elements.linear.x_rest.size() / dim);
  add_rest_stiffness(elements.linear, terms.elastic_stiffness);
  const VecX lumped = lumped_mass(elements.linear);
  VecX shares = VecX::Zero(lumped.size());
  terms.weighing = lumped;
  for (const auto& [orders, mesh] : elements.curved) {
    add_rest_stiffness(mesh, terms.elastic_stiffness);
    const ElementMass<dim> mass(mesh);
    mass.add_shares(shares);
    mass.add_row_sums(terms.weighing);
    add_shape_moments(mesh, unknowns.body_of_block, bodies.size(), terms.shape_moments);
  }
  terms.mass = elements.curved.empty() ? lumped : VecX(lumped + shares);
  add_elasticity(elements, terms);
  add_stresses(elements, terms);
  if constexpr (dim == 3) add_thin_bodies(desc, bodies, unknowns, terms);
  add_stiff_units<dim>(unknowns.stiff_units, terms);
  terms.consistent_mass = make_consistent_mass(desc, elements, terms.mass, lumped, shares);
  add_gravity_and_barriers(desc, elements, terms);
  return terms;
}

}  // namespace

BodyTerms make_body_terms(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns) {
  return with_dimension(unknowns.layout.dim, [&](auto dim) { return make_terms<dim>(desc, bodies, unknowns); });
}

}  // namespace clearance
