#include "clearance/bodies/fem/plastic_potential.h"

#include <Eigen/LU>
#include <algorithm>

#include "clearance/bodies/fem/element_kernels.h"
#include "clearance/bodies/fem/energy_sum.h"
#include "clearance/math/elementary.h"

namespace clearance {

using material_kernels::PlasticPoint;
using material_kernels::ReturnedState;

namespace {

/// Numbers of a point where nothing has flowed: the identity and no plastic strain.
constexpr std::array<double, 10> at_rest = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0};

Mat<3> inverse_plastic(const double* numbers) {
  return Eigen::Map<const Mat<3>>(numbers);
}

/// Returns the matrix of a lane with a third row and column of the identity in 2D, which is plane strain.
template <int dim>
Mat<3> lane_in_space(const SmallMatrix<Lanes, dim>& of_lanes, int lane) {
  Mat<3> result = Mat<3>::Identity();
  for (int c = 0; c < dim; ++c) {
    for (int r = 0; r < dim; ++r) result(r, c) = of_lanes(r, c)[lane];
  }
  return result;
}

/// Returns the square of the distance of two points of the reference simplex.
double distance_sq(const Barycentrics& a, const Barycentrics& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// Returns the number of the point nearest to `at`; of several, the first.
std::size_t nearest(const std::vector<QuadraturePoint>& points, const Barycentrics& at) {
  const auto found =
      std::min_element(points.begin(), points.end(), [&](const QuadraturePoint& a, const QuadraturePoint& b) {
        return distance_sq(a.at, at) < distance_sq(b.at, at);
      });
  return static_cast<std::size_t>(found - points.begin());
}

}  // namespace

template <int dim>
PlasticPotential<dim>::PlasticPotential(const ElementMesh<dim>& mesh) : shape_(mesh), elements_(shape_.elements()) {
  Constant constant{mesh, {0}, std::vector<int>(elements_.num_elements())};
  packs_ = elements_.packs();
  std::vector<std::size_t> points_of_element(elements_.num_elements());
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    ElementPack<dim>& pack = packs_[p];
    // Fp differs from point to point also where D0 does not.
    pack.inverse_rest.resize(pack.weights.size(), pack.inverse_rest[0]);
    memory_.emplace_back(pack.weights.size());
    std::array<const Hardening*, num_lanes>& hardening = hardening_.emplace_back();
    for (int lane = 0; lane < num_lanes; ++lane) {
      const int element = pack.elements[lane];
      hardening[lane] = mesh.material_of(elements_.mesh_element(element)).hardening.get();
      constant.pack_of_element[element] = static_cast<int>(p);
      points_of_element[element] = pack.weights.size();
    }
  }
  for (const std::size_t count : points_of_element) constant.first_point.push_back(constant.first_point.back() + count);
  constant_ = std::make_shared<const Constant>(std::move(constant));
  set_history({});
}

template <int dim>
HistoryLayout PlasticPotential<dim>::history_layout() const {
  const ElementMesh<dim>& mesh = constant_->mesh;
  HistoryLayout layout{num_per_point, {}};
  std::vector<double> weights(mesh.num_nodes());
  for (int element = 0; element < elements_.num_elements(); ++element) {
    const std::span<const int> nodes = elements_.nodes_of(element);
    for (const QuadraturePoint& point : elements_.points(packs_[constant_->pack_of_element[element]])) {
      lagrange_values(dim, mesh.order, point.at, weights);
      HistoryPoint at;
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        at.at_rest.template head<dim>() += weights[a] * block<dim>(mesh.x_rest, nodes[a]);
      }
      at.block = nodes[0];
      layout.points.push_back(at);
    }
  }
  return layout;
}

template <int dim>
void PlasticPotential<dim>::set_history(std::span<const double> history) {
  if (history.empty()) {
    history_.clear();
    for (std::size_t i = 0; i < num_points(); ++i) history_.insert(history_.end(), at_rest.begin(), at_rest.end());
  } else {
    history_.assign(history.begin(), history.end());
  }
  are_branches_held_ = false;
  parallel_for(static_cast<int>(packs_.size()), elements_.packs_per_task(), [&](int p) { refresh_pack(p); });
}

template <int dim>
PlasticPotential<dim>::PlasticPotential(const PlasticPotential& other) = default;

template <int dim>
PlasticPotential<dim>::~PlasticPotential() = default;

template <int dim>
std::unique_ptr<Potential> PlasticPotential<dim>::clone() const {
  return std::make_unique<PlasticPotential>(*this);
}

/// Sets the memory of a pack, and its maps at rest, from the history.
template <int dim>
void PlasticPotential<dim>::refresh_pack(int p) {
  const ElementPack<dim>& at_rest_pack = elements_.packs()[p];
  for (std::size_t q = 0; q < packs_[p].weights.size(); ++q) {
    SmallMatrix<Lanes, dim> inverse;
    for (int lane = 0; lane < num_lanes; ++lane) {
      const double* values = numbers(at_rest_pack.elements[lane], q);
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) inverse(r, c).set(lane, values[r + 3 * c]);
      }
      memory_[p][q].accumulated.set(lane, values[9]);
      memory_[p][q].across.set(lane, dim == 2 ? elementary::log(values[8]) : 0.0);
    }
    packs_[p].inverse_rest[q] = multiply(at_rest_pack.inverse_rest_at(q), inverse);
  }
}

template <int dim>
PlasticPoint PlasticPotential<dim>::point(int p, std::size_t q) const {
  const Memory& memory = memory_[p][q];
  return {packs_[p].mu,       packs_[p].lambda, hardening_[p],
          memory.accumulated, memory.across,    are_branches_held_ ? &memory.branches : nullptr};
}

template <int dim>
std::vector<int> PlasticPotential<dim>::branches(const VecX& x) const {
  std::vector<int> result(num_points(), Hardening::elastic);
  parallel_for(static_cast<int>(packs_.size()), elements_.packs_per_task(), [&](int p) {
    visit_points(
        p, x, [&](std::size_t q, const SvdFrame<Lanes, dim>&, const ReturnedState& state, const PlasticPoint& at) {
          for (int lane = 0; lane < packs_[p].count; ++lane) {
            const std::size_t first = constant_->first_point[packs_[p].elements[lane]];
            result[first + q] = at.hardening[lane]->branch(state.trial[lane], 3.0 * at.mu[lane], at.accumulated[lane]);
          }
        });
  });
  return result;
}

template <int dim>
void PlasticPotential<dim>::hold_branches(const std::vector<int>& branches) {
  are_branches_held_ = true;
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    for (std::size_t q = 0; q < packs_[p].weights.size(); ++q) {
      // Lanes beyond the count repeat an element.
      for (int lane = 0; lane < num_lanes; ++lane) {
        memory_[p][q].branches[lane] = branches[constant_->first_point[packs_[p].elements[lane]] + q];
      }
    }
  }
}

template <int dim>
template <class Visit>
void PlasticPotential<dim>::visit_points(int p, const VecX& x, const Visit& visit) const {
  const ElementPack<dim>& pack = packs_[p];
  const Lanes* positions = element_kernels::gather_nodes(pack, x);
  for (std::size_t q = 0; q < pack.weights.size(); ++q) {
    const SvdFrame<Lanes, dim> svd =
        compute_svd(element_kernels::deformation_gradient(pack, elements_.gradients(pack), q, positions));
    const PlasticPoint at = point(p, q);
    visit(q, svd, return_to_yield<dim>(svd.sigma, at), at);
  }
}

template <int dim>
Lanes PlasticPotential<dim>::pack_energy(int p, const VecX& x) const {
  Lanes sum(0.0);
  visit_points(p, x,
               [&](std::size_t q, const SvdFrame<Lanes, dim>& svd, const ReturnedState& state, const PlasticPoint& at) {
                 // The smallest singular value has the sign of det F.
                 const auto is_valid = svd.sigma[dim - 1] > Lanes(0.0);
                 const Lanes density = stored_energy(state, at) + flow_work(state, at);
                 sum += packs_[p].weights[q] * select(is_valid, density, Lanes(infinity));
               });
  return sum;
}

template <int dim>
CompensatedSum PlasticPotential<dim>::energy(const VecX& x) const {
  const std::vector<int>& active = elements_.active_packs();
  return sum_energies(
      static_cast<int>(active.size()),
      [&](int i) {
        // Lanes beyond the count repeat an element and are left out.
        const Lanes energies = pack_energy(active[i], x);
        CompensatedSum sum;
        for (int lane = 0; lane < packs_[active[i]].count; ++lane) sum.add(energies[lane]);
        return sum;
      },
      elements_.is_linear() ? 64 : 4);
}

template <int dim>
double PlasticPotential<dim>::plastic_work(const VecX& x) const {
  return sum_energies(
             static_cast<int>(packs_.size()),
             [&](int p) {
               Lanes work(0.0);
               visit_points(p, x,
                            [&](std::size_t q, const SvdFrame<Lanes, dim>&, const ReturnedState& state,
                                const PlasticPoint& at) { work += packs_[p].weights[q] * flow_work(state, at); });
               CompensatedSum sum;
               for (int lane = 0; lane < packs_[p].count; ++lane) sum.add(work[lane]);
               return sum;
             },
             elements_.is_linear() ? 64 : 4)
      .value();
}

template <int dim>
void PlasticPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    const Lanes energies = pack_energy(static_cast<int>(p), x);
    for (int lane = 0; lane < packs_[p].count; ++lane) {
      // All nodes of an element belong to one body.
      sums[body_of_block[packs_[p].nodes[0][lane]]] += energies[lane];
    }
  }
}

template <int dim>
void PlasticPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  const std::vector<int>& active = elements_.active_packs();
  elements_.reserve_forces();
  parallel_for(static_cast<int>(active.size()), elements_.packs_per_task(), [&](int i) {
    const int p = active[i];
    const ElementPack<dim>& pack = packs_[p];
    Lanes* forces = elements_.pack_forces(p);
    std::fill_n(forces, pack.nodes.size() * dim, Lanes(0.0));
    visit_points(
        p, x, [&](std::size_t q, const SvdFrame<Lanes, dim>& svd, const ReturnedState& state, const PlasticPoint& at) {
          element_kernels::add_point_forces(pack, elements_.gradients(pack), q, plastic_stress(svd, state, at), forces);
        });
  });
  elements_.gather_forces(scale, gradient);
}

/// Writes the Hessians of a pack, and the nodal forces unless null.
template <int dim>
void PlasticPotential<dim>::write_derivatives(int p, const VecX& x, bool is_projected, Lanes* forces,
                                              const LaneTargets& targets) {
  const ElementPack<dim>& pack = packs_[p];
  const ShapeGradients<dim>& gradients = elements_.gradients(pack);
  element_kernels::Scratch<dim>& own = element_kernels::scratch<dim>();
  own.of_points.resize(pack.weights.size() * dim * dim);
  if (forces != nullptr) std::fill_n(forces, pack.nodes.size() * dim, Lanes(0.0));
  visit_points(p, x,
               [&](std::size_t q, const SvdFrame<Lanes, dim>& svd, const ReturnedState& state, const PlasticPoint& at) {
                 if (forces != nullptr) {
                   element_kernels::add_point_forces(pack, gradients, q, plastic_stress(svd, state, at), forces);
                 }
                 auto h = plastic_hessian<dim>(svd.sigma, state, at);
                 if (is_projected) project_modes(h);
                 element_kernels::store_point_hessian(svd, h, pack.inverse_rest[q], pack.weights[q],
                                                      own.of_points.data() + q * dim * dim);
               });
  element_kernels::write_hessians<dim>(gradients, pack.nodes.size(), own.of_points.data(), own.of_node, targets);
}

template <int dim>
void PlasticPotential<dim>::assemble(const VecX& x, double scale, bool is_projected, bool has_forces,
                                     BlockSparseMatrix& matrix) {
  if (has_forces) elements_.reserve_forces();
  elements_.assemble_hessians(scale, matrix, [&](int p, const LaneTargets& targets) {
    write_derivatives(p, x, is_projected, has_forces ? elements_.pack_forces(p) : nullptr, targets);
  });
}

template <int dim>
void PlasticPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  assemble(x, scale, true, false, matrix);
}

template <int dim>
void PlasticPotential<dim>::add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
  assemble(x, scale, true, true, matrix);
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void PlasticPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                  BlockSparseMatrix& matrix) {
  assemble(x, scale, false, true, matrix);
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void PlasticPotential<dim>::end_step(const VecX& x_t1, std::span<double> history) const {
  std::copy(history_.begin(), history_.end(), history.begin());
  parallel_for(static_cast<int>(packs_.size()), elements_.packs_per_task(), [&](int p) {
    visit_points(p, x_t1,
                 [&](std::size_t q, const SvdFrame<Lanes, dim>& svd, const ReturnedState& state, const PlasticPoint&) {
                   for (int lane = 0; lane < packs_[p].count; ++lane) {
                     if (state.flow[lane] == 0.0) continue;
                     double* values = history.data() + (numbers(packs_[p].elements[lane], q) - history_.data());
                     // Fe* becomes Fe* V exp(-flow) V^T, and so does Fp^-1: the flow keeps the volume.
                     const Mat<3> v = lane_in_space<dim>(svd.v, lane);
                     Vec<3> stretch;
                     for (int i = 0; i < 3; ++i) {
                       stretch[i] = elementary::exp(-(1.0 - state.share[lane]) * state.deviator[i][lane]);
                     }
                     const Mat<3> after = inverse_plastic(values) * v * stretch.asDiagonal() * v.transpose();
                     std::copy_n(after.data(), 9, values);
                     values[9] += state.flow[lane];
                   }
                 });
  });
}

/// Returns the state of an element of the set with the memory of its point q at the deformation gradient F.
template <int dim>
auto PlasticPotential<dim>::point_state(int element, std::size_t q, const Mat<3>& f) const -> PointState {
  const double* values = numbers(element, q);
  const MaterialParameters& material = constant_->mesh.material_of(elements_.mesh_element(element));
  SmallMatrix<Lanes, 3> trial;
  const Mat<3> elastic = f * inverse_plastic(values);
  for (int k = 0; k < 9; ++k) trial.m[k] = Lanes(elastic.data()[k]);
  std::array<const Hardening*, num_lanes> hardening;
  hardening.fill(material.hardening.get());
  const PlasticPoint at{material.mu, material.lambda, hardening, values[9], 0.0};
  const SvdFrame<Lanes, 3> svd = compute_svd(trial);
  const ReturnedState state = material_kernels::return_to_yield<3>(svd.sigma, at);
  PointState result;
  Mat<3> u;
  Vec<3> principal;
  for (int i = 0; i < 3; ++i) {
    for (int r = 0; r < 3; ++r) u(r, i) = svd.u(r, i)[0];
    principal[i] = kirchhoff_stress(state, at, i)[0];
  }
  result.cauchy = u * (principal / f.determinant()).asDiagonal() * u.transpose();
  result.energy_density = stored_energy(state, at)[0];
  result.accumulated = values[9] + state.flow[0];
  return result;
}

template <int dim>
std::vector<ElementState> PlasticPotential<dim>::element_states(const VecX& x) const {
  std::vector<ElementState> states(constant_->mesh.num_elements());
  parallel_for(static_cast<int>(packs_.size()), elements_.packs_per_task(), [&](int p) {
    const ElementPack<dim>& pack = elements_.packs()[p];
    const Lanes* positions = element_kernels::gather_nodes(pack, x);
    std::array<double, num_lanes> energy{}, volume{}, plastic_strain{};
    for (std::size_t q = 0; q < pack.weights.size(); ++q) {
      const SmallMatrix<Lanes, dim> of_lanes =
          element_kernels::deformation_gradient(pack, elements_.gradients(pack), q, positions);
      for (int lane = 0; lane < pack.count; ++lane) {
        const Mat<3> f = lane_in_space<dim>(of_lanes, lane);
        const PointState at = point_state(pack.elements[lane], q, f);
        const ElementState of_point = element_state(at.cauchy, f, at.energy_density);
        ElementState& state = states[elements_.mesh_element(pack.elements[lane])];
        if (q == 0 || of_point.von_mises > state.von_mises) state = of_point;
        energy[lane] += pack.weights[q][lane] * at.energy_density;
        volume[lane] += pack.weights[q][lane];
        plastic_strain[lane] = std::max(plastic_strain[lane], at.accumulated);
      }
    }
    for (int lane = 0; lane < pack.count; ++lane) {
      ElementState& state = states[elements_.mesh_element(pack.elements[lane])];
      state.energy_density = energy[lane] / volume[lane];
      state.plastic_strain = plastic_strain[lane];
    }
  });
  return states;
}

template <int dim>
std::vector<StressVector> PlasticPotential<dim>::stresses(const VecX& x, int extra_degree) const {
  const ElementMesh<dim>& mesh = constant_->mesh;
  const std::vector<QuadraturePoint>& points = stress_points(dim, mesh.order, extra_degree);
  const ShapeGradients<dim> gradients(mesh.order, points);
  const RestMap<dim> rest(mesh, points);
  std::vector<StressVector> stresses(points.size() * mesh.num_elements());
  parallel_for(elements_.num_elements(), 32, [&](int element) {
    const std::size_t e = elements_.mesh_element(element);
    for (std::size_t q = 0; q < points.size(); ++q) {
      const auto number = static_cast<int>(q);
      Mat<dim> derivative = gradients.map_derivative(number, mesh.nodes_of(e), x);
      if (mesh.higher_shape_order > 0) derivative += rest.offset(number, e);
      Mat<3> f = Mat<3>::Identity();
      f.template topLeftCorner<dim, dim>() = derivative * rest.derivative(number, e).inverse();
      const std::size_t known = nearest(elements_.points(packs_[constant_->pack_of_element[element]]), points[q].at);
      const Mat<3> s = point_state(element, known, f).cauchy;
      stresses[e * points.size() + q] << s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(0, 2);
    }
  });
  return stresses;
}

template class PlasticPotential<2>;
template class PlasticPotential<3>;

}  // namespace clearance
