#include "clearance/geometry/curved_volume.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "clearance/base/contract.h"
#include "clearance/geometry/bernstein_volume.h"

namespace clearance {
namespace {

using namespace bernstein;

constexpr double unit_roundoff = 0x1p-53;
constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Largest number of times that a simplex is halved (16 times in every direction).
constexpr int max_depth = 48;
/// Largest number of pieces: 10 ms for a tetrahedron of order 4. Integers are allowed fewer pieces.
constexpr int max_pieces = 8192, max_exact_pieces = 1024;

/// Range of element sizes for which the rounding bounds hold: nothing overflows, and anything that underflows is far
/// below the bounds.
constexpr double smallest_size = 1e-90, largest_size = 1e90;

/// Longest relative motion of an element's nodes in one step, in sizes of the element (as in bound_step).
constexpr double max_motion = 16.0;

/// Sizes of numbers and bounds of their errors, per coordinate.
template <int dim>
struct Sizes {
  double size[dim] = {};
  double error[dim] = {};
};

/// Holds a curved element with bounds of rounding errors.
template <int dim, int order>
struct CurvedElement : VolumeFunction<dim, order> {
  using Base = VolumeFunction<dim, order>;
  using Base::column_size, Base::degree, Base::num_nodes, Base::size;
  using Base::make_columns, Base::make_volume, Base::subtract_first, Base::volume_unit;
  template <class T>
  using Columns = typename Base::template Columns<T>;
  template <class T>
  using Differences = typename Base::template Differences<T>;

  template <int n>
  static void find_sizes(const double (&entries)[n][dim], double (&sizes)[dim]) {
    for (const auto& entry : entries) {
      for (int k = 0; k < dim; ++k) sizes[k] = std::max(sizes[k], std::abs(entry[k]));
    }
  }

  /// Computes the columns and their largest entries with error bounds, in units u of rounding. A difference of nodes
  /// carries u, its product with an (exact) entry of the table another u, sums of n of them n - 1, and the difference
  /// of two control points one more. With |x_a - x_0| <= s and rows of absolute sum m, the error is 2 m s (n + 2) u;
  /// one more u covers terms in u^2.
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

  /// Bounds the volume coefficients of columns of these sizes, and their errors.
  ///
  /// A coefficient is a mean of determinants of control points. Each determinant consists of dim! products of one entry
  /// per coordinate, so it is at most V = degree! dim! prod size_k. Errors of the entries change it by at most V sum
  /// error_k / size_k (sizes include the errors). Rounding: a product of three weighted entries carries 3 u from
  /// weights, 2 u from products, 1 u from the minor, 2 u from the dot product, 2 N u from sums over at most N =
  /// column_size pairs in two stages, and 1 u from the last factor. The sum is 9 + 2 N, and one more for terms in u^2.
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
  /// Relative error of subdivision: halving a simplex averages every coefficient at most `degree` times, with a
  /// rounding of u each.
  static constexpr double subdivision_error = 1.001 * max_depth * degree * unit_roundoff;

  /// Computes volume coefficients in doubles, with their bound. Returns false for sizes outside the range of the bound.
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
  static void set_motion_lanes(const Columns<double>& at, const Columns<double>& motion, double length,
                               Columns<Lanes>& columns);
  static double find_feasible_part(const Columns<double>& at, const Columns<double>& motion, const Sizes<dim>& sizes,
                                   double length);
  static double find_certified_step(const double* x, const double* dx);
  static double max_feasible_step(const double* x, const double* dx);
};

/// Computes volume coefficients as integers, up to a positive factor per coordinate.
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
  T c[size];
  EdgeLengths<dim> edges;
  int depth = 0;
  double low = 0.0;  ///< lower bound of the minimum over the piece
};

template <int dim, int degree, class T>
void bisect(const Piece<dim, degree, T>& piece, Piece<dim, degree, T>& first, Piece<dim, degree, T>& second) {
  halve<dim, degree>(piece.c, piece.edges.longest(), first.c, second.c);
  const std::array<EdgeLengths<dim>, 2> halves = piece.edges.halves();
  first.edges = halves[0];
  second.edges = halves[1];
  first.depth = second.depth = piece.depth + 1;
}

/// Returns the indices of the coefficients of corners, which are values of the polynomial.
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

/// Bounds of the minimum of a quantity over the simplex.
struct Search {
  double low = unbounded;   ///< lower bound over all pieces that are not halved further
  double high = unbounded;  ///< smallest value that occurs
};

/// Halves pieces, those with the lowest bounds first. bound(piece, search) sets the lower bound of a piece and lowers
/// the smallest value that occurs. is_enough(piece.low, search) ends the halving of a piece, must_stop(search) the
/// whole search.
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
  // Only signs matter here.
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
  // The unit carries dim + 1 roundings, and its product with the bound two more.
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

/// True if c_0 + c_1 a + c_2 a^2 + c_3 a^3 (lane j: c_j) is above `error` on [0, width], because its Bernstein
/// coefficients are.
CLEARANCE_INLINE bool is_positive_on(const Lanes& c, double width, double error) {
  const double t0 = c[0] - error, t1 = c[1] * width, t2 = c[2] * width * width, t3 = c[3] * width * width * width;
  return t0 > 0 && t0 + t1 * (1.0 / 3.0) > 0 && t0 + (2 * t1 + t2) * (1.0 / 3.0) > 0 && t0 + t1 + t2 + t3 > 0;
}

/// Returns the coefficients of powers of a (lane j: of a^j) of a volume less its kept fraction, from its values at the
/// start, the middle and the end, and its leading coefficient.
template <int dim>
CLEARANCE_INLINE Lanes above_kept_fraction(const Lanes& c) {
  const double f0 = c[0], fh = c[1], f1 = c[2], leading = c[3], kept = (1.0 - kept_volume_fraction) * f0;
  if constexpr (dim == 2) {
    return Lanes(Lanes::Vector{kept, (f1 - f0) - leading, leading, 0.0});
  } else {
    const double linear = 4.0 * fh - f1 - 3.0 * f0 + 0.5 * leading;
    const double quadratic = 2.0 * (f0 + f1) - 4.0 * fh - 1.5 * leading;
    return Lanes(Lanes::Vector{kept, linear, quadratic, leading});
  }
}

template <int dim, int order>
void CurvedElement<dim, order>::set_motion_lanes(const Columns<double>& at, const Columns<double>& motion,
                                                 double length, Columns<Lanes>& columns) {
  // The lanes hold the start, the middle, the end, and the motion alone, whose determinant is the leading coefficient
  // in a.
  for (int i = 0; i < dim; ++i) {
    for (int c = 0; c < column_size; ++c) {
      for (int k = 0; k < dim; ++k) {
        const double start = at[i][c][k], move = length * motion[i][c][k];
        columns[i][c][k] = Lanes(Lanes::Vector{start, start + 0.5 * move, start + move, move});
      }
    }
  }
}

/// Returns the part in [0, 1] of length * motion within which volumes stay above kept_volume_fraction of those at its
/// start. `sizes` are those of the sum of both columns, |at| + length |motion|, and include all errors up to this sum.
template <int dim, int order>
double CurvedElement<dim, order>::find_feasible_part(const Columns<double>& at, const Columns<double>& motion,
                                                     const Sizes<dim>& sizes, double length) {
  Columns<Lanes> columns;
  set_motion_lanes(at, motion, length, columns);
  Piece<dim, degree, Lanes> root;
  make_volume(columns, root.c);

  // Let E be the error and V the bound of a lane. The coefficients of powers of a below are sums with absolute factors
  // 0.8, 8.5, 9.5 and 1. Values of the polynomial are therefore wrong by at most 20 E, and by less than 1000 u V from
  // these sums, the evaluations in is_positive_on and find_positive_prefix, and the rounding of alpha and of its
  // product with the length (a motion by u changes the volume by no more than 31 u V). Halving adds its part of each.
  const VolumeBound lane = bound_volume(sizes);
  const double error = 20.0 * lane.error + (1000.0 * unit_roundoff + 20.0 * subdivision_error) * lane.size;
  bool is_safe = true;
  for (Lanes& c : root.c) {
    c = above_kept_fraction<dim>(c);
    is_safe &= is_positive_on(c, 1.0, error);
  }
  if (is_safe) return 1.0;

  const auto shorten = [&](double part, const Lanes& c) {
    if (is_positive_on(c, part, error)) return part;
    return std::min(part, find_positive_prefix({c[0] - error, c[1], c[2], c[3]}));
  };
  // Corners bound the step from above; pieces are halved until they certify nearly the same step. Prefixes are accurate
  // to 1e-3, and the gap must exceed this.
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

/// True if products of these sizes neither overflow nor underflow.
template <int dim>
bool have_usual_sizes(const double* extent, const double* motion_extent) {
  for (int k = 0; k < dim; ++k) {
    if (!(extent[k] >= smallest_size && extent[k] <= largest_size && motion_extent[k] <= largest_size)) return false;
  }
  return true;
}

/// Sizes of |at| + length |motion|, with the errors up to this sum.
template <int dim>
Sizes<dim> sum_of_sizes(const Sizes<dim>& sizes_at, const Sizes<dim>& sizes_of_motion, double length) {
  Sizes<dim> sizes;
  for (int k = 0; k < dim; ++k) {
    const double sum = sizes_at.size[k] + length * sizes_of_motion.size[k];
    // The product with the length and the sum are rounded, too.
    sizes.error[k] = sizes_at.error[k] + length * sizes_of_motion.error[k] + 3 * unit_roundoff * sum;
    sizes.size[k] = (1.0 + 4 * unit_roundoff) * sum;
  }
  return sizes;
}

/// Returns a certified step, apart from the rounding of x + alpha dx.
template <int dim, int order>
double CurvedElement<dim, order>::find_certified_step(const double* x, const double* dx) {
  Differences<double> edges, moves;
  if (!subtract_first(x, edges) || !subtract_first(dx, moves)) return 0.0;
  double extent[dim] = {}, motion_extent[dim] = {};
  find_sizes(edges, extent);
  find_sizes(moves, motion_extent);
  if (!have_usual_sizes<dim>(extent, motion_extent)) return 0.0;
  Columns<double> at, motion;
  const Sizes<dim> sizes_at = make_columns_with_sizes(edges, extent, at);
  const Sizes<dim> sizes_of_motion = make_columns_with_sizes(moves, motion_extent, motion);

  const double element_size = *std::max_element(extent, extent + dim);
  const double motion_size = *std::max_element(motion_extent, motion_extent + dim);
  double length = motion_size > max_motion * element_size ? max_motion * element_size / motion_size : 1.0;
  double alpha = 0.0;
  // Rounding errors grow with the cube of the motion. If they allow only a small part of it, the search is repeated on
  // a shorter motion.
  while (true) {
    const Sizes<dim> sizes = sum_of_sizes(sizes_at, sizes_of_motion, length);
    const double part = find_feasible_part(at, motion, sizes, length);
    alpha = std::max(alpha, length * part);
    if (part >= 1.0 / 64.0 || length * motion_size <= 1e-6 * element_size) return alpha;
    length *= std::max(8.0 * part, 1.0 / 64.0);
  }
}

template <int dim, int order>
double CurvedElement<dim, order>::max_feasible_step(const double* x, const double* dx) {
  double alpha = find_certified_step(x, dx);
  // The polynomial does not include the rounding of x + alpha dx, but the exact test does.
  constexpr int max_halvings = 64;
  double trial[num_nodes * dim];
  for (int halving = 0; halving < max_halvings && alpha > 0.0; ++halving, alpha *= 0.5) {
    for (int i = 0; i < num_nodes * dim; ++i) trial[i] = x[i] + alpha * dx[i];
    if (is_valid(trial)) return alpha;
  }
  return 0.0;
}

/// Calls function with a CurvedElement of the order.
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
  return std::ssize(numbers) == dim * num_lagrange_nodes(dim, order);
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
