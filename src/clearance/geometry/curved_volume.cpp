#include "clearance/geometry/curved_volume.h"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "clearance/base/contract.h"
#include "clearance/geometry/lagrange.h"
#include "clearance/math/lanes.h"

namespace clearance {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr double unbounded = std::numeric_limits<double>::infinity();

/// A simplex is halved at most so often (16 times in every direction) ...
constexpr int max_depth = 48;
/// ... into at most so many pieces: 10 ms for a tetrahedron of order 4; fewer in integers.
constexpr int max_pieces = 8192, max_exact_pieces = 1024;

/// Sizes of elements that the rounding bounds are made for: nothing overflows, and what underflows is far below them.
constexpr double smallest_size = 1e-90, largest_size = 1e90;

/// Longest relative motion of an element's nodes in one step, in sizes of the element (as in bound_step).
constexpr double max_motion = 16.0;

// --- polynomials over a simplex: coefficients of the exponents of the barycentric coordinates ---

/// The place of an exponent among those of its degree: that of l_1 runs fastest, that of l_3 slowest.
constexpr int position(int degree, const NodeIndex& exponent) {
  int at = exponent[1];
  for (int k = 0; k < exponent[3]; ++k) at += (degree - k + 1) * (degree - k + 2) / 2;
  for (int k = 0; k < exponent[2]; ++k) at += degree - exponent[3] - k + 1;
  return at;
}

template <int dim, int degree>
constexpr auto make_exponents() {
  std::array<NodeIndex, num_lagrange_nodes(dim, degree)> exponents{};
  int at = 0;
  for (int k = 0; k <= (dim == 3 ? degree : 0); ++k) {
    for (int j = 0; j <= degree - k; ++j) {
      for (int i = 0; i <= degree - k - j; ++i) exponents[at++] = {degree - i - j - k, i, j, k};
    }
  }
  return exponents;
}
template <int dim, int degree>
inline constexpr auto exponents_of = make_exponents<dim, degree>();

constexpr int factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}
constexpr int factorials(const NodeIndex& exponent) {
  return factorial(exponent[0]) * factorial(exponent[1]) * factorial(exponent[2]) * factorial(exponent[3]);
}

/// The pairs of coefficients whose products make each coefficient of the product of polynomials of two degrees.
template <int dim, int m, int n>
struct ProductTable {
  static constexpr int size = num_lagrange_nodes(dim, m + n);
  static constexpr int num_pairs = num_lagrange_nodes(dim, m) * num_lagrange_nodes(dim, n);
  std::uint16_t begin[size + 1] = {};
  std::uint8_t left[num_pairs] = {}, right[num_pairs] = {};

  constexpr ProductTable() {
    int at = 0;
    for (int c = 0; c < size; ++c) {
      const NodeIndex& sum = exponents_of<dim, m + n>[c];
      for (int a = 0; a < num_lagrange_nodes(dim, m); ++a) {
        const NodeIndex& part = exponents_of<dim, m>[a];
        const NodeIndex rest = {sum[0] - part[0], sum[1] - part[1], sum[2] - part[2], sum[3] - part[3]};
        if (rest[0] < 0 || rest[1] < 0 || rest[2] < 0 || rest[3] < 0) continue;
        left[at] = static_cast<std::uint8_t>(a);
        right[at++] = static_cast<std::uint8_t>(position(n, rest));
      }
      begin[c + 1] = static_cast<std::uint16_t>(at);
    }
  }
};
template <int dim, int m, int n>
inline constexpr ProductTable<dim, m, n> product_table{};

// --- arithmetic in doubles, lanes and integers ---

template <class T>
CLEARANCE_INLINE void add_multiple(T& sum, double factor, const T& a) {
  sum += T(factor) * a;
}
/// sum += a b - c d
template <class T>
CLEARANCE_INLINE void add_minor(T& sum, const T& a, const T& b, const T& c, const T& d) {
  sum += a * b - c * d;
}
template <class T>
CLEARANCE_INLINE void add_dot(T& sum, const T (&a)[3], const T (&b)[3]) {
  sum += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// A mean in doubles; in integers a sum: those of degree k are 2^k times the mean.
template <class T>
CLEARANCE_INLINE void average(T& a, const T& b) {
  a = T(0.5) * (a + b);
}
template <class T>
CLEARANCE_INLINE const T& scaled_up(const T& a, int /*bits*/) {
  return a;
}

void add_multiple(mpz_class& sum, double factor, const mpz_class& a) {
  const auto size = static_cast<unsigned long>(std::abs(factor));
  if (factor < 0) {
    mpz_submul_ui(sum.get_mpz_t(), a.get_mpz_t(), size);
  } else {
    mpz_addmul_ui(sum.get_mpz_t(), a.get_mpz_t(), size);
  }
}
void add_minor(mpz_class& sum, const mpz_class& a, const mpz_class& b, const mpz_class& c, const mpz_class& d) {
  mpz_addmul(sum.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  mpz_submul(sum.get_mpz_t(), c.get_mpz_t(), d.get_mpz_t());
}
void add_dot(mpz_class& sum, const mpz_class (&a)[3], const mpz_class (&b)[3]) {
  for (int k = 0; k < 3; ++k) mpz_addmul(sum.get_mpz_t(), a[k].get_mpz_t(), b[k].get_mpz_t());
}
void average(mpz_class& a, const mpz_class& b) {
  a += b;
}
mpz_class scaled_up(const mpz_class& a, int bits) {
  return a << static_cast<unsigned long>(bits);
}

// --- from nodes to Bernstein control points ---

/// A times x with A = scale * (Lagrange nodes to control points of the same order), which is a matrix of integers.
template <int dim, int order>
struct ControlTable {
  static constexpr int size = num_lagrange_nodes(dim, order);
  struct Entry {
    double factor;
    int node;
  };
  int scale = 1;
  int largest_row_sum = 0;   ///< of absolute values
  int largest_row_size = 0;  ///< number of entries
  std::array<int, size + 1> begin{};
  std::vector<Entry> entries;

  ControlTable();
};

/// The Lagrange function of a node, times the factorials of its index, in monomials of the barycentric coordinates: the
/// product of the factors order l_i - k (l_0 + ... + l_dim), k < index_i.
template <int dim>
std::vector<int> lagrange_monomials(int order, const NodeIndex& index) {
  const auto exponents = [&](int degree) {
    std::vector<NodeIndex> all(num_lagrange_nodes(dim, degree));
    for (const NodeIndex& e : lagrange_nodes(dim, std::max(degree, 1))) {
      if (degree > 0) all[position(degree, e)] = e;
    }
    return all;
  };
  std::vector<int> product = {1};
  int degree = 0;
  for (int i = 0; i <= dim; ++i) {
    for (int k = 0; k < index[i]; ++k, ++degree) {
      std::vector<int> next(num_lagrange_nodes(dim, degree + 1), 0);
      const std::vector<NodeIndex> of_degree = exponents(degree);
      for (std::size_t c = 0; c < product.size(); ++c) {
        for (int j = 0; j <= dim; ++j) {
          NodeIndex raised = of_degree[c];
          ++raised[j];
          next[position(degree + 1, raised)] += ((j == i ? order : 0) - k) * product[c];
        }
      }
      product = std::move(next);
    }
  }
  return product;
}

template <int dim, int order>
ControlTable<dim, order>::ControlTable() {
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
  // A monomial l^e is e! / order! times the Bernstein polynomial of e.
  std::vector<int> matrix(size * size);
  scale = factorial(order) * factorial(order);
  int divisor = scale;
  for (int a = 0; a < size; ++a) {
    const NodeIndex& index = nodes[a];
    const std::vector<int> monomials = lagrange_monomials<dim>(order, index);
    for (int c = 0; c < size; ++c) {
      const NodeIndex& exponent = exponents_of<dim, order>[c];
      int& entry = matrix[c * size + a];
      entry = monomials[c] * factorials(exponent) * (factorial(order) / factorials(index));
      divisor = std::gcd(divisor, entry);
    }
  }
  scale /= divisor;
  for (int c = 0; c < size; ++c) {
    int sum = 0, count = 0;
    for (int a = 0; a < size; ++a) {
      const int factor = matrix[c * size + a] / divisor;
      if (factor == 0) continue;
      entries.push_back({static_cast<double>(factor), a});
      sum += std::abs(factor);
      ++count;
    }
    begin[c + 1] = static_cast<int>(entries.size());
    largest_row_sum = std::max(largest_row_sum, sum);
    largest_row_size = std::max(largest_row_size, count);
  }
}

template <int dim, int order>
const ControlTable<dim, order>& control_table() {
  static const ControlTable<dim, order> table;
  return table;
}

// --- the volume function ---

/// Sizes of numbers and bounds of their errors, per coordinate.
template <int dim>
struct Sizes {
  double size[dim] = {};
  double error[dim] = {};
};

/// What volume functions come from: the control points of dx/dxi_i, in units of `scale` of ControlTable / order.
template <int dim, int order>
struct CurvedElement {
  static constexpr int num_nodes = num_lagrange_nodes(dim, order);
  static constexpr int column_size = num_lagrange_nodes(dim, order - 1);
  static constexpr int degree = dim * (order - 1);
  static constexpr int size = num_lagrange_nodes(dim, degree);

  template <class T>
  using Columns = T[dim][column_size][dim];
  template <class T>
  using Differences = T[num_nodes][dim];

  /// The place of e + (one at corner i) among the exponents of degree `order`, for each e of one degree less.
  struct RaisedTable {
    std::uint8_t at[dim + 1][column_size] = {};
    constexpr RaisedTable() {
      for (int i = 0; i <= dim; ++i) {
        for (int c = 0; c < column_size; ++c) {
          NodeIndex raised = exponents_of<dim, order - 1>[c];
          ++raised[i];
          at[i][c] = static_cast<std::uint8_t>(position(order, raised));
        }
      }
    }
  };
  static constexpr RaisedTable raised{};

  template <class T>
  static void make_columns(const Differences<T>& x, Columns<T>& columns) {
    const ControlTable<dim, order>& table = control_table<dim, order>();
    Differences<T> control;
    for (int c = 0; c < num_nodes; ++c) {
      T sum[dim];
      for (T& s : sum) s = T(0.0);
      for (int e = table.begin[c]; e < table.begin[c + 1]; ++e) {
        const auto& entry = table.entries[e];
        for (int k = 0; k < dim; ++k) add_multiple(sum[k], entry.factor, x[entry.node][k]);
      }
      for (int k = 0; k < dim; ++k) control[c][k] = sum[k];
    }
    for (int i = 0; i < dim; ++i) {
      for (int c = 0; c < column_size; ++c) {
        for (int k = 0; k < dim; ++k) {
          columns[i][c][k] = control[raised.at[i + 1][c]][k] - control[raised.at[0][c]][k];
        }
      }
    }
  }

  /// Bernstein coefficients of the determinant, times degree!; columns are changed. Products of polynomials are plain
  /// where coefficients carry the multinomial of their exponent.
  template <class T>
  static void make_volume(Columns<T>& columns, T* volume) {
    constexpr int n = order - 1;
    for (auto& column : columns) {
      for (int c = 0; c < column_size; ++c) {
        const T weight(static_cast<double>(factorial(n) / factorials(exponents_of<dim, n>[c])));
        for (T& entry : column[c]) entry *= weight;
      }
    }
    const auto factor = [](int c) { return T(static_cast<double>(factorials(exponents_of<dim, degree>[c]))); };
    constexpr const ProductTable<dim, n, n>& first = product_table<dim, n, n>;
    if constexpr (dim == 2) {
      for (int c = 0; c < size; ++c) {
        T sum(0.0);
        for (int p = first.begin[c]; p < first.begin[c + 1]; ++p) {
          const T(&a)[2] = columns[0][first.left[p]];
          const T(&b)[2] = columns[1][first.right[p]];
          add_minor(sum, a[0], b[1], a[1], b[0]);
        }
        volume[c] = sum * factor(c);
      }
    } else {
      constexpr int cross_size = num_lagrange_nodes(3, 2 * n);
      T cross[cross_size][3];
      for (int c = 0; c < cross_size; ++c) {
        T x(0.0), y(0.0), z(0.0);
        for (int p = first.begin[c]; p < first.begin[c + 1]; ++p) {
          const T(&a)[3] = columns[0][first.left[p]];
          const T(&b)[3] = columns[1][first.right[p]];
          add_minor(x, a[1], b[2], a[2], b[1]);
          add_minor(y, a[2], b[0], a[0], b[2]);
          add_minor(z, a[0], b[1], a[1], b[0]);
        }
        cross[c][0] = x;
        cross[c][1] = y;
        cross[c][2] = z;
      }
      constexpr const ProductTable<3, 2 * n, n>& second = product_table<3, 2 * n, n>;
      for (int c = 0; c < size; ++c) {
        T sum(0.0);
        for (int p = second.begin[c]; p < second.begin[c + 1]; ++p) {
          add_dot(sum, cross[second.left[p]], columns[2][second.right[p]]);
        }
        volume[c] = sum * factor(c);
      }
    }
  }

  /// det dx/dxi = volume_unit() times what make_volume returns.
  static double volume_unit() {
    double unit = 1.0 / factorial(degree);
    for (int i = 0; i < dim; ++i) unit *= static_cast<double>(order) / control_table<dim, order>().scale;
    return unit;
  }

  /// Differences to the first node. False if one is not finite.
  static bool subtract_first(const double* x, Differences<double>& differences) {
    double zero = 0.0;
    for (int a = 0; a < num_nodes; ++a) {
      for (int k = 0; k < dim; ++k) {
        differences[a][k] = x[a * dim + k] - x[k];
        zero += 0.0 * differences[a][k];
      }
    }
    return zero == 0.0;
  }

  template <int n>
  static void find_sizes(const double (&entries)[n][dim], double (&sizes)[dim]) {
    for (const auto& entry : entries) {
      for (int k = 0; k < dim; ++k) sizes[k] = std::max(sizes[k], std::abs(entry[k]));
    }
  }

  /// The columns with their largest entries. Errors are per unit u of rounding: a difference of nodes carries u, its
  /// product with an (exact) entry of the table another, sums of n of them n - 1, the difference of two control points
  /// one more. With |x_a - x_0| <= s and rows of absolute sum m that is 2 m s (n + 2) u; one more u for terms in u^2.
  static Sizes<dim> make_columns_with_sizes(const Differences<double>& x, const double (&extent)[dim],
                                            Columns<double>& columns) {
    make_columns(x, columns);
    Sizes<dim> sizes;
    for (const auto& column : columns) find_sizes(column, sizes.size);
    const ControlTable<dim, order>& table = control_table<dim, order>();
    for (int k = 0; k < dim; ++k) {
      sizes.error[k] = 2.0 * table.largest_row_sum * (table.largest_row_size + 3) * unit_roundoff * extent[k];
      sizes.size[k] += sizes.error[k];
    }
    return sizes;
  }

  /// A bound of the volume coefficients of columns of these sizes, and of their errors.
  ///
  /// A coefficient is a mean of determinants of control points, dim! products of one entry per coordinate each: at most
  /// V = degree! dim! prod size_k. Errors of the entries change it by at most V sum error_k / size_k (sizes include the
  /// errors). Rounding: a product of three weighted entries carries 3 u from weights, 2 u from products, 1 u from the
  /// minor, 2 u from the dot product, 2 N u from sums over at most N = column_size pairs in two stages, 1 u from the
  /// last factor: 9 + 2 N, and one more for terms in u^2.
  struct VolumeBound {
    double size, error;
  };
  static VolumeBound bound_volume(const Sizes<dim>& sizes) {
    constexpr double num_products = static_cast<double>(factorial(degree)) * factorial(dim);
    double product = num_products, changes = 0.0;
    for (int k = 0; k < dim; ++k) {
      changes = changes * sizes.size[k] + product * sizes.error[k];
      product *= sizes.size[k];
    }
    constexpr double roundings = (10 + 2 * column_size) * unit_roundoff;
    return {product, 1.001 * (changes + roundings * product)};
  }
  /// Halving a simplex averages every coefficient at most `degree` times: u of rounding each.
  static constexpr double subdivision_error = 1.001 * max_depth * degree * unit_roundoff;

  /// Volume coefficients in doubles, with their bound; false beyond the sizes that the bound is made for.
  static bool compute_volume(const double* x, double* volume, VolumeBound& bound) {
    Differences<double> differences;
    if (!subtract_first(x, differences)) return false;
    double extent[dim] = {};
    find_sizes(differences, extent);
    for (const double s : extent) {
      if (!(s >= smallest_size && s <= largest_size)) return false;
    }
    Columns<double> columns;
    const Sizes<dim> sizes = make_columns_with_sizes(differences, extent, columns);
    make_volume(columns, volume);
    bound = bound_volume(sizes);
    bound.error += subdivision_error * bound.size;
    return true;
  }

  static void compute_volume_exactly(const double* x, mpz_class* volume);
  static bool is_valid(const double* x);
  static bool is_valid_exactly(const double* x);
  static std::array<double, 2> volume_bounds(const double* x, double tolerance);
  static double find_feasible_part(const Columns<double>& at, const Columns<double>& motion, const Sizes<dim>& sizes,
                                   double length);
  static double find_certified_step(const double* x, const double* dx);
  static double max_feasible_step(const double* x, const double* dx);
};

/// Integers, up to a positive factor per coordinate.
template <int dim, int order>
void CurvedElement<dim, order>::compute_volume_exactly(const double* x, mpz_class* volume) {
  constexpr int digits = std::numeric_limits<double>::digits;
  Differences<mpz_class> differences;
  for (int k = 0; k < dim; ++k) {
    int lowest = std::numeric_limits<double>::max_exponent, exponent = 0;
    for (int a = 0; a < num_nodes; ++a) {
      if (x[a * dim + k] == 0.0) continue;
      std::frexp(x[a * dim + k], &exponent);
      lowest = std::min(lowest, exponent);
    }
    for (int a = 0; a < num_nodes; ++a) {
      const double mantissa = std::frexp(x[a * dim + k], &exponent);
      differences[a][k] = std::ldexp(mantissa, digits);
      if (mantissa != 0.0) differences[a][k] <<= static_cast<unsigned long>(exponent - lowest);
    }
    for (int a = num_nodes - 1; a >= 0; --a) differences[a][k] -= differences[0][k];
  }
  Columns<mpz_class> columns;
  make_columns(differences, columns);
  make_volume(columns, volume);
}

// --- subdivision ---

/// A polynomial over a part of the simplex.
template <int dim, int degree_, class T>
struct Piece {
  static constexpr int degree = degree_;
  static constexpr int size = num_lagrange_nodes(dim, degree);
  static constexpr int num_edges = dim * (dim + 1) / 2;
  T c[size];
  /// In a regular reference simplex.
  double edge_length_sq[num_edges];
  int depth = 0;
  double low = 0.0;  ///< a lower bound of what is searched for

  Piece() { std::fill_n(edge_length_sq, num_edges, 1.0); }
};

constexpr int edge_corners[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};
constexpr int edge_of(int i, int j) {
  return i < j ? j * (j - 1) / 2 + i : i * (i - 1) / 2 + j;
}

/// For each edge (i, j) the rows of coefficients that differ in the exponents of i and j only, by descending length;
/// within a row that of j ascends.
template <int dim, int degree>
struct RowTable {
  static constexpr int size = num_lagrange_nodes(dim, degree), num_edges = dim * (dim + 1) / 2;
  static constexpr int num_rows = num_lagrange_nodes(dim - 1, degree);
  std::uint8_t length[num_rows] = {};
  std::uint8_t at[num_edges][size] = {};

  constexpr RowTable() {
    for (int edge = 0; edge < num_edges; ++edge) {
      const int i = edge_corners[edge][0], j = edge_corners[edge][1];
      int others[2] = {}, num_others = 0;
      for (int corner = 0; corner <= dim; ++corner) {
        if (corner != i && corner != j) others[num_others++] = corner;
      }
      int row = 0, next = 0;
      for (int n = degree; n >= 0; --n) {
        for (int k = 0; k <= (dim == 3 ? degree - n : 0); ++k, ++row) {
          length[row] = static_cast<std::uint8_t>(n + 1);
          for (int m = 0; m <= n; ++m) {
            NodeIndex exponent{};
            exponent[i] = n - m;
            exponent[j] = m;
            exponent[others[0]] = degree - n - k;
            if (dim == 3) exponent[others[1]] = k;
            at[edge][next++] = static_cast<std::uint8_t>(position(degree, exponent));
          }
        }
      }
    }
  }
};
template <int dim, int degree>
inline constexpr RowTable<dim, degree> row_table{};

/// Halves a piece at the middle of its longest edge (de Casteljau).
template <int dim, int degree, class T>
void bisect(const Piece<dim, degree, T>& piece, Piece<dim, degree, T>& first, Piece<dim, degree, T>& second) {
  constexpr int num_edges = Piece<dim, degree, T>::num_edges;
  const double* lengths = piece.edge_length_sq;
  const auto edge = static_cast<int>(std::max_element(lengths, lengths + num_edges) - lengths);
  const RowTable<dim, degree>& table = row_table<dim, degree>;
  const std::uint8_t* at = table.at[edge];
  for (const int length : table.length) {
    T row[degree + 1];
    for (int m = 0; m < length; ++m) row[m] = piece.c[at[m]];
    for (int k = 0; k < length; ++k) {
      first.c[at[k]] = scaled_up(row[0], degree - k);
      second.c[at[length - 1 - k]] = scaled_up(row[length - 1 - k], degree - k);
      for (int m = 0; m + 1 < length - k; ++m) average(row[m], row[m + 1]);
    }
    at += length;
  }

  // Edges from the middle to corner k have the length of a median.
  const int i = edge_corners[edge][0], j = edge_corners[edge][1];
  std::copy_n(lengths, num_edges, first.edge_length_sq);
  std::copy_n(lengths, num_edges, second.edge_length_sq);
  for (int k = 0; k <= dim; ++k) {
    if (k == i || k == j) continue;
    const double median_sq = 0.5 * (lengths[edge_of(i, k)] + lengths[edge_of(j, k)]) - 0.25 * lengths[edge];
    first.edge_length_sq[edge_of(j, k)] = second.edge_length_sq[edge_of(i, k)] = median_sq;
  }
  first.edge_length_sq[edge] = second.edge_length_sq[edge] = 0.25 * lengths[edge];
  first.depth = second.depth = piece.depth + 1;
}

/// Places of the coefficients of corners, which are values.
template <int dim, int degree>
constexpr std::array<int, dim + 1> corner_positions() {
  std::array<int, dim + 1> positions{};
  for (int corner = 0; corner <= dim; ++corner) {
    NodeIndex exponent{};
    exponent[corner] = degree;
    positions[corner] = position(degree, exponent);
  }
  return positions;
}

/// Bounds of the smallest of something over the simplex.
struct Search {
  double low = unbounded;   ///< over all pieces that need no more halving, or get none
  double high = unbounded;  ///< taken on
};

/// Halves pieces, those with the lowest bounds first. bound(piece, search) sets the lower bound of a piece and lowers
/// that which is taken on; is_enough(piece.low, search) ends the halving of a piece, must_stop(search) everything.
template <class Piece, class Bound, class IsEnough, class MustStop>
Search search_pieces(Piece root, int num_allowed, const Bound& bound, const IsEnough& is_enough,
                     const MustStop& must_stop) {
  Search search;
  bound(root, search);
  std::vector<Piece> open;
  open.reserve(max_depth + 2);
  open.push_back(std::move(root));
  int num_pieces = 1;
  while (!open.empty() && !must_stop(search)) {
    const Piece piece = std::move(open.back());
    open.pop_back();
    if (is_enough(piece.low, search) || piece.depth == max_depth || num_pieces >= num_allowed) {
      search.low = std::min(search.low, piece.low);
      continue;
    }
    num_pieces += 2;
    open.resize(open.size() + 2);
    Piece &first = open[open.size() - 2], &second = open.back();
    bisect(piece, first, second);
    bound(first, search);
    bound(second, search);
    if (first.low < second.low) std::swap(first, second);
  }
  return search;
}

// --- at rest ---

template <int dim, int order>
bool CurvedElement<dim, order>::is_valid(const double* x) {
  Piece<dim, degree, double> root;
  VolumeBound computed;
  if (!compute_volume(x, root.c, computed)) return is_valid_exactly(x);
  const double error = computed.error;
  if (std::all_of(root.c, root.c + size, [&](double c) { return c > error; })) return true;

  const Search search = search_pieces(
      root, max_pieces,
      [&](Piece<dim, degree, double>& piece, Search& found) {
        piece.low = *std::min_element(piece.c, piece.c + size) - error;
        for (const int corner : corner_positions<dim, degree>()) found.high = std::min(found.high, piece.c[corner]);
      },
      [](double low, const Search&) { return low > 0.0; },
      [&](const Search& found) { return found.low <= 0.0 || found.high <= error; });
  const bool is_unclear = search.high >= -error && search.high <= error;
  if (is_unclear) return is_valid_exactly(x);
  return search.high > 0.0 && search.low > 0.0;
}

template <int dim, int order>
bool CurvedElement<dim, order>::is_valid_exactly(const double* x) {
  if (!std::all_of(x, x + num_nodes * dim, [](double value) { return std::isfinite(value); })) return false;
  Piece<dim, degree, mpz_class> root;
  compute_volume_exactly(x, root.c);
  // Signs are all that is asked for.
  const Search search = search_pieces(
      std::move(root), max_exact_pieces,
      [](Piece<dim, degree, mpz_class>& piece, Search& found) {
        piece.low = 1.0;
        for (const mpz_class& c : piece.c) piece.low = std::min(piece.low, static_cast<double>(sgn(c)));
        for (const int corner : corner_positions<dim, degree>()) {
          found.high = std::min(found.high, static_cast<double>(sgn(piece.c[corner])));
        }
      },
      [](double low, const Search&) { return low > 0.0; },
      [](const Search& found) { return found.low <= 0.0 || found.high <= 0.0; });
  return search.high > 0.0 && search.low > 0.0;
}

template <int dim, int order>
std::array<double, 2> CurvedElement<dim, order>::volume_bounds(const double* x, double tolerance) {
  Piece<dim, degree, double> root;
  VolumeBound computed;
  if (!compute_volume(x, root.c, computed)) return {-unbounded, unbounded};
  double largest = 0.0;
  for (const double c : root.c) largest = std::max(largest, std::abs(c));
  const double gap = tolerance * largest;
  const auto find_smallest = [&] {
    return search_pieces(
               root, max_pieces,
               [](Piece<dim, degree, double>& piece, Search& found) {
                 piece.low = *std::min_element(piece.c, piece.c + size);
                 for (const int corner : corner_positions<dim, degree>()) {
                   found.high = std::min(found.high, piece.c[corner]);
                 }
               },
               [&](double low, const Search& found) { return low >= found.high - gap; },
               [](const Search&) { return false; })
               .low -
           computed.error;
  };
  // The unit carries dim + 1 roundings, its product with the bound two more.
  const double unit = volume_unit() / factorial(dim);
  const auto in_units = [&](double bound) {
    const double value = bound * unit;
    return value - 8 * unit_roundoff * std::abs(value) - std::numeric_limits<double>::min();
  };
  const double smallest = in_units(find_smallest());
  for (double& c : root.c) c = -c;
  return {smallest, -in_units(find_smallest())};
}

// --- along a step ---

/// c_0 + c_1 a + c_2 a^2 + c_3 a^3 (lane j: c_j) is above `error` on [0, width]: its Bernstein coefficients are.
CLEARANCE_INLINE bool is_positive_on(const Lanes& c, double width, double error) {
  const double t0 = c[0] - error, t1 = c[1] * width, t2 = c[2] * width * width, t3 = c[3] * width * width * width;
  return t0 > 0 && t0 + t1 * (1.0 / 3.0) > 0 && t0 + (2 * t1 + t2) * (1.0 / 3.0) > 0 && t0 + t1 + t2 + t3 > 0;
}

/// The part in [0, 1] of length * motion within which volumes stay above kept_volume_fraction of those at its start.
/// `sizes` are of both columns: |at| + length |motion|, with all errors before those of the sum.
template <int dim, int order>
double CurvedElement<dim, order>::find_feasible_part(const Columns<double>& at, const Columns<double>& motion,
                                                     const Sizes<dim>& sizes, double length) {
  // Lanes: the start, the middle, the end, and the motion alone, whose determinant is the leading coefficient in a.
  Columns<Lanes> columns;
  for (int i = 0; i < dim; ++i) {
    for (int c = 0; c < column_size; ++c) {
      for (int k = 0; k < dim; ++k) {
        const double start = at[i][c][k], move = length * motion[i][c][k];
        columns[i][c][k] = Lanes(Lanes::Vector{start, start + 0.5 * move, start + move, move});
      }
    }
  }
  Piece<dim, degree, Lanes> root;
  make_volume(columns, root.c);

  // Errors, with E that of a lane and V its bound: the coefficients of powers of a below are sums with absolute factors
  // 0.8, 8.5, 9.5 and 1, so that values of the polynomial are wrong by at most 20 E, and by less than 1000 u V from
  // these sums, the evaluations in is_positive_on and find_positive_prefix, and the rounding of alpha and of its
  // product with the length (a motion by u changes the volume by no more than 31 u V). Halving adds its part of each.
  const VolumeBound lane = bound_volume(sizes);
  const double error = 20.0 * lane.error + (1000.0 * unit_roundoff + 20.0 * subdivision_error) * lane.size;
  bool is_safe = true;
  for (Lanes& c : root.c) {
    const double f0 = c[0], fh = c[1], f1 = c[2], leading = c[3], kept = (1.0 - kept_volume_fraction) * f0;
    if constexpr (dim == 2) {
      c = Lanes(Lanes::Vector{kept, (f1 - f0) - leading, leading, 0.0});
    } else {
      const double linear = 4.0 * fh - f1 - 3.0 * f0 + 0.5 * leading;
      const double quadratic = 2.0 * (f0 + f1) - 4.0 * fh - 1.5 * leading;
      c = Lanes(Lanes::Vector{kept, linear, quadratic, leading});
    }
    is_safe &= is_positive_on(c, 1.0, error);
  }
  if (is_safe) return 1.0;

  const auto shorten = [&](double part, const Lanes& c) {
    if (is_positive_on(c, part, error)) return part;
    return std::min(part, find_positive_prefix({c[0] - error, c[1], c[2], c[3]}));
  };
  // Corners tell how far the element can move at most; pieces are halved until they certify the same. Prefixes are
  // accurate to 1e-3, which the gap must exceed.
  constexpr double gap = 2e-3;
  const Search search = search_pieces(
      root, max_pieces,
      [&](Piece<dim, degree, Lanes>& piece, Search& found) {
        found.high = std::min(found.high, 1.0);
        for (const int corner : corner_positions<dim, degree>()) found.high = shorten(found.high, piece.c[corner]);
        piece.low = found.high;
        for (const Lanes& c : piece.c) piece.low = shorten(piece.low, c);
      },
      [](double low, const Search& found) { return low >= (1.0 - gap) * found.high; },
      [](const Search& found) { return found.low <= 0.0; });
  return std::min(search.low, search.high);
}

/// Without the rounding of x + alpha dx.
template <int dim, int order>
double CurvedElement<dim, order>::find_certified_step(const double* x, const double* dx) {
  Differences<double> edges, moves;
  if (!subtract_first(x, edges) || !subtract_first(dx, moves)) return 0.0;
  double extent[dim] = {}, motion_extent[dim] = {};
  find_sizes(edges, extent);
  find_sizes(moves, motion_extent);
  for (int k = 0; k < dim; ++k) {
    if (!(extent[k] >= smallest_size && extent[k] <= largest_size && motion_extent[k] <= largest_size)) return 0.0;
  }
  Columns<double> at, motion;
  const Sizes<dim> sizes_at = make_columns_with_sizes(edges, extent, at);
  const Sizes<dim> sizes_of_motion = make_columns_with_sizes(moves, motion_extent, motion);

  const double element_size = *std::max_element(extent, extent + dim);
  const double motion_size = *std::max_element(motion_extent, motion_extent + dim);
  double length = motion_size > max_motion * element_size ? max_motion * element_size / motion_size : 1.0;
  double alpha = 0.0;
  // Rounding grows with the cube of the motion: what allows little of it is looked at again on a shorter one.
  while (true) {
    Sizes<dim> sizes;
    for (int k = 0; k < dim; ++k) {
      const double sum = sizes_at.size[k] + length * sizes_of_motion.size[k];
      // The product with the length and the sum are rounded.
      sizes.error[k] = sizes_at.error[k] + length * sizes_of_motion.error[k] + 3 * unit_roundoff * sum;
      sizes.size[k] = (1.0 + 4 * unit_roundoff) * sum;
    }
    const double part = find_feasible_part(at, motion, sizes, length);
    alpha = std::max(alpha, length * part);
    if (part >= 1.0 / 64.0 || length * motion_size <= 1e-6 * element_size) return alpha;
    length *= std::max(8.0 * part, 1.0 / 64.0);
  }
}

template <int dim, int order>
double CurvedElement<dim, order>::max_feasible_step(const double* x, const double* dx) {
  double alpha = find_certified_step(x, dx);
  // The polynomial does not know the rounding of x + alpha dx; the exact verdict does.
  constexpr int max_halvings = 64;
  double trial[num_nodes * dim];
  for (int halving = 0; halving < max_halvings && alpha > 0.0; ++halving, alpha *= 0.5) {
    for (int i = 0; i < num_nodes * dim; ++i) trial[i] = x[i] + alpha * dx[i];
    if (is_valid(trial)) return alpha;
  }
  return 0.0;
}

/// function(CurvedElement of the order)
template <int dim, class Function>
auto with_element(int order, const Function& function) {
  switch (order) {
    case 1:
      return function(CurvedElement<dim, 1>{});
    case 2:
      return function(CurvedElement<dim, 2>{});
    case 3:
      return function(CurvedElement<dim, 3>{});
    default:
      return function(CurvedElement<dim, 4>{});
  }
}

template <int dim>
bool has_size(std::span<const double> numbers, int order) {
  return numbers.size() == static_cast<std::size_t>(dim * num_lagrange_nodes(dim, order));
}

}  // namespace

template <int dim>
CurvedVolume<dim>::CurvedVolume(int order) : order_(order) {
  CLEARANCE_ASSERT(order >= 1 && order <= max_order);
}

template <int dim>
bool CurvedVolume<dim>::is_valid(std::span<const double> x) const {
  CLEARANCE_ASSERT(has_size<dim>(x, order_));
  return with_element<dim>(order_, [&](auto element) { return element.is_valid(x.data()); });
}

template <int dim>
std::array<double, 2> CurvedVolume<dim>::volume_bounds(std::span<const double> x, double tolerance) const {
  CLEARANCE_ASSERT(has_size<dim>(x, order_));
  return with_element<dim>(order_, [&](auto element) { return element.volume_bounds(x.data(), tolerance); });
}

template <int dim>
double CurvedVolume<dim>::max_feasible_step(std::span<const double> x, std::span<const double> dx) const {
  CLEARANCE_ASSERT(has_size<dim>(x, order_) && has_size<dim>(dx, order_));
  return with_element<dim>(order_, [&](auto element) { return element.max_feasible_step(x.data(), dx.data()); });
}

template class CurvedVolume<2>;
template class CurvedVolume<3>;

}  // namespace clearance
