#include "clearance/simulation/build/body_terms.h"

#include <algorithm>

#include "clearance/bodies/affine/orthogonality_potential.h"
#include "clearance/bodies/fem/axisymmetric_potential.h"
#include "clearance/bodies/fem/fem_body.h"
#include "clearance/bodies/fem/plastic_potential.h"
#include "clearance/bodies/rod/rod_potential.h"
#include "clearance/bodies/shell/bending_potential.h"
#include "clearance/bodies/shell/membrane_potential.h"
#include "clearance/math/dimension.h"
#include "clearance/model/yielding_potential.h"
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

/// The energies of the elements of a mesh: of those that stay elastic, and of those that may yield.
template <int dim>
struct MeshEnergies {
  std::shared_ptr<const AxisymmetricPotential> turned;   // of bodies of revolution: the only one
  std::shared_ptr<const ElasticPotential<dim>> elastic;  // null: all elements yield
  std::shared_ptr<const PlasticPotential<dim>> plastic;  // null: no element yields
  std::size_t plastic_number = 0;                        // of the plastic one among the model's potentials
  std::vector<int> elastic_elements, plastic_elements;   // numbers in the mesh; both are empty if none yields
};

/// Returns a mesh of some elements of another.
template <int dim>
ElementMesh<dim> select_elements(const ElementMesh<dim>& mesh, const std::vector<int>& elements) {
  ElementMesh<dim> part = mesh;
  part.nodes.clear();
  part.material_of_element.clear();
  part.shapes_at_rest.clear();
  const std::size_t shape_size = mesh.shapes_at_rest.size() / mesh.num_elements();
  for (const int e : elements) {
    part.add(mesh.nodes_of(e), mesh.material_of_element[e]);
    const auto shape = mesh.shapes_at_rest.begin() + static_cast<std::ptrdiff_t>(e * shape_size);
    part.shapes_at_rest.insert(part.shapes_at_rest.end(), shape, shape + static_cast<std::ptrdiff_t>(shape_size));
  }
  return part;
}

/// Makes the energies of a mesh. Without an element that yields there is one, of the mesh as it is.
template <int dim>
MeshEnergies<dim> make_energies(const ElementMesh<dim>& mesh, std::vector<std::shared_ptr<const Potential>>& all) {
  MeshEnergies<dim> energies;
  if constexpr (dim == 2) {
    if (mesh.is_axisymmetric) {
      energies.turned = std::make_shared<AxisymmetricPotential>(mesh);
      all.push_back(energies.turned);
      return energies;
    }
  }
  for (int e = 0; e < static_cast<int>(mesh.num_elements()); ++e) {
    const bool yields = mesh.material_of(e).hardening != nullptr;
    (yields ? energies.plastic_elements : energies.elastic_elements).push_back(e);
  }
  if (energies.plastic_elements.empty()) {
    energies.elastic_elements.clear();
    energies.elastic = std::make_shared<ElasticPotential<dim>>(mesh);
  } else if (!energies.elastic_elements.empty()) {
    energies.elastic = std::make_shared<ElasticPotential<dim>>(select_elements(mesh, energies.elastic_elements));
  }
  if (energies.elastic) all.push_back(energies.elastic);
  if (energies.plastic_elements.empty()) return energies;
  energies.plastic = std::make_shared<PlasticPotential<dim>>(select_elements(mesh, energies.plastic_elements));
  energies.plastic_number = all.size();
  all.push_back(energies.plastic);
  return energies;
}

/// Returns the plastic energy of a mesh with what it remembers.
template <int dim>
std::unique_ptr<PlasticPotential<dim>> with_history(const MeshEnergies<dim>& energies, const History& history) {
  auto copy = std::make_unique<PlasticPotential<dim>>(*energies.plastic);
  if (energies.plastic_number < history.size()) copy->set_history(history[energies.plastic_number]);
  return copy;
}

template <int dim>
std::vector<ElementState> states_of_mesh(const MeshEnergies<dim>& energies, const VecX& x, const History& history) {
  if (energies.turned) return energies.turned->element_states(x);
  if (!energies.plastic) return energies.elastic->element_states(x);
  std::vector<ElementState> states(energies.elastic_elements.size() + energies.plastic_elements.size());
  const auto insert = [&](const std::vector<ElementState>& part, const std::vector<int>& elements) {
    for (std::size_t i = 0; i < part.size(); ++i) states[elements[i]] = part[i];
  };
  if (energies.elastic) insert(energies.elastic->element_states(x), energies.elastic_elements);
  insert(with_history(energies, history)->element_states(x), energies.plastic_elements);
  return states;
}

/// Replaces the stresses of the elements of a mesh that yield. The stresses of the mesh begin with those of element
/// `first`. Without a history they stay those of the same strain without flow.
template <int dim>
void replace_plastic_stresses(const MeshEnergies<dim>& energies, const VecX& x, const History& history,
                              int extra_degree, std::size_t first, ElementStresses& stresses) {
  if (!energies.plastic || history.empty()) return;
  const std::vector<StressVector> plastic = with_history(energies, history)->stresses(x, extra_degree);
  const std::size_t num_points = plastic.size() / energies.plastic_elements.size();
  for (std::size_t i = 0; i < energies.plastic_elements.size(); ++i) {
    const std::size_t element = first + energies.plastic_elements[i];
    std::copy_n(plastic.begin() + static_cast<std::ptrdiff_t>(i * num_points), num_points,
                stresses.stress.begin() + stresses.first_point[element]);
  }
}

template <int dim>
void add_elasticity(const SceneElements<dim>& elements, BodyTerms& terms) {
  const auto meshes = std::make_shared<const std::vector<ElementMesh<dim>>>(elements.meshes());
  if (meshes->empty()) return;
  std::vector<MeshEnergies<dim>> energies;
  for (const ElementMesh<dim>& mesh : *meshes) {
    energies.push_back(make_energies(mesh, terms.potentials));
    for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
      const MaterialParameters& material = mesh.material_of(e);
      terms.element_kinds.push_back(
          {mesh.order, material.model, material.mu, material.lambda, material.hardening.get()});
    }
  }
  terms.element_states = [energies](const VecX& x, const History& history) {
    std::vector<ElementState> all;
    for (const MeshEnergies<dim>& of_mesh : energies) {
      const std::vector<ElementState> part = states_of_mesh(of_mesh, x, history);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
  terms.element_stresses = [meshes, energies](const VecX& x, const History& history, int extra_degree) {
    ElementStresses all;
    for (std::size_t m = 0; m < meshes->size(); ++m) {
      const std::size_t first = all.first_point.size() - 1;
      append_stresses((*meshes)[m], x, extra_degree, all);
      replace_plastic_stresses(energies[m], x, history, extra_degree, first, all);
    }
    return all;
  };
}

/// Adds the masses and energies of shells and rods, and the masses of particles.
void add_thin_bodies(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                     const std::shared_ptr<const Controls>& controls, BodyTerms& terms) {
  VecX nodes = VecX::Zero(terms.mass.size()), inner = nodes;
  add_particle_mass(desc, bodies, unknowns, nodes);
  const auto shells = std::make_shared<const ShellMesh>(collect_shells(desc, bodies, unknowns, controls));
  if (!shells->triangles.empty()) {
    add_shell_mass(*shells, nodes, inner);
    terms.potentials.push_back(std::make_shared<MembranePotential>(shells));
    const BendingPotential bending(shells);
    // Contact presses across the sheet, where bending and inertia resist, not the far stiffer membrane.
    bending.add_stiffness(shells->x_start, terms.elastic_stiffness);
    if (bending.has_elements()) terms.potentials.push_back(with_plastic_work(bending));
  }
  const auto rods = std::make_shared<const RodMesh>(collect_rods(desc, bodies, unknowns, controls));
  if (!rods->segments.empty()) {
    add_rod_mass(*rods, nodes, inner);
    const RodPotential potential(rods);
    potential.add_stiffness(terms.elastic_stiffness);
    terms.potentials.push_back(with_plastic_work(potential));
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
BodyTerms make_terms(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                     [[maybe_unused]] const std::shared_ptr<const Controls>& controls) {
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
  if constexpr (dim == 3) add_thin_bodies(desc, bodies, unknowns, controls, terms);
  add_stiff_units<dim>(unknowns.stiff_units, terms);
  terms.consistent_mass = make_consistent_mass(desc, elements, terms.mass, lumped, shares);
  add_gravity_and_barriers(desc, elements, terms);
  return terms;
}

}  // namespace

BodyTerms make_body_terms(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                          const std::shared_ptr<const Controls>& controls) {
  return with_dimension(unknowns.layout.dim,
                        [&](auto dim) { return make_terms<dim>(desc, bodies, unknowns, controls); });
}

}  // namespace clearance
