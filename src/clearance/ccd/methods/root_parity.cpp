// Root parity ([Bro12]; RP and RRP of [Fer23, sec. 3.4.2]): F maps the boundary of the
// domain to a closed surface of triangles (t = 0 and t = 1) and bilinear patches, and a ray from the origin crosses it
// an odd number of times if F has an odd number of roots. Two roots are therefore missed: that is the method.
//
// The rational version decides every degenerate case: the origin on a face, flat patches, rays through an edge. The
// floating-point version bounds the error of every number and repeats a query with an unclear sign in exact arithmetic,
// as [Bro12] does; like theirs, it forgets a degenerate case, the flat patch in a plane through the origin.
#include <cmath>
#include <limits>
#include <optional>

#include "clearance/ccd/exact_query.h"
#include "clearance/ccd/methods/deciders.h"
#include "clearance/ccd/methods/plane_form.h"

namespace clearance {
namespace {

/// A floating-point number with a bound of its distance to the exact one (running error analysis).
struct Bounded {
  double value = 0.0, error = 0.0;
  Bounded() = default;
  explicit Bounded(double exact) : value(exact) {}
  Bounded(double rounded, double operands_error)
      : value(rounded), error((operands_error + 0x1p-53 * std::abs(rounded)) * (1.0 + 0x1p-50)) {}
};
Bounded operator+(const Bounded& a, const Bounded& b) {
  return {a.value + b.value, a.error + b.error};
}
Bounded operator-(const Bounded& a, const Bounded& b) {
  return {a.value - b.value, a.error + b.error};
}
Bounded operator*(const Bounded& a, const Bounded& b) {
  const double value = a.value * b.value;
  const double underflow = std::abs(value) < 1e-280 && a.value != 0.0 && b.value != 0.0 ? 1e-280 : 0.0;
  return {value, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error + underflow};
}
Bounded& operator-=(Bounded& a, const Bounded& b) {
  return a = a - b;
}

/// True if a sign was unclear since this was last cleared.
thread_local bool has_unclear_sign = false;

int sign(const Bounded& x) {
  if (x.value > x.error) return 1;
  if (x.value < -x.error) return -1;
  has_unclear_sign |= !(x.value == 0.0 && x.error == 0.0);
  return 0;
}
int sign(const mpz_class& x) {
  return sgn(x);
}

template <class T>
using Quad = std::array<const Triple<T>*, 4>;  ///< in the order of its outline

template <class T>
T determinant(const Triple<T>& a, const Triple<T>& b, const Triple<T>& c) {
  return dot(a, cross(b, c));
}

enum class Crossing { no, yes, unclear };

template <class T>
bool is_zero(const Triple<T>& v) {
  return sign(v[0]) == 0 && sign(v[1]) == 0 && sign(v[2]) == 0;
}

/// True if the segment contains the origin.
template <class T>
bool segment_has_origin(const Triple<T>& a, const Triple<T>& b) {
  return is_zero(cross(a, b)) && sign(T(dot(a, b))) <= 0;
}

/// Tests whether the ray from the origin along d meets the triangle; unclear at its edges. `volume` is det(a, b, c).
template <class T>
Crossing cross_triangle(const Triple<T>& d, const Triple<T>& a, const Triple<T>& b, const Triple<T>& c, int volume) {
  const int ab = sign(determinant(d, a, b)), bc = sign(determinant(d, b, c)), ca = sign(determinant(d, c, a));
  if ((ab > 0 || bc > 0 || ca > 0) && (ab < 0 || bc < 0 || ca < 0)) return Crossing::no;
  if (ab == 0 && bc == 0 && ca == 0) {
    // A triangle without area has no inside; of others the ray lies in the plane.
    const Triple<T> ab_edge{T(b[0] - a[0]), T(b[1] - a[1]), T(b[2] - a[2])};
    const Triple<T> ac_edge{T(c[0] - a[0]), T(c[1] - a[1]), T(c[2] - a[2])};
    return is_zero(cross(ab_edge, ac_edge)) ? Crossing::no : Crossing::unclear;
  }
  const int side = ab + bc + ca > 0 ? 1 : -1;
  if (volume != side) return volume == 0 ? Crossing::unclear : Crossing::no;
  return ab != 0 && bc != 0 && ca != 0 ? Crossing::yes : Crossing::unclear;
}

/// The closed surface F(boundary of the domain): corners of F at t = 0 and t = 1.
template <class T>
class Surface {
 public:
  Surface(const PlaneForm<T>& form, bool handles_flat_patches)
      : count_(form.is_triangle ? 3 : 4), handles_flat_patches_(handles_flat_patches) {
    // F is q - u a - v b at the corners of the triangle or the square.
    for (int e = 0; e < 2; ++e) {
      const auto corner = [&](bool u, bool v) {
        Triple<T> r = form.q[e];
        for (int k = 0; k < 3; ++k) {
          if (u) r[k] -= form.a[e][k];
          if (v) r[k] -= form.b[e][k];
        }
        return r;
      };
      corners_[e][0] = corner(false, false);
      corners_[e][1] = corner(true, false);
      corners_[e][2] = form.is_triangle ? corner(false, true) : corner(true, true);
      if (!form.is_triangle) corners_[e][3] = corner(false, true);
    }
  }

  /// True if the origin lies on the surface, or inside an odd number of its sheets.
  bool decide() const {
    if (is_on_surface()) return true;
    // A plane holds at most three of these rays, so that one misses all edges.
    for (int i = 0; i < 1000; ++i) {
      const double t = i;
      const Triple<T> ray{T(1009.0 + t), T(757.0 - 31.0 * t * t), T(1451.0 + 17.0 * t * t * t)};
      if (const std::optional<bool> is_odd = parity(ray)) return *is_odd;
    }
    return true;
  }

 private:
  Quad<T> side(int i) const {
    const int j = (i + 1) % count_;
    return {&corners_[0][i], &corners_[0][j], &corners_[1][j], &corners_[1][i]};
  }
  Quad<T> end(int e) const { return {&corners_[e][0], &corners_[e][1], &corners_[e][2], &corners_[e][3]}; }

  static T volume(const Quad<T>& p, int i, int j, int k) { return determinant(*p[i], *p[j], *p[k]); }

  /// Number of crossings of the ray modulo 2, unless it is unclear.
  std::optional<bool> parity(const Triple<T>& d) const {
    bool is_odd = false;
    const auto count = [&](const Quad<T>& p, int i, int j, int k, const T& v) {
      const Crossing crossing = cross_triangle(d, *p[i], *p[j], *p[k], sign(v));
      is_odd ^= crossing == Crossing::yes;
      return crossing != Crossing::unclear;
    };
    for (int e = 0; e < 2; ++e) {
      const Quad<T> p = end(e);
      if (!count(p, 0, 1, 2, volume(p, 0, 1, 2))) return {};
      if (count_ == 4 && !count(p, 0, 2, 3, volume(p, 0, 2, 3))) return {};
    }
    for (int i = 0; i < count_; ++i) {
      const Quad<T> p = side(i);
      const Barycentric b(p);
      // A flat patch in a plane through the origin: rays meet it nowhere or, where it is folded, twice.
      if (b.is_coplanar_with_origin()) continue;
      // The patch and either pair of triangles of its tetrahedron bound a region. The pair whose region does not hold
      // the origin is crossed as often as the patch, modulo 2.
      const bool is_in_front = b.is_inside() && b.patch_side() > 0;
      const bool is_clear = is_in_front ? count(p, 1, 2, 3, b.volumes[0]) && count(p, 0, 1, 3, b.volumes[2])
                                        : count(p, 0, 1, 2, b.volumes[3]) && count(p, 0, 2, 3, b.volumes[1]);
      if (!is_clear) return {};
    }
    return is_odd;
  }

  /// The origin in the tetrahedron of a patch p0 p1 p2 p3. Its barycentric coordinates are +, -, +, - these volumes
  /// over that of the tetrahedron; the patch is where the product of the first and third is that of the others.
  struct Barycentric {
    explicit Barycentric(const Quad<T>& p)
        : volumes{volume(p, 1, 2, 3), volume(p, 0, 2, 3), volume(p, 0, 1, 3), volume(p, 0, 1, 2)} {}
    bool is_inside() const {
      const int s[4] = {sign(volumes[0]), -sign(volumes[1]), sign(volumes[2]), -sign(volumes[3])};
      const bool has_positive = s[0] > 0 || s[1] > 0 || s[2] > 0 || s[3] > 0;
      const bool has_negative = s[0] < 0 || s[1] < 0 || s[2] < 0 || s[3] < 0;
      return has_positive != has_negative;
    }
    bool is_coplanar_with_origin() const {
      return sign(volumes[0]) == 0 && sign(volumes[1]) == 0 && sign(volumes[2]) == 0 && sign(volumes[3]) == 0;
    }
    /// Is positive nearer to the edge p0 p2.
    int patch_side() const { return sign(T(volumes[0] * volumes[2] - volumes[1] * volumes[3])); }

    std::array<T, 4> volumes;
  };

  bool is_on_surface() const {
    for (int e = 0; e < 2; ++e) {
      const Quad<T> p = end(e);
      if (triangle_has_origin(*p[0], *p[1], *p[2])) return true;
      if (count_ == 4 && triangle_has_origin(*p[0], *p[2], *p[3])) return true;
    }
    for (int i = 0; i < count_; ++i) {
      if (patch_has_origin(side(i))) return true;
    }
    return false;
  }

  static bool triangle_has_origin(const Triple<T>& a, const Triple<T>& b, const Triple<T>& c) {
    if (segment_has_origin(a, b) || segment_has_origin(b, c) || segment_has_origin(c, a)) return true;
    if (sign(determinant(a, b, c)) != 0) return false;
    const Triple<T> ab = cross(a, b), bc = cross(b, c), ca = cross(c, a);
    return sign(T(dot(ab, bc))) > 0 && sign(T(dot(bc, ca))) > 0 && sign(T(dot(ca, ab))) > 0;
  }

  bool patch_has_origin(const Quad<T>& p) const {
    const Barycentric b(p);
    if (!b.is_coplanar_with_origin()) return b.is_inside() && b.patch_side() == 0;
    if (!handles_flat_patches_) return false;
    // A flat patch around the origin: the same method in its plane, where the outline takes the surface's place.
    for (int i = 0; i < 4; ++i) {
      if (segment_has_origin(*p[i], *p[(i + 1) % 4])) return true;
    }
    return triangle_has_origin(*p[0], *p[1], *p[2]) != triangle_has_origin(*p[0], *p[2], *p[3]);
  }

  std::array<std::array<Triple<T>, 4>, 2> corners_;
  int count_;
  bool handles_flat_patches_;
};

/// Decides in rational numbers over their common denominator, since only signs matter.
bool decide_exactly(const CcdQuery& query, bool handles_flat_patches) {
  const ExactQuery exact = to_exact(query);
  return Surface<mpz_class>(plane_form<mpz_class>(exact.kind, exact.t0, exact.t1), handles_flat_patches).decide();
}

CcdAnswer to_answer(bool is_hit) {
  return {is_hit, is_hit ? std::numeric_limits<double>::quiet_NaN() : 1.0};
}

}  // namespace

CcdAnswer decide_by_floating_point_parity(const CcdQuery& query, const CcdMethodOptions&) {
  has_unclear_sign = false;
  const auto form = plane_form<Bounded>(query.kind, query.motion.t0, query.motion.t1);
  const bool is_hit = Surface<Bounded>(form, false).decide();
  return to_answer(has_unclear_sign ? decide_exactly(query, false) : is_hit);
}

CcdAnswer decide_by_rational_parity(const CcdQuery& query, const CcdMethodOptions&) {
  return to_answer(decide_exactly(query, true));
}

}  // namespace clearance
