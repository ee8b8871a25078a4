#include "clearance/bodies/fem/step_bound.h"

#include <cmath>
#include <limits>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/element_kernels.h"
#include "clearance/math/predicates.h"

namespace clearance {
namespace {

using element_kernels::gather_edges;

constexpr int packs_per_chunk = 64;

/// Longest relative motion of an element's nodes in one step, in sizes of the element (largest entry of an edge). The
/// rounding of the volume polynomial grows with the cube of the motion; up to this motion it stays below 1e-10 size^3.
constexpr double max_motion = 16.0;

/// Computes det(D + a dD) - kept_volume_fraction det D as a polynomial in a, per lane.
template <int dim>
CLEARANCE_INLINE void volume_polynomial(const SmallMatrix<Lanes, dim>& edges, const SmallMatrix<Lanes, dim>& motion,
                                        Lanes (&c)[4]) {
  const SmallMatrix<Lanes, dim> of_edges = cofactor_matrix(edges), of_motion = cofactor_matrix(motion);
  c[0] = determinant(edges, of_edges) * Lanes(1.0 - kept_volume_fraction);
  c[1] = dot(of_edges, motion);
  if constexpr (dim == 2) {
    c[2] = determinant(motion, of_motion);
    c[3] = Lanes(0.0);
  } else {
    c[2] = dot(of_motion, edges);
    c[3] = determinant(motion, of_motion);
  }
}

/// Returns the lanes whose polynomial has positive Bernstein coefficients on [0, 1]: they keep their volume on the
/// whole step.
CLEARANCE_INLINE LaneMask is_positive_on_step(const Lanes (&c)[4]) {
  const Lanes third(1.0 / 3.0);
  const Lanes b1 = c[0] + third * c[1];
  const Lanes b2 = c[0] + third * (c[1] + c[1] + c[2]);
  const Lanes b3 = c[0] + c[1] + c[2] + c[3];
  const Lanes zero(0.0);
  return (c[0] > zero) & (b1 > zero) & (b2 > zero) & (b3 > zero);
}

template <int dim>
CLEARANCE_INLINE Lanes largest_entries(const SmallMatrix<Lanes, dim>& a) {
  Lanes largest = absolute(a.m[0]);
#pragma GCC unroll 9
  for (int i = 1; i < dim * dim; ++i) {
    const Lanes size = absolute(a.m[i]);
    largest = select(size > largest, size, largest);
  }
  return largest;
}

/// Returns the largest entry by magnitude of one lane; infinity if one is NaN.
template <int dim>
double largest_entry(const SmallMatrix<Lanes, dim>& a, int lane) {
  double largest = 0.0;
  for (const Lanes& entry : a.m) {
    const double size = std::abs(entry[lane]);
    if (!(size <= largest)) largest = std::isnan(size) ? infinity : size;
  }
  return largest;
}

/// Returns the limit of one element. Motions longer than max_motion times its size are shortened first.
template <int dim>
double element_limit(const SmallMatrix<Lanes, dim>& edges, SmallMatrix<Lanes, dim> motion, int lane) {
  const double motion_size = largest_entry(motion, lane);
  if (!(motion_size < infinity)) return 0.0;
  const double longest = max_motion * largest_entry(edges, lane);
  const double shortening = motion_size > longest ? longest / motion_size : 1.0;
  for (Lanes& entry : motion.m) entry *= Lanes(shortening);
  Lanes c[4];
  volume_polynomial(edges, motion, c);
  return shortening * find_positive_prefix({c[0][lane], c[1][lane], c[2][lane], c[3][lane]});
}

/// Returns the smaller limit; of equal ones, that of the lower element.
StepLimit combine_limits(const StepLimit& a, const StepLimit& b) {
  if (b.alpha != a.alpha) return b.alpha < a.alpha ? b : a;
  if (a.element < 0 || b.element < 0) return a.element < 0 ? b : a;
  return b.element < a.element ? b : a;
}

template <int dim>
StepLimit pack_limit(const ElementSet<dim>& elements, const ElementPack<dim>& pack, const VecX& x, const VecX& dx) {
  const SmallMatrix<Lanes, dim> edges = gather_edges(pack, x), motion = gather_edges(pack, dx);
  Lanes c[4];
  volume_polynomial(edges, motion, c);
  // Most packs pass a test of all lanes at once.
  const LaneMask is_short = Lanes(max_motion) * largest_entries(edges) >= largest_entries(motion);
  const LaneMask is_safe = is_short & is_positive_on_step(c);
  StepLimit limit;
  if (!any_lane(!is_safe)) return limit;
  for (int lane = 0; lane < pack.count; ++lane) {
    // Solve the polynomial of the other lanes.
    if (is_safe.bits[lane]) continue;
    const double alpha = element_limit(edges, motion, lane);
    if (alpha < 1.0) limit = combine_limits(limit, {alpha, elements.mesh_element(pack.elements[lane])});
  }
  return limit;
}

template <int dim>
int exact_orientation(const ElementPack<dim>& pack, int lane, const VecX& x) {
  const auto corner = [&](int a) -> Vec<dim> { return block<dim>(x, pack.nodes[a][lane]); };
  if constexpr (dim == 2) {
    return orient2d(corner(0), corner(1), corner(2));
  } else {
    return orient3d(corner(0), corner(1), corner(2), corner(3));
  }
}

/// Returns the lanes whose volume is certainly positive: the determinant exceeds the bound of its rounding error, 1e-15
/// ([She97]: 7.8e-16) times the same sum with all products positive.
template <int dim>
CLEARANCE_INLINE LaneMask is_certainly_positive(const SmallMatrix<Lanes, dim>& edges) {
  const Lanes volume = determinant(edges);
  Lanes size(0.0);
  if constexpr (dim == 2) {
    size = absolute(edges(0, 0) * edges(1, 1)) + absolute(edges(1, 0) * edges(0, 1));
  } else {
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) {
      const int s = (r + 1) % 3, t = (r + 2) % 3;
      size += absolute(edges(r, 0)) * (absolute(edges(s, 1) * edges(t, 2)) + absolute(edges(t, 1) * edges(s, 2)));
    }
  }
  // The constant covers underflow of single products.
  return volume > Lanes(1e-15) * size + Lanes(1e-290);
}

}  // namespace

template <int dim>
int find_inverted_element(const ElementSet<dim>& elements, const VecX& x) {
  constexpr int none = std::numeric_limits<int>::max();
  const std::vector<int>& active = elements.active_packs();
  const auto check_pack = [&](int i) {
    const ElementPack<dim>& pack = elements.packs()[active[i]];
    int first = none;
    // A filter decides most packs; the rest need exact arithmetic.
    const LaneMask is_positive = is_certainly_positive(gather_edges(pack, x));
    if (!any_lane(!is_positive)) return first;
    for (int lane = 0; lane < pack.count; ++lane) {
      if (is_positive.bits[lane] || exact_orientation(pack, lane, x) > 0) continue;
      first = std::min(first, elements.mesh_element(pack.elements[lane]));
    }
    return first;
  };
  const auto smaller = [](int a, int b) { return std::min(a, b); };
  const int first = ordered_reduce(static_cast<int>(active.size()), none, check_pack, smaller, packs_per_chunk);
  return first == none ? -1 : first;
}

template <int dim>
StepLimit bound_step(const ElementSet<dim>& elements, const VecX& x, const VecX& dx, VecX& x_trial) {
  const std::vector<int>& active = elements.active_packs();
  StepLimit limit = ordered_reduce(
      static_cast<int>(active.size()), StepLimit{},
      [&](int i) { return pack_limit(elements, elements.packs()[active[i]], x, dx); }, combine_limits, packs_per_chunk);

  // The polynomial ignores the rounding of x + alpha dx, so the exact test decides. It shortens the step only if an
  // element is within rounding of flat.
  constexpr int max_halvings = 64;
  for (int k = 0; k < max_halvings && limit.alpha > 0; ++k) {
    x_trial = x + limit.alpha * dx;
    const int inverted = find_inverted_element(elements, x_trial);
    if (inverted < 0) return limit;
    limit = {limit.alpha / 2, inverted};
  }
  limit.alpha = 0.0;
  return limit;
}

template int find_inverted_element(const ElementSet<2>&, const VecX&);
template int find_inverted_element(const ElementSet<3>&, const VecX&);
template StepLimit bound_step(const ElementSet<2>&, const VecX&, const VecX&, VecX&);
template StepLimit bound_step(const ElementSet<3>&, const VecX&, const VecX&, VecX&);

}  // namespace clearance
