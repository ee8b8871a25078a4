#include "clearance/geometry/simplex_overlap.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

namespace clearance {
namespace {

/// A point of the overlap, by its barycentric coordinates in both simplices.
template <int dim>
struct Corner {
  Vec<dim + 1> cut;      // coordinates in the simplex that is cut
  Vec<dim + 1> cutting;  // coordinates in the simplex whose faces cut
};

template <int dim>
using Piece = std::array<Corner<dim>, dim + 1>;

/// Sums over the pieces, in units of the volume of the simplex that is cut.
template <int dim>
struct Moments {
  double volume = 0.0;
  Mat<dim + 1> integrals = Mat<dim + 1>::Zero();  // rows belong to the simplex that is cut

  void add(const Piece<dim>& piece) {
    Mat<dim> edges;
    for (int k = 0; k < dim; ++k) edges.col(k) = (piece[k + 1].cut - piece[0].cut).template tail<dim>();
    // Pieces that are flat up to rounding may be inverted.
    const double part = std::abs(edges.determinant());
    Vec<dim + 1> sum_of_cut = Vec<dim + 1>::Zero(), sum_of_cutting = Vec<dim + 1>::Zero();
    Mat<dim + 1> products = Mat<dim + 1>::Zero();
    for (const Corner<dim>& corner : piece) {
      sum_of_cut += corner.cut;
      sum_of_cutting += corner.cutting;
      products += corner.cut * corner.cutting.transpose();
    }
    volume += part;
    integrals += part / ((dim + 1) * (dim + 2)) * (products + sum_of_cut * sum_of_cutting.transpose());
  }
};

/// Returns the point where the segment from `inside` to `outside` passes through a face. All pieces with this edge get
/// the same bits.
template <int dim>
Corner<dim> leave(const Corner<dim>& inside, const Corner<dim>& outside, int face) {
  if (outside.cutting[face] == 0.0) return outside;
  const double t = inside.cutting[face] / (inside.cutting[face] - outside.cutting[face]);
  Corner<dim> corner{inside.cut + t * (outside.cut - inside.cut),
                     inside.cutting + t * (outside.cutting - inside.cutting)};
  corner.cutting[face] = 0.0;
  return corner;
}

template <int dim>
void cut(const Piece<dim>& piece, int face, Moments<dim>& moments);

/// Cuts the simplices of a prism further. Simplex k has k + 1 corners of the bottom, and those of the top from corner k
/// on.
template <int dim>
void cut_prism(const std::array<Corner<dim>, dim>& bottom, const std::array<Corner<dim>, dim>& top,
               const std::array<bool, dim>& is_joined, int face, Moments<dim>& moments) {
  for (int k = 0; k < dim; ++k) {
    // This simplex is flat, because corners k of bottom and top coincide.
    if (is_joined[k]) continue;
    Piece<dim> piece;
    for (int i = 0; i <= dim; ++i) piece[i] = i <= k ? bottom[i] : top[i - 1];
    cut<dim>(piece, face, moments);
  }
}

/// Adds the part of a piece that is inside this face of the cutting simplex and the following ones.
template <int dim>
void cut(const Piece<dim>& piece, int face, Moments<dim>& moments) {
  if (face > dim) return moments.add(piece);
  // If some corners are outside, corners on the face count as outside too, and `leave` returns them unchanged.
  std::array<int, dim + 1> inside{}, others{};
  int num_inside = 0, num_others = 0, num_outside = 0;
  for (int k = 0; k <= dim; ++k) {
    const double height = piece[k].cutting[face];
    if (height > 0.0) {
      inside[num_inside++] = k;
    } else {
      others[num_others++] = k;
    }
    if (height < 0.0) ++num_outside;
  }
  if (num_inside == 0) return;
  if (num_outside == 0) return cut<dim>(piece, face + 1, moments);
  const auto way_out = [&](int i, int o) { return leave<dim>(piece[inside[i]], piece[others[o]], face); };
  if (num_inside == 1) {
    Piece<dim> tip;
    tip[0] = piece[inside[0]];
    for (int o = 0; o < dim; ++o) tip[o + 1] = way_out(0, o);
    return cut<dim>(tip, face + 1, moments);
  }
  std::array<Corner<dim>, dim> bottom, top;
  std::array<bool, dim> is_joined{};
  if (num_inside == dim) {
    for (int i = 0; i < dim; ++i) {
      bottom[i] = piece[inside[i]];
      top[i] = way_out(i, 0);
    }
  } else if constexpr (dim == 3) {
    // Two corners are inside and two are not: the ends of the prism are around the two corners inside.
    bottom[0] = piece[inside[0]];
    top[0] = piece[inside[1]];
    for (int o = 0; o < 2; ++o) {
      bottom[o + 1] = way_out(0, o);
      top[o + 1] = way_out(1, o);
      is_joined[o + 1] = piece[others[o]].cutting[face] == 0.0;
    }
  }
  cut_prism<dim>(bottom, top, is_joined, face + 1, moments);
}

/// Returns a normal of the face opposite to corner k, of any length.
template <int dim>
Vec<dim> normal_of_face(const SimplexCorners<dim>& corners, int k) {
  const auto corner = [&](int i) -> const Vec<dim>& { return corners[(k + 1 + i) % (dim + 1)]; };
  if constexpr (dim == 2) {
    const Vec<2> edge = corner(1) - corner(0);
    return {-edge[1], edge[0]};
  } else {
    return (corner(1) - corner(0)).cross(corner(2) - corner(0));
  }
}

/// Computes overlap_moments by cutting `small`. Rows belong to `small`.
template <int dim>
double cut_simplex(const SimplexCorners<dim>& small, const SimplexCorners<dim>& large, Mat<dim + 1>& integrals) {
  Piece<dim> piece;
  for (int k = 0; k <= dim; ++k) {
    piece[k] = {Vec<dim + 1>::Unit(k), barycentric_coordinates<dim>(large, small[k])};
  }
  Moments<dim> moments;
  cut<dim>(piece, 0, moments);
  const double volume = signed_volume<dim>(small);
  integrals = volume * moments.integrals;
  return volume * moments.volume;
}

}  // namespace

template <int dim>
double signed_volume(const SimplexCorners<dim>& corners) {
  Mat<dim> edges;
  for (int k = 0; k < dim; ++k) edges.col(k) = corners[k + 1] - corners[0];
  return edges.determinant() / (dim == 2 ? 2.0 : 6.0);
}

template <int dim>
Vec<dim + 1> barycentric_coordinates(const SimplexCorners<dim>& corners, const Vec<dim>& x) {
  for (int k = 0; k <= dim; ++k) {
    if (x == corners[k]) return Vec<dim + 1>::Unit(k);
  }
  Vec<dim + 1> lambda;
  for (int k = 0; k <= dim; ++k) {
    const Vec<dim> normal = normal_of_face<dim>(corners, k);
    const Vec<dim>& on_face = corners[(k + 1) % (dim + 1)];
    lambda[k] = normal.dot(x - on_face) / normal.dot(corners[k] - on_face);
  }
  return lambda;
}

/// The smaller simplex is cut, because its coordinates in the other are small numbers with small rounding errors.
template <int dim>
double overlap_moments(const SimplexCorners<dim>& a, const SimplexCorners<dim>& b, Mat<dim + 1>& integrals) {
  if (signed_volume<dim>(a) <= signed_volume<dim>(b)) return cut_simplex<dim>(a, b, integrals);
  const double volume = cut_simplex<dim>(b, a, integrals);
  integrals.transposeInPlace();
  return volume;
}

template double signed_volume<2>(const SimplexCorners<2>&);
template double signed_volume<3>(const SimplexCorners<3>&);
template Vec<3> barycentric_coordinates<2>(const SimplexCorners<2>&, const Vec<2>&);
template Vec<4> barycentric_coordinates<3>(const SimplexCorners<3>&, const Vec<3>&);
template double overlap_moments<2>(const SimplexCorners<2>&, const SimplexCorners<2>&, Mat<3>&);
template double overlap_moments<3>(const SimplexCorners<3>&, const SimplexCorners<3>&, Mat<4>&);

}  // namespace clearance
