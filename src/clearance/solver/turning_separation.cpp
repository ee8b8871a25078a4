#include "clearance/solver/turning_separation.h"

#include <algorithm>
#include <cmath>

#include "clearance/ccd/separating_direction.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

constexpr double unit_roundoff = 0x1p-53;

template <int dim>
Vec<3> in_space(const Vec<dim>& x) {
  Vec<3> padded = Vec<3>::Zero();
  padded.template head<dim>() = x;
  return padded;
}

constexpr double factorial(int n) {
  return n < 2 ? 1.0 : n * factorial(n - 1);
}
constexpr double binomial(int n, int k) {
  return factorial(n) / (factorial(k) * factorial(n - k));
}

/// Returns the weights [i][j] of the coefficient of degree j in the control point i of a polynomial of degree `degree`.
template <int degree>
constexpr auto control_weights() {
  std::array<std::array<double, degree + 1>, degree + 1> weights{};
  for (int i = 0; i <= degree; ++i) {
    for (int j = 0; j <= i; ++j) weights[i][j] = binomial(i, j) / binomial(degree, j);
  }
  return weights;
}
/// Returns the weights of the derivatives of two factors in the derivative of their product, divided by the factorial
/// of the degree.
template <int degree>
constexpr auto leibniz_weights() {
  std::array<double, degree + 1> weights{};
  for (int i = 0; i <= degree; ++i) weights[i] = binomial(degree, i) / factorial(degree);
  return weights;
}

/// Taylor coefficient of degree j of the product of two series.
template <std::size_t size>
double product_coefficient(const std::array<Vec<3>, size>& a, const std::array<Vec<3>, size>& b, int j) {
  double sum = 0.0;
  for (int i = 0; i <= j; ++i) {
    sum += a[i].dot(b[j - i]);
  }
  return sum;
}

/// Bound of the remainder: the eighth derivative by Leibniz' rule over 8!, rounded up.
template <std::size_t size>
double remainder_bound(double rate_norm, const std::array<double, size>& bounds) {
  constexpr int degree = static_cast<int>(size) - 1;
  static constexpr auto leibniz = leibniz_weights<degree>();
  double remainder = 0.0, power = 1.0;
  for (std::size_t i = 0; i <= degree; ++i) {
    remainder += leibniz[i] * power * bounds[degree - i];
    power *= rate_norm;
  }
  return remainder * (1.0 + 1e-12);
}

}  // namespace

template <int dim>
TurningPair<dim>::TurningPair(const SurfacePath& path, const PrimitivePair& pair)
    : num_first_(pair.num_first), num_vertices_(pair.num_vertices()) {
  double rate = 0.0;  // of both bodies together
  for (int i = 0; i < num_vertices_; ++i) {
    Vertex& vertex = vertices_[i];
    const int index = pair.vertices[i];
    // On a screw the vertex turns about the moving centre; on a straight line it is the centre.
    const Screw* const screw = path.screw_at(index);
    const Vec<3> start = in_space<dim>(block<dim>(path.x_t0, index));
    vertex.turn = screw != nullptr ? screw->turn : Vec<3>::Zero();
    vertex.center = screw != nullptr ? in_space<dim>(screw->center.head<dim>()) : start;
    vertex.arm = start - vertex.center;
    vertex.velocity = screw != nullptr ? in_space<dim>(screw->shift.head<dim>())
                                       : Vec<3>(in_space<dim>(block<dim>(path.x_t1, index)) - start);
    vertex.swing = vertex.turn.cross(vertex.arm).norm();
    if (i == 0 || i == pair.num_first) rate += vertex.turn.norm();
  }
  total_rate_ = rate;
  set_corners();
}

template <int dim>
void TurningPair<dim>::set_corners() {
  // The corners are in the order of the outline, as in ccd/relative_motion.h.
  constexpr std::array<std::array<int, 2>, 4> edges = {{{0, 2}, {1, 2}, {1, 3}, {0, 3}}};
  num_used_corners_ = num_first_ == 1 ? num_vertices_ - 1 : 4;
  for (int k = 0; k < num_used_corners_; ++k) {
    Corner& corner = corners_[k];
    corner.first = num_first_ == 1 ? 0 : edges[k][0];
    corner.second = num_first_ == 1 ? k + 1 : edges[k][1];
  }
}

template <int dim>
void TurningPair<dim>::expand(double time, const Mat<3>& rotation, Vertex& vertex) {
  // The Taylor coefficient of degree j of the turning arm is [turn]^j arm / j!; the centre adds a linear part.
  Vec<3> term = rotation * vertex.arm;
  vertex.position[0] = vertex.center + time * vertex.velocity + term;
  for (int j = 1; j < degree; ++j) {
    term = vertex.turn.cross(term) / j;
    vertex.position[j] = term;
  }
  vertex.position[1] += vertex.velocity;
}

/// Expands a corner, and bounds its derivatives, from its vertices.
template <int dim>
void TurningPair<dim>::expand(Corner& corner) const {
  const Vertex &a = vertices_[corner.first], &b = vertices_[corner.second];
  // The corner is the difference of two vertices, and so are its Taylor coefficients.
  for (std::size_t j = 0; j < degree; ++j) corner.position[j] = a.position[j] - b.position[j];
  // From the second derivative on only what turns has any.
  double power_a = a.swing, power_b = b.swing;
  corner.bounds[1] = (a.velocity - b.velocity).norm() + a.swing + b.swing;
  for (std::size_t j = 2; j <= degree; ++j) {
    power_a *= a.turn.norm();
    power_b *= b.turn.norm();
    corner.bounds[j] = power_a + power_b;
  }
  // The position itself is bounded by its norm now and the largest speed over the longest piece.
  corner.bounds[0] = corner.position[0].norm() + std::min(longest_piece(0.0), 1.0) * corner.bounds[1];
}

template <int dim>
void TurningPair<dim>::set_time(double time) {
  Mat<3> rotation;
  for (int i = 0; i < num_vertices_; ++i) {
    Vertex& vertex = vertices_[i];
    if (i == 0 || i == num_first_) rotation = rotation_from_vector(time * vertex.turn);
    expand(time, rotation, vertex);
  }
  for (int k = 0; k < num_used_corners_; ++k) expand(corners_[k]);
  find_direction();
  choose_rates();
}

template <int dim>
void TurningPair<dim>::find_direction() {
  const auto find = [&](auto count) {
    std::array<Vec<dim>, count()> corners;
    for (std::size_t k = 0; k < corners.size(); ++k) corners[k] = corners_[k].position[0].template head<dim>();
    const SeparatingDirection<dim> best = find_separating_direction<dim, count()>(corners);
    n_ = in_space<dim>(best.n);
    separation_ = best.separation;
  };
  if (num_used_corners_ == 1) {
    // Two points are separated best along their line.
    separation_ = corners_[0].position[0].norm();
    n_ = corners_[0].position[0] / separation_;
  } else if (num_used_corners_ == 2) {
    find(std::integral_constant<int, 2>());
  } else if constexpr (dim == 3) {
    if (num_used_corners_ == 3) {
      find(std::integral_constant<int, 3>());
    } else {
      find(std::integral_constant<int, 4>());
    }
  }
}

template <int dim>
void TurningPair<dim>::add_rate(const Vec<3>& rate) {
  for (int i = 0; i < num_rates_; ++i) {
    if (rates_[i] == rate) return;
  }
  rates_[num_rates_++] = rate;
}

/// Chooses the rates that are tried: those of the bodies, zero, and for two edges the rate that keeps n at a right
/// angle with both of them. There n' = rate x n with n' . e = -n . (turn x e) for each edge e, which are two equations
/// for the part of the rate across n.
template <int dim>
void TurningPair<dim>::choose_rates() {
  num_rates_ = 0;
  const Vertex &a = vertices_[0], &b = vertices_[num_first_];
  add_rate(b.turn);
  add_rate(a.turn);
  add_rate(Vec<3>::Zero());
  if constexpr (dim == 3) {
    if (num_first_ != 2) return;
    const Vec<3> across_a = n_.cross(vertices_[1].position[0] - a.position[0]).normalized(),
                 across_b = n_.cross(vertices_[3].position[0] - b.position[0]).normalized();
    const double cosine = across_a.dot(across_b), determinant = 1.0 - cosine * cosine;
    if (!(determinant > 1e-12)) return;
    const double of_a = across_a.dot(a.turn), of_b = across_b.dot(b.turn);
    const Vec<3> rate = ((of_a - cosine * of_b) * across_a + (of_b - cosine * of_a) * across_b) / determinant;
    if (rate.allFinite()) add_rate(rate);
  }
}

/// Expands n(t) . r_k(t) - threshold for all corners, with n turning at `rate`; the last coefficient is the remainder.
template <int dim>
auto TurningPair<dim>::separation_terms(const Vec<3>& rate, double threshold) const -> CornerTerms {
  // The Taylor coefficients of the turning direction are n_j = [rate]^j n / j!.
  Series n;
  n[0] = n_;
  for (int j = 1; j < degree; ++j) {
    n[j] = rate.cross(n[j - 1]) / j;
  }
  const double rate_norm = rate.norm();
  CornerTerms terms;
  for (int k = 0; k < num_used_corners_; ++k) {
    const Corner& corner = corners_[k];
    Coefficients& term = terms[k];
    for (int j = 0; j < degree; ++j) term[j] = product_coefficient(n, corner.position, j);
    term[degree] = -remainder_bound(rate_norm, corner.bounds);
    // The rounding of the products and sums of the terms is at most 34 units of their bound; 64 are subtracted.
    term[0] -= threshold * (1.0 + 8.0 * unit_roundoff) + 64.0 * unit_roundoff * corner.bounds[0];
  }
  return terms;
}

/// Returns the part of [0, 1] in which a polynomial is certainly positive, at most `part`; 0 if it does not start so.
template <int dim>
double TurningPair<dim>::positive_part(const Coefficients& scaled, double part) {
  static constexpr auto weights = control_weights<degree>();
  if (!(scaled[0] > 0.0)) return 0.0;
  // The polynomial is in the convex hull of its control points (i / degree, control[i]). The hull becomes negative
  // on an edge from a point that is not negative to a later one that is.
  Coefficients control;
  for (int j = 0; j <= degree; ++j) {
    double& at_j = control[j];
    at_j = scaled[0];
    for (int l = 1; l <= j; ++l) {
      at_j += weights[j][l] * scaled[l];
    }
    if (!(at_j < 0.0)) continue;
    for (int i = 0; i < j; ++i) {
      const double at_i = control[i];
      if (at_i >= 0.0) part = std::min(part, (i + (j - i) * (at_i / (at_i - at_j))) / degree);
    }
  }
  return part;
}

/// Returns the part of a piece that is certified.
template <int dim>
double TurningPair<dim>::certified_part(const CornerTerms& terms, double piece) const {
  double part = 1.0;
  for (int k = 0; k < num_used_corners_; ++k) {
    // Substitution of t = piece s turns the piece into the interval [0, 1].
    Coefficients scaled = terms[k];
    double power = 1.0;
    for (double& term : scaled) {
      term *= power;
      power *= piece;
    }
    part = positive_part(scaled, part);
    if (part == 0.0) return 0.0;
  }
  return part < 1.0 ? part * (1.0 - 16.0 * unit_roundoff) : 1.0;
}

template <int dim>
double TurningPair<dim>::length_along(const Vec<3>& rate, double threshold, double longest) const {
  const CornerTerms terms = separation_terms(rate, threshold);
  // A long piece underestimates the certified length, by orders of magnitude; the largest one lies between that
  // estimate and the piece. Bisection in the logarithm approaches it.
  double piece = std::min(longest, longest_piece(rate.norm()));
  double best = certified_part(terms, piece) * piece, too_long = piece;
  for (int i = 0; i < 8 && best > 0.0 && 2.0 * best < too_long; ++i) {
    piece = std::sqrt(best * too_long);
    const double length = certified_part(terms, piece) * piece;
    if (length < piece) too_long = piece;
    best = std::max(best, length);
  }
  return best;
}

template <int dim>
double TurningPair<dim>::certified_length(double threshold, double longest) {
  const double whole = std::min(longest, longest_piece(0.0));
  double best = 0.0;
  // The rate that was best the last time often certifies the longest possible piece, so it is tried first.
  preferred_ = std::min(preferred_, num_rates_ - 1);
  const int first = preferred_;
  for (int i = 0; i < num_rates_ && best < whole; ++i) {
    const int at = i == 0 ? first : i <= first ? i - 1 : i;
    const double length = length_along(rates_[at], threshold, longest);
    if (!(length > best)) continue;
    best = length;
    preferred_ = at;
  }
  return best;
}

template class TurningPair<2>;
template class TurningPair<3>;

}  // namespace clearance
