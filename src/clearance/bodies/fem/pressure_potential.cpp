#include "clearance/bodies/fem/pressure_potential.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "clearance/base/contract.h"
#include "clearance/geometry/distance.h"
#include "clearance/math/psd.h"

namespace clearance {

namespace {

constexpr int grain = 512;        // straight faces per task
constexpr int curved_grain = 16;  // curved faces per task

/// The volume [m^3] (2D: area [m^2]) that a face sweeps when its corners go straight from `from` to `to`, positive to
/// the outside, with its derivatives by the ends.
template <int dim>
struct Sweep;

Mat<3> cross_matrix(const Vec<3>& v) {
  Mat<3> m;
  m << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
  return m;
}

/// The volume is the mean displacement times the mean area vector; the face's sides grow from e to e + f on the way.
template <>
struct Sweep<3> {
  Sweep(const std::array<Vec<3>, 3>& from, const std::array<Vec<3>, 3>& to) {
    // Displacements of the corners and their mean; sides at the start and their changes.
    const Vec<3> d0 = to[0] - from[0], d1 = to[1] - from[1], d2 = to[2] - from[2];
    mean = (d0 + d1 + d2) / 3.0;
    const Vec<3> e1 = from[1] - from[0], e2 = from[2] - from[0], f1 = d1 - d0, f2 = d2 - d0;
    // This is the mean of 1/2 (e1 + t f1) x (e2 + t f2) over t from 0 to 1.
    area_vector = 0.5 * cross_product(e1, e2) + 0.25 * (cross_product(e1, f2) + cross_product(f1, e2)) +
                  cross_product(f1, f2) / 6.0;
    // The volume depends on f1 by mean . (f1 x u2) and on f2 by mean . (u1 x f2).
    u1 = 0.25 * e1 + f1 / 6.0;
    u2 = 0.25 * e2 + f2 / 6.0;
  }

  double volume() const { return mean.dot(area_vector); }

  Vec<9> gradient() const {
    // Each corner has a third of the mean; f1 = d1 - d0 and f2 = d2 - d0.
    const Vec<3> by_mean = area_vector / 3.0, by_f1 = cross_product(u2, mean), by_f2 = cross_product(mean, u1);
    Vec<9> g;
    g << by_mean - by_f1 - by_f2, by_mean + by_f1, by_mean + by_f2;
    return g;
  }

  Mat<9> hessian() const {
    const Mat<3> k1 = cross_matrix(u2) / 3.0, k2 = -cross_matrix(u1) / 3.0, k12 = -cross_matrix(mean) / 6.0;
    // coefficients of the corners in f1 and f2
    constexpr std::array<double, 3> c1 = {-1.0, 1.0, 0.0}, c2 = {-1.0, 0.0, 1.0};
    Mat<9> h;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        // Only products of different variables have second derivatives: mean with f1, mean with f2, f1 with f2.
        const double skew = c1[i] * c2[j] - c2[i] * c1[j];
        h.template block<3, 3>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j)) =
            (c1[i] - c1[j]) * k1 + (c2[i] - c2[j]) * k2 + skew * k12;
      }
    }
    return h;
  }

  Vec<3> mean, area_vector, u1, u2;
};

template <>
struct Sweep<2> {
  Sweep(const std::array<Vec<2>, 2>& from, const std::array<Vec<2>, 2>& to) {
    const Vec<2> d0 = to[0] - from[0], d1 = to[1] - from[1];
    mean = 0.5 * (d0 + d1);
    // The mean side, turned to the right, is the mean normal.
    const Vec<2> side = from[1] - from[0] + 0.5 * (d1 - d0);
    normal = {side[1], -side[0]};
  }

  double volume() const { return mean.dot(normal); }

  Vec<4> gradient() const {
    const Vec<2> by_difference(-0.5 * mean[1], 0.5 * mean[0]);
    Vec<4> g;
    g << 0.5 * normal - by_difference, 0.5 * normal + by_difference;
    return g;
  }

  Mat<4> hessian() const {
    // The Hessian is the same for every edge: only different corners and different axes are coupled.
    Mat<4> h = Mat<4>::Zero();
    h(0, 3) = h(3, 0) = 0.5;
    h(1, 2) = h(2, 1) = -0.5;
    return h;
  }

  Vec<2> mean, normal;
};

template <int dim>
Sweep<dim> sweep(const std::array<int, dim>& blocks, const VecX& from, const VecX& to) {
  // Gather the corners at both ends of the way.
  std::array<Vec<dim>, dim> start, end;
  for (std::size_t i = 0; i < dim; ++i) {
    start[i] = block<dim>(from, blocks[i]);
    end[i] = block<dim>(to, blocks[i]);
  }
  return {start, end};
}

/// Projects a matrix to PSD, like project_to_psd.
void project(MatX& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(matrix);
  for (Eigen::Index i = 0; i < matrix.rows() && solver.eigenvalues()[i] < 0.0; ++i) {
    const VecX v = solver.eigenvectors().col(i);
    matrix.noalias() -= solver.eigenvalues()[i] * v * v.transpose();
  }
}

template <int dim>
typename CurvedSweep<dim>::Nodes nodes_at(const std::vector<int>& blocks, const VecX& x) {
  typename CurvedSweep<dim>::Nodes nodes(dim, std::ssize(blocks));
  for (std::size_t a = 0; a < blocks.size(); ++a) nodes.col(static_cast<Eigen::Index>(a)) = block<dim>(x, blocks[a]);
  return nodes;
}

}  // namespace

template <int dim>
PressurePotential<dim>::PressurePotential(const std::vector<PressureLoad<dim>>& loads, bool is_turned)
    : is_turned_(is_turned) {
  for (std::size_t l = 0; l < loads.size(); ++l) {
    pressure_functions_.push_back(loads[l].pressure);
    for (const auto& face : loads[l].faces) faces_.push_back({face, static_cast<int>(l)});
    for (const auto& face : loads[l].curved_faces) add_curved_face(face, static_cast<int>(l));
  }
  pressures_.assign(loads.size(), 0.0);
}

template <int dim>
void PressurePotential<dim>::add_curved_face(const std::vector<int>& blocks, int load) {
  const int order = order_of_nodes(dim - 1, blocks.size());
  CLEARANCE_ASSERT(order > 0);
  // Faces of one order share a sweep.
  std::size_t sweep = 0;
  while (sweep < sweeps_.size() && sweeps_[sweep].order() != order) ++sweep;
  if (sweep == sweeps_.size()) sweeps_.emplace_back(order, is_turned_);
  curved_faces_.push_back({blocks, load, sweep});
}

template <int dim>
template <class Derivative>
auto PressurePotential<dim>::swept(const CurvedFace& face, const VecX& x, const Derivative& derivative) const {
  auto value = derivative(sweeps_[face.sweep], nodes_at<dim>(face.blocks, reference_), nodes_at<dim>(face.blocks, x));
  value *= pressure_on(face);
  return value;
}

template <int dim>
Result<Done> PressurePotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  // Start with no work and no pressure; if a function is undefined, none acts.
  pressures_.assign(pressures_.size(), 0.0);
  so_far_ = {};
  is_active_ = false;
  Issues issues;
  for (std::size_t l = 0; l < pressures_.size(); ++l) {
    const Result<double> pressure = pressure_functions_[l](h, time_t1);
    issues.insert(issues.end(), pressure.issues().begin(), pressure.issues().end());
    if (pressure) pressures_[l] = *pressure;
  }
  if (!issues.empty()) return issues;
  is_active_ = std::any_of(pressures_.begin(), pressures_.end(), [](double p) { return p != 0.0; });
  if (is_active_) reference_ = x_t0;
  return Done{};
}

template <int dim>
bool PressurePotential<dim>::refer_to(const VecX& x) {
  if (!is_active_ || x == reference_) return false;
  // Keep the work up to the new reference.
  so_far_ = energy(x);
  reference_ = x;
  return true;
}

template <int dim>
CompensatedSum PressurePotential<dim>::energy(const VecX& x) const {
  CompensatedSum sum;
  if (!is_active_) return sum;
  sum = ordered_sum(static_cast<int>(faces_.size()), [&](int i) {
    const Face& face = faces_[i];
    return pressure_on(face) * sweep<dim>(face.blocks, reference_, x).volume();
  });
  if (!curved_faces_.empty()) {
    sum.add(ordered_sum(static_cast<int>(curved_faces_.size()), [&](int i) {
      return swept(curved_faces_[i], x, [](const auto& sweep, const auto&... ends) { return sweep.volume(ends...); });
    }));
  }
  // Add the energy up to the reference.
  sum.add(so_far_);
  return sum;
}

/// Adds the gradient. Sums are serial, because faces share corners.
template <int dim>
void PressurePotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  if (!is_active_) return;
  for (const Face& face : faces_) {
    const Vec<dim* dim> g = scale * pressure_on(face) * sweep<dim>(face.blocks, reference_, x).gradient();
    for (std::size_t i = 0; i < dim; ++i) block<dim>(gradient, face.blocks[i]) += block<dim>(g, static_cast<int>(i));
  }
  // Curved faces are costly: compute them in parallel, add them serially.
  std::vector<CurvedNodes> gradients(curved_faces_.size());
  parallel_for(static_cast<int>(gradients.size()), curved_grain, [&](int i) {
    const std::size_t f = i;
    gradients[f] =
        swept(curved_faces_[f], x, [](const auto& sweep, const auto&... ends) { return sweep.gradient(ends...); });
  });
  for (std::size_t f = 0; f < gradients.size(); ++f) {
    const std::vector<int>& blocks = curved_faces_[f].blocks;
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      block<dim>(gradient, blocks[a]) += scale * gradients[f].col(static_cast<Eigen::Index>(a));
    }
  }
}

template <int dim>
std::vector<BlockKey> PressurePotential<dim>::pattern() const {
  std::vector<BlockKey> keys;
  // The Hessian of a face couples all pairs of its nodes.
  const auto add_face = [&](const auto& face) {
    for (const int a : face.blocks) {
      for (const int b : face.blocks) {
        if (a >= b) keys.push_back(make_block_key(a, b));
      }
    }
  };
  std::for_each(faces_.begin(), faces_.end(), add_face);
  std::for_each(curved_faces_.begin(), curved_faces_.end(), add_face);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

template <int dim>
void PressurePotential<dim>::add(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) const {
  if (!is_active_) return;
  // Compute and project the Hessians in parallel, add them serially.
  std::vector<Mat<dim * dim>> hessians(faces_.size());
  parallel_for(static_cast<int>(faces_.size()), grain, [&](int i) {
    const Face& face = faces_[i];
    const Mat<dim* dim> h = scale * pressure_on(face) * sweep<dim>(face.blocks, reference_, x).hessian();
    hessians[i] = is_projected ? project_to_psd<dim * dim>(h) : h;
  });
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        const int row = faces_[f].blocks[i];
        const int column = faces_[f].blocks[j];
        if (row < column) continue;
        matrix.add_to_slot<dim>(matrix.find_slot(row, column), matrix.slot_stride(column),
                                Mat<dim>(hessians[f].template block<dim, dim>(dim * i, dim * j)));
      }
    }
  }
  add_curved(x, scale, is_projected, matrix);
}

template <int dim>
void PressurePotential<dim>::add_curved(const VecX& x, double scale, bool is_projected,
                                        BlockSparseMatrix& matrix) const {
  // Compute and project the Hessians in parallel, add them serially.
  std::vector<MatX> hessians(curved_faces_.size());
  parallel_for(static_cast<int>(hessians.size()), curved_grain, [&](int i) {
    const std::size_t f = i;
    hessians[f] =
        swept(curved_faces_[f], x, [](const auto& sweep, const auto&... ends) { return sweep.hessian(ends...); });
    hessians[f] *= scale;
    if (is_projected) project(hessians[f]);
  });
  for (std::size_t f = 0; f < hessians.size(); ++f) {
    const std::vector<int>& blocks = curved_faces_[f].blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t j = 0; j < blocks.size(); ++j) {
        if (blocks[i] < blocks[j]) continue;
        matrix.add_to_slot<dim>(matrix.find_slot(blocks[i], blocks[j]), matrix.slot_stride(blocks[j]),
                                Mat<dim>(hessians[f].template block<dim, dim>(dim * static_cast<Eigen::Index>(i),
                                                                              dim * static_cast<Eigen::Index>(j))));
      }
    }
  }
}

template <int dim>
void PressurePotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                   BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  add(x, scale, false, matrix);
}

template class PressurePotential<2>;
template class PressurePotential<3>;

}  // namespace clearance
