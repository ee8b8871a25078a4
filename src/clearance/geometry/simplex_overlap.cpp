#include "clearance/geometry/simplex_overlap.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

namespace clearance {
namespace {

/// A point of the overlap, by its barycentric coordinates in both.
template <int dim>
struct Corner {
  Vec<dim + 1> cut;      // in the simplex that is cut
  Vec<dim + 1> cutting;  // in the one whose faces cut
};

template <int dim>
using Piece = std::array<Corner<dim>, dim + 1>;

/// Sums over the pieces, in volumes of the simplex that is cut.
template <int dim>
struct Moments {
  double volume = 0.0;
  Mat<dim + 1> integrals = Mat<dim + 1>::Zero();  // rows: of the simplex that is cut

  void add(const Piece<dim>& piece) {
    Mat<dim> edges;
    for (int k = 0; k < dim; ++k) edges.col(k) = (piece[k + 1].cut - piece[0].cut).template tail<dim>();
    // Pieces within rounding of flat may be turned over.
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

/// Where the way from `inside` to `outside` leaves through a face. The same bits for all pieces with that edge.
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

/// Goes on with the simplices that a prism consists of: k + 1 corners of its bottom, and its top from corner k on.
template <int dim>
void cut_prism(const std::array<Corner<dim>, dim>& bottom, const std::array<Corner<dim>, dim>& top,
               const std::array<bool, dim>& is_joined, int face, Moments<dim>& moments) {
  for (int k = 0; k < dim; ++k) {
    // Flat: its corners k of bottom and top are the same.
    if (is_joined[k]) continue;
    Piece<dim> piece;
    for (int i = 0; i <= dim; ++i) piece[i] = i <= k ? bottom[i] : top[i - 1];
    cut<dim>(piece, face, moments);
  }
}

/// Adds what is inside of this face of the cutting simplex and the following ones.
template <int dim>
void cut(const Piece<dim>& piece, int face, Moments<dim>& moments) {
  if (face > dim) return moments.add(piece);
  // Corners on the face count as outside where some are, so that they are left through as they are.
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
    // Two and two: the ends of the prism are around the two corners inside.
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

/// Normals of the faces opposite to the corners, of any length.
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

/// As overlap_moments, with rows for `small`, which is cut.
template <int dim>
double cut_simplex(const SimplexCorners<dim>& small, const SimplexCorners<dim>& large, Mat<dim + 1>& integrals) {
  Piece<dim> piece;
  for (int k = 0; k <= dim; ++k) {
    piece[k] = {Vec<dim + 1>::Unit(k), barycentric_coordinates<dim>(large, small[k])};
  }
  Moments<dim> moments;
  cut<dim>(piece, 0, moments);
  const double volume = simplex_volume<dim>(small);
  integrals = volume * moments.integrals;
  return volume * moments.volume;
}

}  // namespace

template <int dim>
double simplex_volume(const SimplexCorners<dim>& corners) {
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

/// The smaller one is cut: there the coordinates in the other are small numbers with small rounding.
template <int dim>
double overlap_moments(const SimplexCorners<dim>& a, const SimplexCorners<dim>& b, Mat<dim + 1>& integrals) {
  if (simplex_volume<dim>(a) <= simplex_volume<dim>(b)) return cut_simplex<dim>(a, b, integrals);
  const double volume = cut_simplex<dim>(b, a, integrals);
  integrals.transposeInPlace();
  return volume;
}

template double simplex_volume<2>(const SimplexCorners<2>&);
template double simplex_volume<3>(const SimplexCorners<3>&);
template Vec<3> barycentric_coordinates<2>(const SimplexCorners<2>&, const Vec<2>&);
template Vec<4> barycentric_coordinates<3>(const SimplexCorners<3>&, const Vec<3>&);
template double overlap_moments<2>(const SimplexCorners<2>&, const SimplexCorners<2>&, Mat<3>&);
template double overlap_moments<3>(const SimplexCorners<3>&, const SimplexCorners<3>&, Mat<4>&);

}  // namespace clearance
