#include "clearance/verify/curved_element.h"

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "clearance/geometry/lagrange.h"

namespace clearance::verify {
namespace {

using Integer = std::int64_t;

constexpr int max_degree = 3 * (max_order - 1);

constexpr double roundoff = 0x1p-53;

/// `dim` halvings halve all edges, so that parts have 2^-30 of the element's size.
constexpr int max_depth_per_dim = 30;
/// At most so many parts are looked at: 0.2 s in all for a tetrahedron of order 4 that stays undecided.
constexpr int max_parts = 16384, max_exact_parts = 4096;

/// Sizes for which nothing overflows in doubles, and what underflows is far below the bounds of rounding.
constexpr double smallest_trusted = 1e-80, largest_trusted = 1e80;

constexpr Integer factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
constexpr Integer power(Integer base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

void add_multiple(mpz_class& sum, Integer factor, const mpz_class& a) {
  if (factor < 0) {
    mpz_submul_ui(sum.get_mpz_t(), a.get_mpz_t(), static_cast<unsigned long>(-factor));
  } else {
    mpz_addmul_ui(sum.get_mpz_t(), a.get_mpz_t(), static_cast<unsigned long>(factor));
  }
}
void add_multiple(double& sum, Integer factor, double a) {
  sum += static_cast<double>(factor) * a;
}

/// The exponents e_0 + ... + e_dim = degree. Each is a point with barycentrics e / degree, and a Bernstein polynomial.
class Lattice {
 public:
  using Line = std::vector<std::size_t>;

  Lattice(int dim, int degree) : dim_(dim) {
    for (int e3 = 0; e3 <= (dim == 3 ? degree : 0); ++e3) {
      for (int e2 = 0; e2 <= degree - e3; ++e2) {
        for (int e1 = 0; e1 <= degree - e3 - e2; ++e1) {
          const NodeIndex e = {degree - e1 - e2 - e3, e1, e2, e3};
          place_of(e) = exponents_.size();
          exponents_.push_back(e);
        }
      }
    }
    for (int axis = 1; axis <= dim; ++axis) {
      for (const NodeIndex& e : exponents_) {
        if (e[axis] == 0) lines_[axis].push_back(line_from(e, 0, axis));
      }
    }
  }

  std::size_t size() const { return exponents_.size(); }
  const std::vector<NodeIndex>& exponents() const { return exponents_; }
  std::size_t place(const NodeIndex& e) const { return places_[e[1]][e[2]][e[3]]; }
  /// Returns the places of e, e - from + to, e - 2 from + 2 to, ... down to 0 at `from`.
  Line line_from(NodeIndex e, std::size_t from, std::size_t to) const {
    Line line = {place(e)};
    while (e[from] > 0) {
      --e[from];
      ++e[to];
      line.push_back(place(e));
    }
    return line;
  }
  /// Returns all lines along which e_axis = 0, 1, 2, ... at the cost of e_0, for axis 1 to dim.
  const std::vector<Line>& lines(int axis) const { return lines_[axis]; }
  int dim() const { return dim_; }

 private:
  std::size_t& place_of(const NodeIndex& e) { return places_[e[1]][e[2]][e[3]]; }

  int dim_;
  std::vector<NodeIndex> exponents_;
  std::size_t places_[max_degree + 1][max_degree + 1][max_degree + 1] = {};
  std::array<std::vector<Line>, 4> lines_;
};

/// Numbers of n and k <= n.
struct NumberTriangle {
  Integer at[max_degree + 1][max_degree + 1] = {};
};
/// Makes the coefficients of (t + 1)^n = sum_k binomial(n, k) t^k.
constexpr NumberTriangle make_binomials() {
  NumberTriangle t;
  t.at[0][0] = 1;
  for (int n = 1; n <= max_degree; ++n) {
    for (int k = 0; k <= n; ++k) t.at[n][k] = t.at[n - 1][k] + (k > 0 ? t.at[n - 1][k - 1] : 0);
  }
  return t;
}
/// Makes the coefficients of t (t - 1) ... (t - n + 1) = sum_k stirling(n, k) t^k.
constexpr NumberTriangle make_stirling_numbers() {
  NumberTriangle t;
  t.at[0][0] = 1;
  for (int n = 1; n <= max_degree; ++n) {
    for (int k = 0; k <= n; ++k) t.at[n][k] = -(n - 1) * t.at[n - 1][k] + (k > 0 ? t.at[n - 1][k - 1] : 0);
  }
  return t;
}
/// Makes n (n - 1) ... (n - k + 1).
constexpr NumberTriangle make_falling_factorials() {
  NumberTriangle t;
  for (int n = 0; n <= max_degree; ++n) {
    for (int k = 0; k <= n; ++k) t.at[n][k] = factorial(n) / factorial(n - k);
  }
  return t;
}
constexpr NumberTriangle binomials = make_binomials(), stirling_numbers = make_stirling_numbers(),
                         falling_factorials = make_falling_factorials();

/// Values at the points of the lattice to Bernstein coefficients times (degree!)^2, in place and exactly.
void make_coefficients(const Lattice& lattice, int degree, std::vector<mpz_class>& c) {
  const auto for_each_line = [&](const auto& change) {
    for (int axis = 1; axis <= lattice.dim(); ++axis) {
      for (const Lattice::Line& line : lattice.lines(axis)) change(line);
    }
  };
  const auto scale = [&](const auto& factor) {
    for (std::size_t i = 0; i < lattice.size(); ++i) c[i] *= static_cast<long>(factor(lattice.exponents()[i]));
  };
  // With t = degree l, f is sum_a d_a prod_i binomial(t_i, a_i), i = 1 ... dim, where d_a are the forward differences
  // at t = 0.
  for_each_line([&](const Lattice::Line& line) {
    for (std::size_t times = 1; times < line.size(); ++times) {
      for (std::size_t s = line.size() - 1; s >= times; --s) c[line[s]] -= c[line[s - 1]];
    }
  });
  // Coefficients of t^k times degree!: binomial(t, a) = t (t - 1) ... (t - a + 1) / a!.
  scale([&](const NodeIndex& a) { return factorial(degree) / (factorial(a[1]) * factorial(a[2]) * factorial(a[3])); });
  for_each_line([&](const Lattice::Line& line) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      mpz_class sum;
      for (std::size_t a = k; a < line.size(); ++a) add_multiple(sum, stirling_numbers.at[a][k], c[line[a]]);
      c[line[k]] = sum;
    }
  });
  // l^k is sum_e prod_i (e_i)_(k_i) / (degree)_(|k|) B_e, with falling factorials (n)_k = n! / (n - k)!.
  scale([&](const NodeIndex& k) { return power(degree, degree - k[0]) * factorial(k[0]); });
  for_each_line([&](const Lattice::Line& line) {
    for (std::size_t e = line.size(); e-- > 0;) {
      mpz_class sum;
      for (std::size_t k = 0; k <= e; ++k) add_multiple(sum, falling_factorials.at[e][k], c[line[k]]);
      c[line[e]] = sum;
    }
  });
}

/// Tables shared by all elements of one order.
struct Tables {
  int dim, order, degree;
  std::size_t num_nodes;
  Lattice lattice;  ///< of `degree`
  /// An entry [point][node][i] is d/dxi_i of the node's shape function at the point, times order! (degree)^(order - 1).
  std::vector<Integer> gradients;
  std::vector<double> coefficients_of_value;  ///< Bernstein coefficients of 1 at one point, 0 at others: [point][coef.]
  double largest_gradient_sum = 0.0;          ///< over the nodes, of absolute values
  double largest_coefficient_sum = 0.0;       ///< over the points, of absolute values
  /// Moving corner i to the middle of i and j needs, for each exponent e, the places of e - k i + k j, k = 0 ... e_i.
  std::vector<std::size_t> moves[4][4];

  Tables(int dim_, int order_);

 private:
  void add_gradients(const NodeIndex& point);
  void add_coefficients();
};

Tables::Tables(int dim_, int order_)
    : dim(dim_),
      order(order_),
      degree(dim * (order - 1)),
      num_nodes(num_lagrange_nodes(dim, order)),
      lattice(dim, degree) {
  for (const NodeIndex& point : lattice.exponents()) add_gradients(point);
  add_coefficients();
  const std::size_t num_corners = dim + 1;
  for (std::size_t i = 0; i < num_corners; ++i) {
    for (std::size_t j = 0; j < num_corners; ++j) {
      if (i == j) continue;
      for (const NodeIndex& e : lattice.exponents()) {
        const Lattice::Line line = lattice.line_from(e, i, j);
        moves[i][j].insert(moves[i][j].end(), line.begin(), line.end());
      }
    }
  }
}

/// The shape function of a node with index n is prod_j prod_(k < n_j) (order l_j - k) / (n_j - k). Here l = e / degree:
/// every factor is an integer over degree (n_j - k).
void Tables::add_gradients(const NodeIndex& point) {
  const std::size_t num_corners = dim + 1;
  std::array<double, 3> sums{};
  for (const NodeIndex& node : lagrange_nodes(dim, order)) {
    std::array<Integer, 4> by_corner{};
    for (std::size_t i = 0; i < num_corners; ++i) {
      // Product rule over the factors of corner i; the other corners' factors stay.
      for (int omitted = 0; omitted < node[i]; ++omitted) {
        Integer product = order * factorial(order);
        for (std::size_t j = 0; j < num_corners; ++j) {
          product /= factorial(node[j]);
          for (int k = 0; k < node[j]; ++k) {
            if (j != i || k != omitted) product *= order * point[j] - k * degree;
          }
        }
        by_corner[i] += product;
      }
    }
    // l_0 is 1 - sum xi_i.
    for (std::size_t i = 1; i < num_corners; ++i) {
      gradients.push_back(by_corner[i] - by_corner[0]);
      sums[i - 1] += std::abs(static_cast<double>(gradients.back()));
    }
  }
  largest_gradient_sum = std::max({largest_gradient_sum, sums[0], sums[1], sums[2]});
}

void Tables::add_coefficients() {
  const mpz_class divisor = mpz_class(static_cast<long>(factorial(degree))) * static_cast<long>(factorial(degree));
  std::vector<double> sums(lattice.size());
  for (std::size_t point = 0; point < lattice.size(); ++point) {
    std::vector<mpz_class> c(lattice.size());
    c[point] = 1;
    make_coefficients(lattice, degree, c);
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      mpq_class coefficient(c[i], divisor);
      coefficient.canonicalize();
      coefficients_of_value.push_back(coefficient.get_d());
      sums[i] += std::abs(coefficients_of_value.back());
    }
  }
  largest_coefficient_sum = *std::max_element(sums.begin(), sums.end());
}

const Tables& tables_of(int dim, int order) {
  static std::array<std::once_flag, 2 * max_order> once;
  static std::array<std::unique_ptr<const Tables>, 2 * max_order> tables;
  const std::size_t i = (dim - 2) * max_order + order - 1;
  std::call_once(once[i], [&] { tables[i] = std::make_unique<const Tables>(dim, order); });
  return *tables[i];
}

template <class T>
using Matrix = std::array<std::array<T, 3>, 3>;  ///< [row: coordinate][column: derivative]

template <class T>
T determinant(int dim, const Matrix<T>& m) {
  if (dim == 2) return m[0][0] * m[1][1] - m[0][1] * m[1][0];
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// Returns the scaled Jacobian at one point, from nodes relative to the first one.
template <class T>
Matrix<T> jacobian(const Tables& tables, std::size_t point, const std::vector<T>& x) {
  const std::size_t dim = tables.dim;
  Matrix<T> m{};
  const Integer* gradient = tables.gradients.data() + (point * tables.num_nodes + 1) * dim;
  for (std::size_t a = 1; a < tables.num_nodes; ++a, gradient += dim) {
    for (std::size_t k = 0; k < dim; ++k) {
      for (std::size_t i = 0; i < dim; ++i) add_multiple(m[k][i], gradient[i], x[a * dim + k]);
    }
  }
  return m;
}

// --- parts of the element ---

enum class Verdict { valid, invalid, unknown };

/// The volume function on a part. Parts are halved as in J. Maubach, "Local bisection refinement for n-simplicial
/// grids" (SIAM J. Sci. Comput. 16, 1995): between the first corner and corner number `tag` of a list; their shapes
/// stay good.
template <class T>
struct Part {
  std::vector<T> c;  ///< Bernstein coefficients, times a factor that all parts of one depth share
  std::array<std::size_t, 4> corners = {0, 1, 2, 3};
  std::size_t tag = 0;  ///< 1 ... dim
  int depth = 0;
  std::size_t lowest = 0;  ///< place of the smallest coefficient
};

/// Makes a sum of binomials a mean: over 2^n, and in integers over 2^(n - degree).
void make_mean(double& sum, int n, int /*degree*/) {
  sum /= static_cast<double>(1 << n);
}
void make_mean(mpz_class& sum, int n, int degree) {
  sum <<= static_cast<unsigned long>(degree - n);
}

/// Returns the part with corner i moved to the middle m of i and j. A coefficient is the blossom of e_0 times corner 0,
/// ...; with m for i it is the mean over all ways to take i or j: sum_k binomial(e_i, k) c_(e - k i + k j) / 2^e_i.
template <class T>
std::vector<T> move_corner(const Tables& tables, const std::vector<T>& c, std::size_t i, std::size_t j) {
  std::vector<T> moved(c.size());
  const std::size_t* place = tables.moves[i][j].data();
  for (std::size_t e = 0; e < c.size(); ++e) {
    const int n = tables.lattice.exponents()[e][i];
    for (int k = 0; k <= n; ++k) add_multiple(moved[e], binomials.at[n][k], c[*place++]);
    make_mean(moved[e], n, tables.degree);
  }
  return moved;
}

template <class T>
std::array<Part<T>, 2> halve(const Tables& tables, const Part<T>& part) {
  const std::size_t i = part.corners[0], j = part.corners[part.tag];
  std::array<Part<T>, 2> halves;
  for (Part<T>& half : halves) {
    half.corners = part.corners;
    half.tag = part.tag > 1 ? part.tag - 1 : tables.dim;
    half.depth = part.depth + 1;
  }
  halves[0].c = move_corner(tables, part.c, j, i);
  halves[1].c = move_corner(tables, part.c, i, j);
  const auto first = halves[1].corners.begin();
  std::rotate(first, first + 1, first + static_cast<std::ptrdiff_t>(part.tag) + 1);
  return halves;
}

/// Verdict on a part alone, and whether halving it may tell more.
struct PartVerdict {
  Verdict verdict = Verdict::unknown;
  bool may_tell = true;
};
/// Coefficients are off by at most `error`.
template <class T>
PartVerdict examine(const Tables& tables, Part<T>& part, const T& error) {
  part.lowest = std::min_element(part.c.begin(), part.c.end()) - part.c.begin();
  if (part.c[part.lowest] > error) return {Verdict::valid, false};
  for (int corner = 0; corner <= tables.dim; ++corner) {
    NodeIndex e{};
    e[corner] = tables.degree;
    const T& value = part.c[tables.lattice.place(e)];
    if (value <= -error) return {Verdict::invalid, false};
    // A corner of a part is one of all its later parts.
    if (value <= error) return {Verdict::unknown, false};
  }
  return {Verdict::unknown, part.depth < max_depth_per_dim * tables.dim};
}

/// Halves parts, the lower half first, until each is positive, one is not, or the limits are reached.
template <class T>
Verdict search_parts(const Tables& tables, std::vector<T> c, const T& error, int num_allowed) {
  std::vector<Part<T>> open(1);
  open[0].c = std::move(c);
  open[0].tag = tables.dim;
  const PartVerdict whole = examine(tables, open[0], error);
  if (!whole.may_tell) return whole.verdict;
  for (int num_parts = 1; !open.empty(); num_parts += 2) {
    if (num_parts >= num_allowed) return Verdict::unknown;
    std::array<Part<T>, 2> halves = halve(tables, open.back());
    open.pop_back();
    std::array<bool, 2> is_open{};
    for (std::size_t h = 0; h < 2; ++h) {
      const PartVerdict answer = examine(tables, halves[h], error);
      is_open[h] = answer.may_tell;
      if (answer.verdict != Verdict::valid && !answer.may_tell) return answer.verdict;
    }
    if (halves[0].c[halves[0].lowest] < halves[1].c[halves[1].lowest]) {
      std::swap(halves[0], halves[1]);
      std::swap(is_open[0], is_open[1]);
    }
    for (std::size_t h = 0; h < 2; ++h) {
      if (is_open[h]) open.push_back(std::move(halves[h]));
    }
  }
  return Verdict::valid;
}

// --- in doubles ---

/// Coefficients that are off by at most `error`. Each halving takes weighted means: degree + 1 u of the largest one.
Verdict search_in_doubles(const Tables& tables, std::vector<double> c, double error) {
  double largest = error;
  for (const double coefficient : c) largest = std::max(largest, std::abs(coefficient) + error);
  const double halving_error = max_depth_per_dim * tables.dim * (tables.degree + 2) * roundoff * largest;
  return search_parts(tables, std::move(c), 1.01 * (error + halving_error), max_parts);
}

/// With u = 2^-53, n nodes, N coefficients and, per coordinate k, |x_a - x_0| <= s_k:
/// - entries of the Jacobian matrix: 1 u for the difference, 1 u for the product with the (exact) gradient, n - 1 u for
///   the sum: entry_error_k = (n + 2) u g s_k, g the largest absolute sum of gradients;
/// - determinants: at most prod_k r_k, r_k the largest absolute sum of row k. Replacing rows one after another by the
///   rounded ones changes them by at most sum_k dim entry_error_k prod_(j != k) r_j; their own evaluation takes 5 u of
///   the permanent, which is below prod_k r_k;
/// - coefficients: 2 u for the table, 1 u for the product, N - 1 u for the sum: (N + 2) u m times the largest value, m
///   the largest absolute sum of a row of the table, plus m times the error of the values.
/// One more u everywhere, and one percent in the end, are for products of these and for rounding of the bound itself.
Verdict check_in_doubles(const Tables& tables, std::span<const double> x) {
  const std::size_t dim = tables.dim;
  const std::size_t size = tables.lattice.size();
  std::vector<double> differences(x.size());
  std::array<double, 3> extent{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    differences[i] = x[i] - x[i % dim];
    extent[i % dim] = std::max(extent[i % dim], std::abs(differences[i]));
  }
  std::array<double, 3> entry_error{}, row_sum{};
  for (std::size_t k = 0; k < dim; ++k) {
    if (!(extent[k] >= smallest_trusted && extent[k] <= largest_trusted)) return Verdict::unknown;
    entry_error[k] = static_cast<double>(tables.num_nodes + 3) * roundoff * tables.largest_gradient_sum * extent[k];
  }

  // Values, their coefficients, and how large everything is.
  double largest_value = 0.0;
  std::vector<double> c(size);
  for (std::size_t point = 0; point < size; ++point) {
    const Matrix<double> m = jacobian(tables, point, differences);
    for (std::size_t k = 0; k < dim; ++k) {
      row_sum[k] = std::max(row_sum[k], std::abs(m[k][0]) + std::abs(m[k][1]) + std::abs(m[k][2]));
    }
    const double value = determinant(tables.dim, m);
    largest_value = std::max(largest_value, std::abs(value));
    const double* coefficients = tables.coefficients_of_value.data() + point * size;
    for (std::size_t i = 0; i < size; ++i) c[i] += value * coefficients[i];
  }

  double product = 1.0, changes = 0.0;
  for (std::size_t k = 0; k < dim; ++k) {
    const double row_error = static_cast<double>(dim) * entry_error[k], row = row_sum[k] + row_error;
    changes = changes * row + product * row_error;
    product *= row;
  }
  const double value_error = changes + 6 * roundoff * product;
  const double coefficient_error =
      tables.largest_coefficient_sum * (value_error + static_cast<double>(size + 3) * roundoff * largest_value);
  return search_in_doubles(tables, std::move(c), coefficient_error);
}

// --- in integers ---

/// Nodes relative to the first one, times a power of two per coordinate.
std::vector<mpz_class> make_differences(std::size_t dim, std::span<const double> x) {
  std::vector<mpz_class> differences(x.size());
  for (std::size_t k = 0; k < dim; ++k) {
    int lowest = std::numeric_limits<int>::max(), exponent = 0;
    for (std::size_t i = k; i < x.size(); i += dim) {
      if (x[i] == 0) continue;
      std::frexp(x[i], &exponent);
      lowest = std::min(lowest, exponent);
    }
    for (std::size_t i = k; i < x.size(); i += dim) {
      if (x[i] == 0) continue;
      differences[i] = std::ldexp(std::frexp(x[i], &exponent), 53);
      differences[i] <<= static_cast<unsigned long>(exponent - lowest);
    }
    for (std::size_t i = x.size() - dim + k; i > k; i -= dim) differences[i] -= differences[k];
    differences[k] = 0;
  }
  return differences;
}

/// Times a power of two that makes the largest one about 1; cut off below 2^-52 of themselves, which is 2 u.
std::vector<double> to_doubles(const std::vector<mpz_class>& c) {
  std::vector<double> mantissas;
  std::vector<long> exponents;
  long largest = 0;
  for (const mpz_class& coefficient : c) {
    mantissas.push_back(mpz_get_d_2exp(&exponents.emplace_back(), coefficient.get_mpz_t()));
    largest = std::max(largest, exponents.back());
  }
  for (std::size_t i = 0; i < c.size(); ++i) {
    mantissas[i] = std::ldexp(mantissas[i], static_cast<int>(exponents[i] - largest));
  }
  return mantissas;
}

Verdict check_in_integers(const Tables& tables, std::span<const double> x) {
  const std::vector<mpz_class> differences = make_differences(tables.dim, x);
  std::vector<mpz_class> c;
  for (std::size_t point = 0; point < tables.lattice.size(); ++point) {
    c.push_back(determinant(tables.dim, jacobian(tables, point, differences)));
  }
  make_coefficients(tables.lattice, tables.degree, c);
  // Most of the rounding is in the steps so far: doubles may decide again.
  const Verdict verdict = search_in_doubles(tables, to_doubles(c), 3 * roundoff);
  return verdict != Verdict::unknown ? verdict : search_parts(tables, std::move(c), mpz_class(0), max_exact_parts);
}

}  // namespace

bool is_valid_everywhere(int dim, std::span<const double> x) {
  const int order = order_of_nodes(dim, x.size() / dim);
  if (order == 0 || x.size() % dim != 0) return false;
  if (!std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); })) return false;
  const Tables& tables = tables_of(dim, order);
  Verdict verdict = check_in_doubles(tables, x);
  if (verdict == Verdict::unknown) verdict = check_in_integers(tables, x);
  return verdict == Verdict::valid;
}

}  // namespace clearance::verify
