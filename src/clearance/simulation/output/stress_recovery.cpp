#include "clearance/simulation/output/stress_recovery.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {

/// Least share of a monomial that the monomials before it leave over at the points of a patch. Below it the points do
/// not determine the monomial, such as z^2 in a plate with a single layer of elements.
constexpr double least_share = 1e-4;

/// Returns the points that a patch has at least, per monomial. Each number was the best of 1 to 6:
///   2D   linear elements around a hole: the largest stress was 4.9 % too high with 1.3 points, 0.5 % with 2;
///        curved quadratic elements of a pipe: 1.5 points gave 2.7 times its true error, 2 points 16 times, because
///        patches at its boundary then reach too far;
///   3D   quadratic elements of a beam: the largest stress was 7 % too high with 1.5 to 3 points, 2 % with 4.
double least_points_per_monomial(int dim, int order) {
  if (order == 1) return 2.0;
  return dim == 2 ? 1.5 : 4.0;
}

/// Times that a patch may grow by the elements around it.
constexpr int most_rings = 2;

using Exponents = std::array<int, 3>;

/// Returns the monomials up to a degree, by ascending degrees.
const std::vector<Exponents>& monomials(int dim, int degree) {
  static const auto all = [] {
    std::array<std::array<std::vector<Exponents>, max_order + 1>, 2> lists;
    for (int d = 2; d <= 3; ++d) {
      for (int p = 0; p <= max_order; ++p) {
        for (int sum = 0; sum <= p; ++sum) {
          for (int i = sum; i >= 0; --i) {
            for (int j = sum - i; j >= (d == 2 ? sum - i : 0); --j) lists[d - 2][p].push_back({i, j, sum - i - j});
          }
        }
      }
    }
    return lists;
  }();
  return all[dim - 2][degree];
}

/// Evaluates monomials at a point of unit size.
void evaluate_monomials(const std::vector<Exponents>& exponents, const Vec<3>& at, std::span<double> values) {
  std::array<Vec<3>, max_order + 1> powers;
  powers[0] = Vec<3>::Ones();
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = powers[k - 1].cwiseProduct(at);
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    values[i] = powers[exponents[i][0]][0] * powers[exponents[i][1]][1] * powers[exponents[i][2]][2];
  }
}

/// Normal equations of a least-squares fit.
class NormalEquations {
 public:
  explicit NormalEquations(std::size_t size) : size_(size), matrix_(size * size, 0.0), sides_(size) {
    for (StressVector& side : sides_) side.setZero();
  }

  void add(std::span<const double> values, const StressVector& stress) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) at(i, j) += values[i] * values[j];
      sides_[i] += values[i] * stress;
    }
  }

  /// Factorises the matrix into L D L^T and leaves out the rows that follow from those before. Returns the number of
  /// rows left out.
  int factorize() {
    int num_left_out = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double before = at(i, i);
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k) * at(k, k);
        at(i, j) = at(j, j) > 0.0 ? at(i, j) / at(j, j) : 0.0;
        at(i, i) -= at(i, j) * at(i, j) * at(j, j);
      }
      if (at(i, i) > least_share * before) continue;
      at(i, i) = 0.0;
      ++num_left_out;
    }
    return num_left_out;
  }

  /// Solves with the factors; the coefficients of rows left out are 0.
  std::vector<StressVector> solve() const {
    std::vector<StressVector> x = sides_;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= at(i, k) * x[k];
    }
    for (std::size_t i = size_; i-- > 0;) {
      if (!(at(i, i) > 0.0)) {
        x[i].setZero();
        continue;
      }
      x[i] /= at(i, i);
      for (std::size_t k = i + 1; k < size_; ++k) x[i] -= at(k, i) * x[k];
    }
    return x;
  }

 private:
  double& at(std::size_t row, std::size_t column) { return matrix_[row * size_ + column]; }
  double at(std::size_t row, std::size_t column) const { return matrix_[row * size_ + column]; }

  std::size_t size_;
  std::vector<double> matrix_;
  std::vector<StressVector> sides_;
};

}  // namespace

/// The points of all elements, and their stresses.
struct RecoveredStress::Samples {
  ElementStresses stresses;
  std::vector<Vec<3>> at_rest;  // [m]
};

std::vector<int> RecoveredStress::points_of(const Samples& samples, const std::vector<int>& elements) {
  std::vector<int> points;
  for (const int e : elements) {
    for (int q = samples.stresses.first_point[e]; q < samples.stresses.first_point[e + 1]; ++q) points.push_back(q);
  }
  return points;
}

RecoveredStress::RecoveredStress(const SceneModel& scene, const StressPatches& patches, const VecX& x,
                                 const History& history, const std::vector<char>& is_wanted)
    : scene_(scene), patches_(patches), polynomials_(patches.num_patches()) {
  if (!scene.element_stresses) return;
  Samples samples{scene.element_stresses(x, history, 0), {}};
  samples.at_rest.resize(samples.stresses.stress.size());
  parallel_for(scene.num_elements(), 64, [&](int e) {
    std::size_t at = samples.stresses.first_point[e];
    for (const QuadraturePoint& point : stress_points(scene.dim, scene.element_kinds[e].order)) {
      samples.at_rest[at++] = rest_position(e, point.at);
    }
  });
  parallel_for(patches.num_patches(), 8, [&](int patch) {
    if (is_wanted.empty() || is_wanted[patch] != 0) polynomials_[patch] = fit(patch, samples);
  });
}

Vec<3> RecoveredStress::rest_position(int element, const Barycentrics& point) const {
  const std::span<const int> nodes = shape_nodes(scene_, element);
  std::array<double, num_lagrange_nodes(3, max_order)> weights;
  const int order = order_of_nodes(scene_.dim, nodes.size());
  lagrange_values(scene_.dim, order, point, std::span(weights).first(nodes.size()));
  Vec<3> sum = Vec<3>::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) sum += weights[a] * scene_.frames.mesh.vertices[nodes[a]];
  return sum;
}

/// Returns a polynomial without coefficients. Its origin is the mean of the points and its scales are their extents, so
/// that few monomials look alike at the points.
RecoveredStress::Polynomial RecoveredStress::frame_of(const Samples& samples, const std::vector<int>& points) {
  Polynomial polynomial;
  for (const int q : points) polynomial.origin += samples.at_rest[q] / static_cast<double>(points.size());
  Vec<3> extent = Vec<3>::Zero();
  for (const int q : points) extent = extent.cwiseMax((samples.at_rest[q] - polynomial.origin).cwiseAbs());
  for (int d = 0; d < 3; ++d) polynomial.scale[d] = extent[d] > 0.0 ? extent[d] : 1.0;
  return polynomial;
}

RecoveredStress::Polynomial RecoveredStress::fit(int patch, const Samples& samples) const {
  const int order = patches_.order(patch);
  const std::vector<Exponents>& exponents = monomials(scene_.dim, order);
  const double fewest_points = least_points_per_monomial(scene_.dim, order) * static_cast<double>(exponents.size());
  std::vector<double> values(exponents.size());
  std::vector<int> elements(patches_.elements(patch).begin(), patches_.elements(patch).end());
  for (int ring = 0;; ++ring) {
    const std::vector<int> points = points_of(samples, elements);
    const bool is_last = ring == most_rings;
    // Few elements meet at an edge or a corner of a body; those around them are added.
    if (!is_last && static_cast<double>(points.size()) < fewest_points && patches_.grow(elements)) continue;
    Polynomial polynomial = frame_of(samples, points);
    NormalEquations equations(exponents.size());
    for (const int q : points) {
      evaluate_monomials(exponents, (samples.at_rest[q] - polynomial.origin).cwiseQuotient(polynomial.scale), values);
      equations.add(values, samples.stresses.stress[q]);
    }
    if (equations.factorize() > 0 && !is_last && patches_.grow(elements)) continue;
    polynomial.coefficients = equations.solve();
    return polynomial;
  }
}

StressVector RecoveredStress::evaluate(int patch, const Vec<3>& at_rest) const {
  const Polynomial& polynomial = polynomials_[patch];
  const std::vector<Exponents>& exponents = monomials(scene_.dim, patches_.order(patch));
  std::array<double, num_lagrange_nodes(3, max_order)> values;
  evaluate_monomials(exponents, (at_rest - polynomial.origin).cwiseQuotient(polynomial.scale), values);
  StressVector sum = StressVector::Zero();
  for (std::size_t i = 0; i < exponents.size(); ++i) sum += values[i] * polynomial.coefficients[i];
  return sum;
}

StressVector RecoveredStress::at(int element, const Barycentrics& point) const {
  const Vec<3> at_rest = rest_position(element, point);
  StressVector sum = StressVector::Zero();
  const std::span<const int> patches = patches_.patches_of(element);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (point[i] != 0.0) sum += point[i] * evaluate(patches[i], at_rest);
  }
  return sum;
}

Mat<3> to_matrix(const StressVector& s) {
  Mat<3> matrix;
  matrix << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
  return matrix;
}

double von_mises(const StressVector& s) {
  const double of_axes = (s[0] - s[1]) * (s[0] - s[1]) + (s[1] - s[2]) * (s[1] - s[2]) + (s[2] - s[0]) * (s[2] - s[0]);
  return std::sqrt(0.5 * of_axes + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

StressNodes::StressNodes(const SceneModel& scene, const StressPatches& patches, const std::vector<char>& is_wanted)
    : scene_(scene), patches_(patches), is_wanted_patch_(patches.num_patches(), 0) {
  // A vertex has one node per zone: several elements around it give the same stress.
  for (int e = 0; e < scene.num_elements(); ++e) {
    const std::span<const int> nodes = shape_nodes(scene, e);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      if (!is_wanted.empty() && is_wanted[nodes[a]] == 0) continue;
      nodes_.push_back({nodes[a], patches.zone(e), e, static_cast<int>(a)});
    }
  }
  const auto key = [](const Node& node) { return std::array{node.vertex, node.zone}; };
  std::stable_sort(nodes_.begin(), nodes_.end(), [&](const Node& a, const Node& b) { return key(a) < key(b); });
  const auto is_same = [&](const Node& a, const Node& b) { return key(a) == key(b); };
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end(), is_same), nodes_.end());
  for (const Node& node : nodes_) {
    for (const int patch : patches.patches_of(node.element)) is_wanted_patch_[patch] = 1;
  }
}

std::vector<NodeStress> StressNodes::stresses(const VecX& x, const History& history) const {
  const RecoveredStress recovered(scene_, patches_, x, history, is_wanted_patch_);
  std::vector<NodeStress> stresses(nodes_.size());
  parallel_for(static_cast<int>(nodes_.size()), 64, [&](int i) {
    const Node& node = nodes_[i];
    const int order = order_of_nodes(scene_.dim, shape_nodes(scene_, node.element).size());
    Barycentrics at{};
    for (std::size_t k = 0; k < at.size(); ++k) {
      at[k] = static_cast<double>(lagrange_nodes(scene_.dim, order)[node.number][k]) / order;
    }
    stresses[i] = {node.vertex, recovered.at(node.element, at)};
  });
  return stresses;
}

}  // namespace clearance
