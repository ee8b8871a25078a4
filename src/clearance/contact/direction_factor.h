// How much a pair of closest features counts as a contact, by the direction of its gap: a factor, 1 where each is a
// local minimum of the distance from the other and lies outside of the other's solid, 0 where it clearly is not, smooth
// between [Hua24, sec. 4.3], and the area that the features stand for in that direction.
//
// With u the unit vector towards a feature from the closest point of the other one, H the smooth step:
//   a vertex    prod H(t . u) over its edges, t the unit vectors along them
//   an edge     prod H(t . u) over its triangles, t the unit vectors in them across the edge (in the plane: none)
//   of a solid  H(3 (sum H(-n . u) - 1)) over the facets of the vertex or the edge, n their normals
// A neighbour takes what a feature loses: where the gap to a boundary of the feature (an edge of a triangle, an end of
// an edge) is turned by theta from its own, the boundary has the share H(-sin theta) and the feature the rest. Over a
// flat surface, however it is cut into triangles, the shares of all features sum up to 1. So that none is shared by
// more than its neighbours where elements are smaller than the gap, what a vertex faces has a narrower step there,
// H((1 + alpha d / l) t . u) with l half the extent of the element; a pair of vertices is two contacts, of which the
// first vertex is the one that faces the other.
//
// The area of a feature of a solid is that of the shares of the facets around it which face the contact, as far as
// facets of the other one do, too (flat on flat), but at least its sharpness: a corner on a plane has the same area on
// every mesh.
//
// With GcpOptions::published, for comparison, the factor is the published one: it multiplies the current
// areas of both features, which depend on their edges, and pairs vanish where they end.
#pragma once

#include <vector>

#include "clearance/base/contact_options.h"
#include "clearance/contact/contact_frame.h"
#include "clearance/contact/direction_curvature.h"
#include "clearance/contact/gcp_rest.h"
#include "clearance/contact/smooth_step.h"
#include "clearance/contact/surface_star.h"

namespace clearance {

/// Evaluates the factor of one contact after the other. The vertex of a contact with a facet (in the plane: an edge)
/// must already be on its outer side.
template <int dim>
class DirectionFactor {
 public:
  /// The arguments must outlive the object.
  DirectionFactor(const Model& model, const SurfaceStar& star, const GcpRest& rest, const GcpOptions& options)
      : model_(model), star_(star), rest_(rest), options_(options) {}

  /// At the surface positions `x` (flat), where the features of the contact are the closest ones: the factor, between 0
  /// and 1, times the area [m^(dim-1)] of the first feature; of two edges, of both.
  double evaluate(const Contact& contact, const VecX& x);

  // The functions below refer to the contact evaluated last, if its value was not 0.

  /// True if the value varies when the vertices move; false if moving any vertex a little leaves the value as it is.
  bool varies() const;
  /// Appends the surface vertices, those of the features aside, that it varies with, sorted.
  void add_neighbours(std::vector<int>& neighbours) const;

  /// A summand of the logarithm of the value, a function of a scalar: derivatives by the scalar, and the scalar's by
  /// the vertices, dim numbers per place of the stencil.
  struct LogTerm {
    double first = 0.0;
    double second = 0.0;
    std::vector<double> gradient;
  };
  /// Their firsts, times gradients, sum up to the gradient of the logarithm. What scalars curve by is left out of the
  /// seconds and, where `curvature` is not null, added to it: the Hessian of the logarithm is the sum of both. `frame`
  /// is that of the contact, `neighbours` those of its stencil.
  std::vector<LogTerm> log_terms(const ContactFrame<dim>& frame, std::span<const int> neighbours,
                                 DirectionCurvature<dim>* curvature = nullptr) const;

 private:
  enum class Kind { edge, face, normal, facing, boundary, length, triangle };
  /// A cosine and the smooth step of it.
  struct Term {
    Kind kind;
    int side;                     // 0: of the first feature, 1: of the second
    std::array<int, 3> vertices;  // -1: none
    double sign;                  // of a normal: 1 or -1
    double cosine;
    StepValue step;          // of the cosine, or of what it is times 1 + distance * narrowing
    double narrowing = 0.0;  // [1/m]
    double share = 0.0;      // facing: area of the facet; length: of its power dim - 1
  };
  /// The contribution of one side to the area: `least`, plus `more` as far as the other side is faced.
  struct Area {
    double least = 0.0;
    StepValue more;                     // by the sum of the shares that face the contact
    StepValue faced = {1.0, 0.0, 0.0};  // by the sum of the steps of all facets
    double published = 1.0;             // current
  };
  /// Sums over the facets around a feature.
  struct FacetSums {
    double outside = 0.0;  // steps of the normals
    double facing = 0.0;   // steps of the facets that face the contact
    double shares = 0.0;   // the same, times the areas of the facets
  };
  class TermGradient;
  class TermCurvature;
  class LogTerms;

  Vec<dim> at(int v) const { return block<dim>(*x_, v); }
  Vec<dim> towards(int side) const { return side == 0 ? normal_ : Vec<dim>(-normal_); }
  bool add(Kind kind, int side, const std::array<int, 3>& vertices, double cosine, double extent);
  bool add_features();
  bool add_boundaries();
  bool add_boundary(int point, int line0, int line1, double extent);
  double length(int edge) const;
  bool add_vertex(int side, int vertex);
  bool add_edge(int side, int edge);
  bool add_surroundings(int side, int feature, bool is_solid, std::span<const int> facets, bool has_area,
                        const std::vector<double>& measures, const std::vector<double>& sharpness);
  bool add_facets(int side, std::span<const int> facets, bool has_area, double sharpness);
  void add_facet(int side, int facet, bool has_area, FacetSums& sums);
  double area() const;
  void measure(int side, std::span<const int> edges, double share);
  void measure_triangle();
  std::size_t place_of(int vertex, std::span<const int> neighbours) const;

  const Model& model_;
  const SurfaceStar& star_;
  const GcpRest& rest_;
  GcpOptions options_;
  // State of the contact evaluated last.
  const VecX* x_ = nullptr;
  Contact contact_;
  double distance_ = 0.0;
  Vec<dim> normal_ = Vec<dim>::Zero();
  double value_ = 0.0;
  std::vector<Term> terms_;             // those that are not constant, and all normals of a side that varies
  std::vector<Term> facing_;            // of the facets looked at
  std::array<StepValue, 2> outside_{};  // per side: of the sum over the normals
  std::array<Area, 2> areas_{};         // per side
};

extern template class DirectionFactor<2>;
extern template class DirectionFactor<3>;

}  // namespace clearance
