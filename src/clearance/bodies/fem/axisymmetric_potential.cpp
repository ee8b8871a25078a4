#include "clearance/bodies/fem/axisymmetric_potential.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "clearance/base/contract.h"
#include "clearance/bodies/fem/energy_sum.h"
#include "clearance/bodies/fem/point_radii.h"
#include "clearance/math/log_barrier.h"

namespace clearance {
namespace {

/// Largest number of blocks of local Hessians that exist at a time.
constexpr std::int64_t max_local_blocks = 128 * 1024;
constexpr int grain = 32;  // elements per task

/// Entries of F, column-major in space, that an axisymmetric motion changes: the meridian's and the hoop stretch.
constexpr std::array<int, 5> entries = {0, 1, 3, 4, 8};

/// Energy density of the barrier on the hoop stretch, with derivatives by it; none for laws that are barriers.
BarrierValue hoop_barrier(const MaterialParameters& material, double hoop) {
  if (hoop >= barrier_hoop_fraction || is_barrier_model(material.model)) return {};
  const double modulus = barrier_hoop_fraction * (std::max(material.lambda, 0.0) + 2.0 * material.mu);
  const BarrierValue b = log_barrier(hoop / barrier_hoop_fraction, 1.0);
  return {modulus * b.value, modulus * b.first / barrier_hoop_fraction,
          modulus * b.second / (barrier_hoop_fraction * barrier_hoop_fraction)};
}

/// Returns the matrix from the values at the nodes of a triangle to the Bernstein coefficients.
MatX bernstein_of_nodes(int order) {
  const std::vector<NodeIndex>& nodes = lagrange_nodes(2, order);
  MatX values(std::ssize(nodes), std::ssize(nodes));
  std::vector<double> row(nodes.size());
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    Barycentrics at{};
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<double>(nodes[a][i]) / order;
    bernstein_values(2, order, at, row);
    values.row(static_cast<Eigen::Index>(a)) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), std::ssize(row));
  }
  return values.inverse();
}

/// The rule of the straight or the curved elements of a mesh, with what it needs at its points.
struct Rule {
  Rule(const ElementMesh<2>& mesh, bool is_straight)
      : points(symmetric_quadrature(2, is_straight ? 2 * (mesh.order - 1) : 2 * mesh.order)),
        gradients(mesh.order, points),
        rest(mesh, points),
        radii(mesh, points) {}

  const std::vector<QuadraturePoint>& points;
  ShapeGradients<2> gradients;
  RestMap<2> rest;
  PointRadii<2> radii;
};

}  // namespace

AxisymmetricPotential::AxisymmetricPotential(const ElementMesh<2>& mesh) : meridian_(mesh) {
  CLEARANCE_ASSERT(mesh.is_axisymmetric && mesh.higher_shape_order == 0);
  auto constant = std::make_shared<Constant>(Constant{mesh, {0}, {}, {}, bernstein_of_nodes(mesh.order), {}});
  const ElementShapes<2> shapes = mesh.shapes();
  std::array<std::optional<Rule>, 2> rules;
  StencilList stencils;
  std::vector<double> places;
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    const std::span<const int> nodes = mesh.nodes_of(e);
    stencils.add(nodes);
    shapes.places(static_cast<int>(e), mesh.x_rest, places);
    const bool straight = mesh.is_linear() || is_straight<2>(mesh.order, places);
    std::optional<Rule>& rule = rules[straight ? 1 : 0];
    if (!rule) rule.emplace(mesh, straight);
    // Gradients at rest, and values over the radius at rest.
    for (int q = 0; q < rule->gradients.num_points(); ++q) {
      const Mat<2> derivative = rule->rest.derivative(q, e);
      const Mat<2> to_rest = derivative.inverse().transpose();
      const double weight = rule->points[q].weight * simplex_volume<2> * derivative.determinant();
      constant->points.push_back({rule->radii.turn(q, e) * weight, constant->shapes.size()});
      const double radius = rule->radii.at(q, e, mesh.x_rest);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const Vec<2> g = to_rest * Eigen::Map<const Vec<2>>(rule->gradients.of_point(q) + 2 * a);
        constant->shapes.insert(constant->shapes.end(), {g[0], g[1], rule->radii.shape(q, a) / radius});
      }
    }
    constant->first_point.push_back(constant->points.size());
    // Coefficients that are zero at rest, to rounding, belong to nodes on the axis.
    double largest = 0.0;
    VecX radii(std::ssize(nodes));
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      radii[static_cast<Eigen::Index>(a)] = mesh.x_rest[2 * nodes[a]];
      largest = std::max(largest, std::abs(mesh.x_rest[2 * nodes[a]]));
    }
    const VecX c = constant->to_bernstein * radii;
    for (Eigen::Index i = 0; i < c.size(); ++i) constant->is_axis.push_back(std::abs(c[i]) <= 1e-9 * largest ? 1 : 0);
  }
  constant_ = std::move(constant);
  assembler_ = BlockAssembler(stencils, max_local_blocks);
  active_.resize(mesh.num_elements());
  std::iota(active_.begin(), active_.end(), 0);
}

void AxisymmetricPotential::restrict_to(const std::vector<char>& part) {
  meridian_.restrict_to(part);
  active_.clear();
  for (int e = 0; e < static_cast<int>(mesh().num_elements()); ++e) {
    const std::span<const int> nodes = mesh().nodes_of(e);
    if (part.empty() || std::any_of(nodes.begin(), nodes.end(), [&](int v) { return part[v] != 0; })) {
      active_.push_back(e);
    }
  }
}

Mat<3> AxisymmetricPotential::deformation_gradient(std::size_t e, const Point& point, const VecX& x) const {
  const std::span<const int> nodes = mesh().nodes_of(e);
  const double* shape = constant_->shapes.data() + point.shapes;
  Mat<3> f = Mat<3>::Zero();
  for (const int node : nodes) {
    f.topLeftCorner<2, 2>() += block<2>(x, node) * Eigen::Map<const Vec<2>>(shape).transpose();
    f(2, 2) += shape[2] * x[2 * node];
    shape += 3;
  }
  return f;
}

double AxisymmetricPotential::element_energy(std::size_t e, const VecX& x) const {
  const MaterialParameters& material = mesh().material_of(e);
  double energy = 0.0;
  for (std::size_t q = constant_->first_point[e]; q < constant_->first_point[e + 1]; ++q) {
    const Point& point = constant_->points[q];
    const Mat<3> f = deformation_gradient(e, point, x);
    // A meridian and circles that are both inverted would have a positive determinant in space.
    if (!(f(2, 2) > 0.0)) return infinity;
    energy += point.weight * (energy_density<3>(material, f) + hoop_barrier(material, f(2, 2)).value);
  }
  return energy;
}

CompensatedSum AxisymmetricPotential::energy(const VecX& x) const {
  return sum_energies(
      static_cast<int>(active_.size()),
      [&](int i) {
        CompensatedSum sum;
        sum.add(element_energy(active_[i], x));
        return sum;
      },
      grain);
}

void AxisymmetricPotential::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (std::size_t e = 0; e < mesh().num_elements(); ++e) {
    sums[body_of_block[mesh().nodes_of(e)[0]]] += element_energy(e, x);
  }
}

auto AxisymmetricPotential::element_force(std::size_t e, const VecX& x) const -> Force {
  const MaterialParameters& material = mesh().material_of(e);
  Force force = Force::Zero(2, static_cast<Eigen::Index>(mesh().num_nodes()));
  for (std::size_t q = constant_->first_point[e]; q < constant_->first_point[e + 1]; ++q) {
    const Point& point = constant_->points[q];
    const Mat<3> f = deformation_gradient(e, point, x);
    const Mat<3> stress = point.weight * first_piola_stress<3>(material, f);
    const double hoop = stress(2, 2) + point.weight * hoop_barrier(material, f(2, 2)).first;
    const double* shape = constant_->shapes.data() + point.shapes;
    for (Eigen::Index a = 0; a < force.cols(); ++a, shape += 3) {
      force.col(a) += stress.topLeftCorner<2, 2>() * Eigen::Map<const Vec<2>>(shape);
      force(0, a) += hoop * shape[2];
    }
  }
  return force;
}

void AxisymmetricPotential::add_gradient(const VecX& x, double scale, VecX& gradient) {
  // Compute in parallel, then add serially: neighbours share nodes.
  std::vector<Force> forces(active_.size());
  parallel_for(static_cast<int>(active_.size()), grain, [&](int i) { forces[i] = element_force(active_[i], x); });
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const std::span<const int> nodes = mesh().nodes_of(active_[i]);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      block<2>(gradient, nodes[a]) += scale * forces[i].col(static_cast<Eigen::Index>(a));
    }
  }
}

/// Writes B^T C B, where C is the derivative of P by the entries of F that change, and B that of these by the nodes.
void AxisymmetricPotential::write_hessian(std::size_t e, const VecX& x, bool is_projected, double* blocks) const {
  const MaterialParameters& material = mesh().material_of(e);
  const auto num_nodes = static_cast<Eigen::Index>(mesh().num_nodes());
  constexpr int max_size = 2 * static_cast<int>(num_lagrange_nodes(2, max_order));
  using Strains = Eigen::Matrix<double, 5, Eigen::Dynamic, 0, 5, max_size>;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_size, max_size> hessian;
  hessian.setZero(2 * num_nodes, 2 * num_nodes);
  for (std::size_t q = constant_->first_point[e]; q < constant_->first_point[e + 1]; ++q) {
    const Point& point = constant_->points[q];
    const Mat<3> f = deformation_gradient(e, point, x);
    const Mat<9> in_space = stress_derivative<3>(material, f, is_projected);
    Mat<5> c;
    for (int i = 0; i < 5; ++i) {
      for (int k = 0; k < 5; ++k) c(i, k) = point.weight * in_space(entries[i], entries[k]);
    }
    const double of_barrier = hoop_barrier(material, f(2, 2)).second;
    c(4, 4) += point.weight * (is_projected ? std::max(of_barrier, 0.0) : of_barrier);
    Strains b = Strains::Zero(5, 2 * num_nodes);
    const double* shape = constant_->shapes.data() + point.shapes;
    for (Eigen::Index a = 0; a < num_nodes; ++a, shape += 3) {
      b(0, 2 * a) = b(1, 2 * a + 1) = shape[0];
      b(2, 2 * a) = b(3, 2 * a + 1) = shape[1];
      b(4, 2 * a) = shape[2];
    }
    hessian += b.transpose() * (c * b);
  }
  // Blocks of the lower triangle in the order of BlockAssembler.
  for (Eigen::Index a = 0; a < num_nodes; ++a) {
    for (Eigen::Index b = 0; b <= a; ++b, blocks += 4) {
      Mat<2> of_pair = hessian.block<2, 2>(2 * a, 2 * b);
      if (a == b) of_pair = (0.5 * (of_pair + of_pair.transpose())).eval();
      Eigen::Map<Mat<2>>{blocks} = of_pair;
    }
  }
}

void AxisymmetricPotential::assemble(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  const std::size_t size = num_stencil_blocks(static_cast<int>(mesh().num_nodes())) * 4;
  std::vector<double> locals;
  for (int batch = 0; batch < assembler_.num_batches(); ++batch) {
    const StencilRange range = assembler_.stencils_of(batch);
    const auto first = std::lower_bound(active_.begin(), active_.end(), range.begin);
    const auto last = std::lower_bound(first, active_.end(), range.end);
    if (first == last) continue;
    locals.assign((range.end - range.begin) * size, 0.0);
    parallel_for(static_cast<int>(last - first), grain, [&](int i) {
      const int e = first[i];
      write_hessian(e, x, is_projected, locals.data() + (e - range.begin) * size);
    });
    assembler_.add_to<2>(matrix, locals, scale, batch);
  }
}

void AxisymmetricPotential::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  assemble(x, scale, true, matrix);
}

void AxisymmetricPotential::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                  BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  assemble(x, scale, false, matrix);
}

// --- feasible radii ---

void AxisymmetricPotential::coefficients(std::size_t e, const VecX& x, VecX& c) const {
  const std::span<const int> nodes = mesh().nodes_of(e);
  thread_local VecX radii;
  radii.resize(std::ssize(nodes));
  for (std::size_t a = 0; a < nodes.size(); ++a) radii[static_cast<Eigen::Index>(a)] = x[2 * nodes[a]];
  c.noalias() = constant_->to_bernstein * radii;
}

double AxisymmetricPotential::bound_radii(std::size_t e, const VecX& x, const VecX& dx) const {
  thread_local VecX at, change;
  coefficients(e, x, at);
  coefficients(e, dx, change);
  const char* is_axis = constant_->is_axis.data() + e * mesh().num_nodes();
  double alpha = 1.0;
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    const double loss = -change[i], most = (1.0 - kept_volume_fraction) * at[i];
    if (is_axis[i] == 0 && loss > most) alpha = std::min(alpha, std::max(most, 0.0) / loss);
  }
  return alpha;
}

StepLimit AxisymmetricPotential::max_feasible_step(const VecX& x, const VecX& dx) {
  const StepLimit of_meridian = meridian_.max_feasible_step(x, dx);
  const StepLimit of_radii = ordered_reduce(
      static_cast<int>(active_.size()), StepLimit{},
      [&](int i) {
        const double alpha = bound_radii(active_[i], x, dx);
        return alpha < 1.0 ? StepLimit{alpha, active_[i], mesh().nodes_of(active_[i])[0], "the distance from the axis"}
                           : StepLimit{};
      },
      [](const StepLimit& a, const StepLimit& b) { return b.alpha < a.alpha ? b : a; }, grain);
  return of_radii.alpha < of_meridian.alpha ? of_radii : of_meridian;
}

bool AxisymmetricPotential::is_feasible(const VecX& x) const {
  if (!meridian_.is_feasible(x)) return false;
  thread_local VecX at;
  for (const int e : active_) {
    coefficients(e, x, at);
    const char* is_axis = constant_->is_axis.data() + e * mesh().num_nodes();
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (is_axis[i] == 0 && !(at[i] > 0.0)) return false;
    }
  }
  return true;
}

int AxisymmetricPotential::find_block_across_axis() const {
  VecX at;
  for (std::size_t e = 0; e < mesh().num_elements(); ++e) {
    coefficients(e, mesh().x_rest, at);
    const char* is_axis = constant_->is_axis.data() + e * mesh().num_nodes();
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (is_axis[i] == 0 && !(at[i] > 0.0)) return mesh().nodes_of(e)[0];
    }
  }
  return -1;
}

// --- fields ---

std::vector<ElementState> AxisymmetricPotential::element_states(const VecX& x) const {
  // The centre, and for higher orders the corners, of which one replaces the centre if its equivalent stress is larger.
  std::vector<QuadraturePoint> points = {{{1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}, 1.0}};
  for (std::size_t i = 0; mesh().order > 1 && i < 3; ++i) {
    Barycentrics corner{};
    corner[i] = 1.0;
    points.push_back({corner, 1.0});
  }
  const ShapeGradients<2> gradients(mesh().order, points);
  const RestMap<2> rest(mesh(), points);
  const PointRadii<2> radii(mesh(), points);
  std::vector<ElementState> states(mesh().num_elements());
  parallel_for(static_cast<int>(states.size()), grain, [&](int i) {
    const std::size_t e = i;
    const auto state_at = [&](int q) {
      Mat<3> f = Mat<3>::Identity();
      f.topLeftCorner<2, 2>() = gradients.map_derivative(q, mesh().nodes_of(e), x) * rest.derivative(q, e).inverse();
      f(2, 2) = radii.hoop_stretch(q, e, x, f(0, 0));
      return element_state(mesh().material_of(e), f);
    };
    ElementState state = state_at(0);
    const double energy_density = state.energy_density;
    for (int corner = 1; corner < static_cast<int>(points.size()); ++corner) {
      const ElementState at_corner = state_at(corner);
      if (at_corner.von_mises > state.von_mises) state = at_corner;
    }
    state.energy_density = energy_density;
    states[e] = state;
  });
  return states;
}

}  // namespace clearance
