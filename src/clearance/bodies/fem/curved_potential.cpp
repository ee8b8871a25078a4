#include "clearance/bodies/fem/curved_potential.h"

#include <Eigen/LU>
#include <numeric>

#include "clearance/bodies/fem/curved_kernels.h"

namespace clearance {

namespace {

using curved_kernels::add_forces;
using curved_kernels::gather_nodes;
using curved_kernels::map_derivative;
using curved_kernels::store_point_hessian;
using curved_kernels::write_hessians;
using material_kernels::PrincipalHessian;
using material_kernels::project_modes;

constexpr int packs_per_task = 4;

std::vector<int> all_indices(std::size_t count) {
  std::vector<int> indices(count);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

/// Scratch memory of one thread.
template <int dim>
struct Scratch {
  std::vector<Lanes> positions;
  std::vector<SmallMatrix<Lanes, dim>> of_points, of_node;  // of write_hessians
};
template <int dim>
Scratch<dim>& scratch() {
  thread_local Scratch<dim> own;
  return own;
}

}  // namespace

template <int dim>
CurvedElasticPotential<dim>::CurvedElasticPotential(const CurvedElementMesh<dim>& mesh)
    : elements_(mesh, all_indices(mesh.num_elements())),
      mesh_(std::make_shared<CurvedElementMesh<dim>>(mesh)),
      shapes_(std::make_shared<ElementShapes<dim>>(mesh.shapes())),
      volume_(std::make_shared<CurvedVolume<dim>>(mesh.shape_order())) {}

template <int dim>
Lanes CurvedElasticPotential<dim>::pack_energy(const CurvedPack<dim>& pack, const VecX& x) const {
  const ShapeGradients<dim>& gradients = elements_.gradients(pack);
  const std::size_t num_nodes = pack.nodes.size();
  // Gather the nodes of the four elements.
  std::vector<Lanes>& positions = scratch<dim>().positions;
  positions.resize(num_nodes * dim);
  gather_nodes(pack, x, positions.data());
  // Sum w psi(F) over the points, with F = dx/dxi D0^-1.
  Lanes sum(0.0);
  for (int q = 0; q < gradients.num_points(); ++q) {
    const auto at = static_cast<std::size_t>(q);
    const SmallMatrix<Lanes, dim> f =
        multiply(map_derivative(pack, gradients.of_point(q), at, positions.data()), pack.inverse_rest_at(at));
    sum += pack.weights[at] * material_kernels::energy(pack.model, f, pack.mu, pack.lambda);
  }
  return sum;
}

template <int dim>
CompensatedSum CurvedElasticPotential<dim>::energy(const VecX& x) const {
  const std::vector<int>& active = elements_.active_packs();
  return ordered_reduce(
      static_cast<int>(active.size()), CompensatedSum{},
      [&](int i) {
        const CurvedPack<dim>& pack = elements_.packs()[static_cast<std::size_t>(active[static_cast<std::size_t>(i)])];
        const Lanes energies = pack_energy(pack, x);
        CompensatedSum sum;
        // Lanes beyond the count repeat an element and are left out.
        for (int lane = 0; lane < pack.count; ++lane) sum.add(energies[lane]);
        return sum;
      },
      [](CompensatedSum a, const CompensatedSum& b) {
        // A sum with infinity must stay infinite, not become the difference of two infinities.
        if (!(a.sum < infinity && b.sum < infinity)) return CompensatedSum{infinity, 0.0};
        a.add(b);
        return a;
      },
      packs_per_task);
}

template <int dim>
void CurvedElasticPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block,
                                                    VecX& sums) const {
  for (const CurvedPack<dim>& pack : elements_.packs()) {
    const Lanes energies = pack_energy(pack, x);
    for (int lane = 0; lane < pack.count; ++lane) {
      // All nodes of an element belong to one body.
      const int node = pack.nodes[0][static_cast<std::size_t>(lane)];
      sums[body_of_block[static_cast<std::size_t>(node)]] += energies[lane];
    }
  }
}

template <int dim>
void CurvedElasticPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  const std::vector<int>& active = elements_.active_packs();
  elements_.reserve_forces();
  parallel_for(static_cast<int>(active.size()), packs_per_task, [&](int i) {
    const int p = active[static_cast<std::size_t>(i)];
    const CurvedPack<dim>& pack = elements_.packs()[static_cast<std::size_t>(p)];
    const ShapeGradients<dim>& gradients = elements_.gradients(pack);
    const std::size_t num_nodes = pack.nodes.size();
    std::vector<Lanes>& positions = scratch<dim>().positions;
    positions.resize(num_nodes * dim);
    gather_nodes(pack, x, positions.data());
    // Sum the nodal forces over the points.
    Lanes* forces = elements_.pack_forces(p);
    std::fill(forces, forces + num_nodes * dim, Lanes(0.0));
    for (int q = 0; q < gradients.num_points(); ++q) {
      const auto at = static_cast<std::size_t>(q);
      const double* of_point = gradients.of_point(q);
      const SmallMatrix<Lanes, dim>& inverse = pack.inverse_rest_at(at);
      const SmallMatrix<Lanes, dim> f = multiply(map_derivative(pack, of_point, at, positions.data()), inverse);
      // The derivative of the energy by dx/dxi is P D0^-T times the weight.
      SmallMatrix<Lanes, dim> stress =
          multiply_transposed(material_kernels::stress(pack.model, f, pack.mu, pack.lambda), inverse);
      for (Lanes& entry : stress.m) entry *= pack.weights[at];
      add_forces<dim>(stress, of_point, num_nodes, forces);
    }
  });
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void CurvedElasticPotential<dim>::assemble(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) {
  elements_.assemble_hessians(
      scale, matrix, elements_.active_packs(), [&](int p, const std::array<double*, num_lanes>& targets) {
        const CurvedPack<dim>& pack = elements_.packs()[static_cast<std::size_t>(p)];
        const ShapeGradients<dim>& gradients = elements_.gradients(pack);
        const std::size_t num_nodes = pack.nodes.size();
        const auto num_points = static_cast<std::size_t>(gradients.num_points());
        Scratch<dim>& own = scratch<dim>();
        own.positions.resize(num_nodes * dim);
        own.of_points.resize(num_points * dim * dim);
        gather_nodes(pack, x, own.positions.data());
        for (std::size_t q = 0; q < num_points; ++q) {
          const SmallMatrix<Lanes, dim>& inverse = pack.inverse_rest_at(q);
          const SmallMatrix<Lanes, dim> f =
              multiply(map_derivative(pack, gradients.of_point(static_cast<int>(q)), q, own.positions.data()), inverse);
          // The Hessian of a point is found and projected in the frame of its singular values.
          const SvdFrame<Lanes, dim> svd = curved_kernels::principal_frame(pack.model, f);
          PrincipalHessian<Lanes, dim> h =
              material_kernels::principal_hessian(pack.model, svd.sigma, pack.mu, pack.lambda);
          if (is_projected) project_modes(h);
          store_point_hessian(svd, h, inverse, pack.weights[q], own.of_points.data() + q * dim * dim);
        }
        // Combine the points to the Hessians of the elements.
        write_hessians<dim>(gradients, num_nodes, own.of_points.data(), own.of_node, targets);
      });
}

template <int dim>
void CurvedElasticPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  assemble(x, scale, true, matrix);
}

template <int dim>
void CurvedElasticPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                        BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  assemble(x, scale, false, matrix);
}

template <int dim>
StepLimit CurvedElasticPotential<dim>::max_feasible_step(const VecX& x, const VecX& dx) {
  return ordered_reduce(
      static_cast<int>(mesh_->num_elements()), StepLimit{},
      [&](int e) {
        thread_local std::vector<double> at, motion;
        // The volume is that of the shape, whose nodes follow the displacements.
        shapes_->places(e, x, at);
        shapes_->motions(e, dx, motion);
        const double alpha = volume_->max_feasible_step(at, motion);
        return alpha < 1.0 ? StepLimit{alpha, e} : StepLimit{};
      },
      [](const StepLimit& a, const StepLimit& b) { return b.alpha < a.alpha ? b : a; }, 16);
}

template <int dim>
bool CurvedElasticPotential<dim>::is_feasible(const VecX& x) const {
  return ordered_reduce(
             static_cast<int>(mesh_->num_elements()), 1,
             [&](int e) {
               thread_local std::vector<double> at;
               shapes_->places(e, x, at);
               return volume_->is_valid(at) ? 1 : 0;
             },
             [](int a, int b) { return a & b; }, 64) == 1;
}

template <int dim>
std::vector<ElementState> CurvedElasticPotential<dim>::element_states(const VecX& x) const {
  // Evaluate at one point, the centre of the reference element.
  Barycentrics center{};
  for (std::size_t i = 0; i <= dim; ++i) center[i] = 1.0 / (dim + 1.0);
  const std::array points = {QuadraturePoint{center, 1.0}};
  const ShapeGradients<dim> gradients(mesh_->order, points);
  const RestMap<dim> rest(*mesh_, points);
  std::vector<ElementState> states(mesh_->num_elements());
  parallel_for(static_cast<int>(states.size()), 64, [&](int i) {
    const auto e = static_cast<std::size_t>(i);
    // F = dx/dxi D0^-1; 2D is plane strain.
    Mat<3> f = Mat<3>::Identity();
    Mat<dim> derivative = gradients.map_derivative(0, mesh_->nodes_of(e), x);
    if (mesh_->higher_shape_order > 0) derivative += rest.offset(0, e);
    f.topLeftCorner<dim, dim>() = derivative * rest.derivative(0, e).inverse();
    states[e] = element_state(mesh_->materials[static_cast<std::size_t>(mesh_->material_of_element[e])], f);
  });
  return states;
}

template class CurvedElasticPotential<2>;
template class CurvedElasticPotential<3>;

}  // namespace clearance
