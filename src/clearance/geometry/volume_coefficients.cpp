#include "clearance/geometry/volume_coefficients.h"

#include <algorithm>

#include "clearance/base/contract.h"
#include "clearance/geometry/bernstein_volume.h"
#include "clearance/math/types.h"

namespace clearance {
namespace {

using namespace bernstein;

/// The volume function of one element, and the polynomials that its derivatives consist of.
template <int dim, int order>
struct Element : VolumeFunction<dim, order> {
  using Base = VolumeFunction<dim, order>;
  using Base::column_size, Base::degree, Base::num_nodes, Base::size;
  static constexpr int n = order - 1;
  static constexpr int num_numbers = dim * num_nodes;
  static constexpr int cross_size = num_lagrange_nodes(dim, dim == 3 ? 2 * n : n);

  typename Base::template Columns<double> columns;  // coefficients times the multinomials of their exponents
  double cross[dim][cross_size][dim];  // in 3D: cross products of the two columns after each, as polynomials

  static double multinomial(int c) { return factorial(n) / factorials(exponents_of<dim, n>[c]); }
  static double weight(int c) { return factorials(exponents_of<dim, degree>[c]) * Base::volume_unit(); }

  template <class T>
  static void compute(const T* x, T* volume) {
    typename Base::template Differences<T> differences;
    for (int i = 0; i < num_numbers; ++i) differences[i / dim][i % dim] = x[i] - x[i % dim];
    typename Base::template Columns<T> columns;
    Base::make_columns(differences, columns);
    Base::make_volume(columns, volume);
    const double unit = Base::volume_unit();
    for (int c = 0; c < size; ++c) volume[c] *= T(unit);
  }

  explicit Element(const double* x) {
    typename Base::template Differences<double> differences;
    Base::subtract_first(x, differences);
    Base::make_columns(differences, columns);
    for (auto& column : columns) {
      for (int c = 0; c < column_size; ++c) {
        for (double& entry : column[c]) entry *= multinomial(c);
      }
    }
    if constexpr (dim == 3) {
      constexpr const ProductTable<dim, n, n>& table = product_table<dim, n, n>;
      for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < cross_size; ++c) {
          double(&sum)[3] = cross[i][c];
          std::fill_n(sum, 3, 0.0);
          for (int p = table.begin[c]; p < table.begin[c + 1]; ++p) {
            const double(&a)[3] = columns[(i + 1) % 3][table.left[p]];
            const double(&b)[3] = columns[(i + 2) % 3][table.right[p]];
            for (int k = 0; k < 3; ++k) sum[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
          }
        }
      }
    } else {
      // det = a x b: its derivative with respect to a is (b1, -b0), and with respect to b (-a1, a0).
      for (int c = 0; c < cross_size; ++c) {
        cross[0][c][0] = columns[1][c][1];
        cross[0][c][1] = -columns[1][c][0];
        cross[1][c][0] = -columns[0][c][1];
        cross[1][c][1] = columns[0][c][0];
      }
    }
  }

  /// Adds the gradient of the sum of weights times coefficients of the whole element.
  void add_gradient(const double* weights, double* gradient) const {
    double control[num_nodes][dim] = {};
    constexpr const auto &table = product_table < dim, dim == 3 ? 2 * n : n, n > ;
    for (int i = 0; i < dim; ++i) {
      double by_column[column_size][dim] = {};
      for (int c = 0; c < size; ++c) {
        const double factor = weights[c] * weight(c);
        if (factor == 0.0) continue;
        for (int p = table.begin[c]; p < table.begin[c + 1]; ++p) {
          for (int k = 0; k < dim; ++k) by_column[table.right[p]][k] += factor * cross[i][table.left[p]][k];
        }
      }
      for (int c = 0; c < column_size; ++c) {
        for (int k = 0; k < dim; ++k) {
          const double entry = multinomial(c) * by_column[c][k];
          control[Base::raised.at[i + 1][c]][k] += entry;
          control[Base::raised.at[0][c]][k] -= entry;
        }
      }
    }
    const ControlTable<dim, order>& to_control = control_table<dim, order>();
    for (int c = 0; c < num_nodes; ++c) {
      for (int e = to_control.begin[c]; e < to_control.begin[c + 1]; ++e) {
        const auto& entry = to_control.entries[e];
        if (entry.node == 0) continue;
        for (int k = 0; k < dim; ++k) {
          gradient[entry.node * dim + k] += entry.factor * control[c][k];
          gradient[k] -= entry.factor * control[c][k];  // differences refer to the first node
        }
      }
    }
  }

  template <class T>
  static bool is_at_least(const T* c, double limit) {
    return std::none_of(c, c + size, [&](const T& entry) { return any_lane(!(entry >= T(limit))); });
  }
  /// Appends the coefficients of the parts. `at` is the number of the whole; its halves have the numbers 2 at + 1 and 2
  /// at + 2.
  template <class T>
  static void subdivide(const T* whole, const EdgeLengths<dim>& edges, int depth, std::span<const double> enough,
                        std::size_t at, std::vector<T>& parts) {
    if (!enough.empty() && is_at_least(whole, enough[at])) {
      if (at > 0) parts.insert(parts.end(), static_cast<std::size_t>(size) << depth, T(infinity));
    } else if (depth == 0) {
      parts.insert(parts.end(), whole, whole + size);
    } else {
      T halves[2][size];
      halve<dim, degree>(whole, edges.longest(), halves[0], halves[1]);
      const std::array<EdgeLengths<dim>, 2> of_halves = edges.halves();
      for (std::size_t h = 0; h < 2; ++h) subdivide(halves[h], of_halves[h], depth - 1, enough, 2 * at + 1 + h, parts);
    }
  }
  /// Adds the transpose of `subdivide` to `whole`.
  static void gather(const double* parts, const EdgeLengths<dim>& edges, int depth, double* whole) {
    if (depth == 0) {
      for (int c = 0; c < size; ++c) whole[c] += parts[c];
      return;
    }
    double halves[2][size] = {};
    const std::array<EdgeLengths<dim>, 2> of_halves = edges.halves();
    for (int h = 0; h < 2; ++h) {
      gather(parts + (static_cast<std::ptrdiff_t>(h) << (depth - 1)) * size, of_halves[h], depth - 1, halves[h]);
    }
    add_transposed_halves<dim, degree>(halves[0], halves[1], edges.longest(), whole);
  }
  /// Does the same for the unit vector of one coefficient.
  static void gather_one(int which, const EdgeLengths<dim>& edges, int depth, double* whole) {
    if (depth == 0) {
      whole[which] += 1.0;
      return;
    }
    double halves[2][size] = {};
    const int in_half = size << (depth - 1), h = which / in_half;
    gather_one(which % in_half, edges.halves()[h], depth - 1, halves[h]);
    add_transposed_halves<dim, degree>(halves[0], halves[1], edges.longest(), whole);
  }
};

/// Calls function with a pointer to an Element of the order.
template <int dim, class Function>
auto with_order(int order, const Function& function) {
  switch (order) {
    case 1:
      return function(static_cast<Element<dim, 1>*>(nullptr));
    case 2:
      return function(static_cast<Element<dim, 2>*>(nullptr));
    case 3:
      return function(static_cast<Element<dim, 3>*>(nullptr));
    default:
      return function(static_cast<Element<dim, 4>*>(nullptr));
  }
}

}  // namespace

template <int dim>
VolumeCoefficients<dim>::VolumeCoefficients(int order) : order_(order) {
  CLEARANCE_ASSERT(order >= 1 && order <= max_order);
}

template <int dim>
int VolumeCoefficients<dim>::num_per_part() const {
  return num_lagrange_nodes(dim, dim * (order_ - 1));
}

template <int dim>
void VolumeCoefficients<dim>::values(std::span<const double> x, int depth, std::span<const double> enough,
                                     std::vector<double>& coefficients) const {
  with_order<dim>(order_, [&](auto* of_order) {
    using E = std::remove_pointer_t<decltype(of_order)>;
    double whole[E::size];
    E::compute(x.data(), whole);
    coefficients.clear();
    E::subdivide(whole, {}, depth, enough, 0, coefficients);
  });
}

template <int dim>
void VolumeCoefficients<dim>::values_on_way(std::span<const double> x, std::span<const double> dx, int depth,
                                            std::span<const double> enough, std::vector<Lanes>& coefficients) const {
  with_order<dim>(order_, [&](auto* of_order) {
    using E = std::remove_pointer_t<decltype(of_order)>;
    // The lanes hold the start, the middle, the end, and the motion alone, whose volume is the leading coefficient in
    // a.
    Lanes places[E::num_numbers], whole[E::size];
    for (int i = 0; i < E::num_numbers; ++i) {
      places[i] = Lanes(Lanes::Vector{x[i], x[i] + 0.5 * dx[i], x[i] + dx[i], dx[i]});
    }
    E::compute(places, whole);
    for (Lanes& c : whole) {
      const double f0 = c[0], half = c[1], f1 = c[2], leading = c[3];
      const double linear = dim == 2 ? (f1 - f0) - leading : 4.0 * half - f1 - 3.0 * f0 + 0.5 * leading;
      const double quadratic = dim == 2 ? leading : 2.0 * (f0 + f1) - 4.0 * half - 1.5 * leading;
      c = Lanes(Lanes::Vector{f0, f0 + linear / 3.0, f0 + (2.0 * linear + quadratic) / 3.0, f1});
    }
    coefficients.clear();
    E::subdivide(whole, {}, depth, enough, 0, coefficients);
  });
}

template <int dim>
void VolumeCoefficients<dim>::add_gradient(std::span<const double> x, int depth, std::span<const double> weights,
                                           std::span<double> gradient) const {
  with_order<dim>(order_, [&](auto* of_order) {
    using E = std::remove_pointer_t<decltype(of_order)>;
    double whole[E::size] = {};
    E::gather(weights.data(), {}, depth, whole);
    E(x.data()).add_gradient(whole, gradient.data());
  });
}

template <int dim>
void VolumeCoefficients<dim>::gradients(std::span<const double> x, int depth, std::span<const int> which,
                                        std::vector<double>& gradients) const {
  gradients.assign(which.size() * x.size(), 0.0);
  with_order<dim>(order_, [&](auto* of_order) {
    using E = std::remove_pointer_t<decltype(of_order)>;
    const E element(x.data());
    for (std::size_t i = 0; i < which.size(); ++i) {
      double whole[E::size] = {};
      E::gather_one(which[i], {}, depth, whole);
      element.add_gradient(whole, gradients.data() + i * x.size());
    }
  });
}

template <int dim>
void VolumeCoefficients<dim>::hessian(std::span<const double> x, int depth, std::span<const double> weights,
                                      std::vector<double>& hessian) const {
  hessian.assign(x.size() * x.size(), 0.0);
  with_order<dim>(order_, [&](auto* of_order) {
    using E = std::remove_pointer_t<decltype(of_order)>;
    double whole[E::size] = {};
    E::gather(weights.data(), {}, depth, whole);
    // The gradient is a polynomial of degree dim - 1 <= 2, so central differences are its exact derivative.
    double size = 0.0;
    for (std::size_t i = dim; i < x.size(); ++i) size = std::max(size, std::abs(x[i] - x[i % dim]));
    double moved[E::num_numbers];
    for (std::size_t column = 0; column < x.size(); ++column) {
      double* target = hessian.data() + column * x.size();
      for (const double sign : {-1.0, 1.0}) {
        for (double* entry = target; entry != target + x.size(); ++entry) *entry = -*entry;
        std::copy(x.begin(), x.end(), moved);
        moved[column] += sign * size;
        E(moved).add_gradient(whole, target);
      }
      for (double* entry = target; entry != target + x.size(); ++entry) *entry /= 2.0 * size;
    }
  });
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double &lower = hessian[b * x.size() + a], &upper = hessian[a * x.size() + b];
      lower = upper = 0.5 * (lower + upper);
    }
  }
}

template class VolumeCoefficients<2>;
template class VolumeCoefficients<3>;

}  // namespace clearance
