// Polynomials over simplices in Bernstein form, and the volume function det dx/dxi of Lagrange elements, for doubles,
// lanes and integers. curved_volume.h and volume_coefficients.h are built on it.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "clearance/geometry/lagrange.h"
#include "clearance/math/lanes.h"

namespace clearance::bernstein {

// --- polynomials over a simplex: coefficients of the exponents of the barycentric coordinates ---

/// Returns the index of an exponent among those of its degree. The exponent of l_1 runs fastest, that of l_3 slowest.
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

/// The pairs of coefficients whose products contribute to each coefficient of the product of two polynomials of degrees
/// m and n.
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
/// Adds a b - c d to `sum`.
template <class T>
CLEARANCE_INLINE void add_minor(T& sum, const T& a, const T& b, const T& c, const T& d) {
  sum += a * b - c * d;
}
template <class T>
CLEARANCE_INLINE void add_dot(T& sum, const T (&a)[3], const T (&b)[3]) {
  sum += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// Replaces `a` by the mean of both in doubles, but by their sum in integers: integer coefficients of degree k are 2^k
/// times the mean.
template <class T>
CLEARANCE_INLINE void average(T& a, const T& b) {
  a = T(0.5) * (a + b);
}
template <class T>
CLEARANCE_INLINE const T& scaled_up(const T& a, int /*bits*/) {
  return a;
}

inline void add_multiple(mpz_class& sum, double factor, const mpz_class& a) {
  const auto size = static_cast<unsigned long>(std::abs(factor));
  if (factor < 0) {
    mpz_submul_ui(sum.get_mpz_t(), a.get_mpz_t(), size);
  } else {
    mpz_addmul_ui(sum.get_mpz_t(), a.get_mpz_t(), size);
  }
}
inline void add_minor(mpz_class& sum, const mpz_class& a, const mpz_class& b, const mpz_class& c, const mpz_class& d) {
  mpz_addmul(sum.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  mpz_submul(sum.get_mpz_t(), c.get_mpz_t(), d.get_mpz_t());
}
inline void add_dot(mpz_class& sum, const mpz_class (&a)[3], const mpz_class (&b)[3]) {
  for (int k = 0; k < 3; ++k) mpz_addmul(sum.get_mpz_t(), a[k].get_mpz_t(), b[k].get_mpz_t());
}
inline void average(mpz_class& a, const mpz_class& b) {
  a += b;
}
inline mpz_class scaled_up(const mpz_class& a, int bits) {
  return a << static_cast<unsigned long>(bits);
}

// --- from nodes to Bernstein control points ---

/// The matrix A = scale * (map from Lagrange nodes to control points of the same order). Its entries are integers.
template <int dim, int order>
struct ControlTable {
  static constexpr int size = num_lagrange_nodes(dim, order);
  struct Entry {
    double factor;
    int node;
  };
  int scale = 1;
  int largest_row_sum = 0;   ///< largest sum of the absolute values of a row
  int largest_row_size = 0;  ///< largest number of entries of a row
  std::array<int, size + 1> begin{};
  std::vector<Entry> entries;

  ControlTable();
};

/// Returns the Lagrange function of a node, times the factorials of its index, in monomials of the barycentric
/// coordinates. It is the product of the factors order l_i - k (l_0 + ... + l_dim), k < index_i.
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

/// The volume function of an element. It is computed from the columns, the control points of dx/dxi_i in units of
/// `scale` of ControlTable / order.
template <int dim, int order>
struct VolumeFunction {
  static constexpr int num_nodes = num_lagrange_nodes(dim, order);
  static constexpr int column_size = num_lagrange_nodes(dim, order - 1);
  static constexpr int degree = dim * (order - 1);
  static constexpr int size = num_lagrange_nodes(dim, degree);

  template <class T>
  using Columns = T[dim][column_size][dim];
  template <class T>
  using Differences = T[num_nodes][dim];

  /// The index of e + (one at corner i) among the exponents of degree `order`, for each e of one degree less.
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

  /// Computes the Bernstein coefficients of the determinant, times degree!. Overwrites the columns: their coefficients
  /// are multiplied by the multinomials of their exponents, so that products of polynomials need no further factors.
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

  /// Returns the unit of the volume: det dx/dxi = volume_unit() times the result of make_volume.
  static double volume_unit() {
    double unit = 1.0 / factorial(degree);
    for (int i = 0; i < dim; ++i) unit *= static_cast<double>(order) / control_table<dim, order>().scale;
    return unit;
  }

  /// Computes differences from the first node. Returns false if one is not finite.
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
};

// --- subdivision ---

constexpr int edge_corners[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};
constexpr int edge_of(int i, int j) {
  return i < j ? j * (j - 1) / 2 + i : i * (i - 1) / 2 + j;
}

/// For each edge (i, j), the rows of coefficients that differ only in the exponents of i and j, by descending length.
/// Within a row the exponent of j ascends.
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

/// Squared edge lengths of a regular simplex with unit edges, or of a part of it.
template <int dim>
struct EdgeLengths {
  static constexpr int num_edges = dim * (dim + 1) / 2;
  double sq[num_edges];

  EdgeLengths() { std::fill_n(sq, num_edges, 1.0); }
  /// Returns the longest edge, which is the one to be halved.
  int longest() const { return static_cast<int>(std::max_element(sq, sq + num_edges) - sq); }
  /// Returns the edge lengths of both halves: first the half with the first corner of the edge, then the one with the
  /// second.
  std::array<EdgeLengths, 2> halves() const {
    const int edge = longest(), i = edge_corners[edge][0], j = edge_corners[edge][1];
    std::array<EdgeLengths, 2> parts = {*this, *this};
    // Edges from the midpoint to corner k have the length of a median.
    for (int k = 0; k <= dim; ++k) {
      if (k == i || k == j) continue;
      const double median_sq = 0.5 * (sq[edge_of(i, k)] + sq[edge_of(j, k)]) - 0.25 * sq[edge];
      parts[0].sq[edge_of(j, k)] = parts[1].sq[edge_of(i, k)] = median_sq;
    }
    parts[0].sq[edge] = parts[1].sq[edge] = 0.25 * sq[edge];
    return parts;
  }
};

/// Computes the coefficients of the two halves of a simplex that is cut at the midpoint of an edge (de Casteljau).
template <int dim, int degree, class T>
void halve(const T* whole, int edge, T* first, T* second) {
  const RowTable<dim, degree>& table = row_table<dim, degree>;
  const std::uint8_t* at = table.at[edge];
  for (const int length : table.length) {
    T row[degree + 1];
    for (int m = 0; m < length; ++m) row[m] = whole[at[m]];
    for (int k = 0; k < length; ++k) {
      first[at[k]] = scaled_up(row[0], degree - k);
      second[at[length - 1 - k]] = scaled_up(row[length - 1 - k], degree - k);
      for (int m = 0; m + 1 < length - k; ++m) average(row[m], row[m + 1]);
    }
    at += length;
  }
}

/// Adds the transpose of `halve`: it turns derivatives with respect to the coefficients of the halves into derivatives
/// with respect to the coefficients of the whole.
template <int dim, int degree>
void add_transposed_halves(const double* first, const double* second, int edge, double* whole) {
  const RowTable<dim, degree>& table = row_table<dim, degree>;
  const std::uint8_t* at = table.at[edge];
  for (const int length : table.length) {
    double row[degree + 1] = {};
    for (int k = length - 1; k >= 0; --k) {
      // The forward step has averaged entries 0 to length - k - 2 from entries up to length - k - 1.
      for (int m = length - k - 1; m > 0; --m) row[m] = 0.5 * ((m < length - k - 1 ? row[m] : 0.0) + row[m - 1]);
      row[0] = length - k - 1 > 0 ? 0.5 * row[0] : 0.0;
      row[0] += first[at[k]];
      row[length - 1 - k] += second[at[length - 1 - k]];
    }
    for (int m = 0; m < length; ++m) whole[at[m]] += row[m];
    at += length;
  }
}

}  // namespace clearance::bernstein
