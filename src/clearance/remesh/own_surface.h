// The boundary of a body whose elements change, as contacts see it.
#pragma once

#include <span>
#include <vector>

#include "clearance/remesh/scene_surfaces.h"

namespace clearance {

template <int dim>
class OwnSurface {
 public:
  /// `in` and `body` outlive the object. A body without vertices in the step's surface takes part in no contact.
  OwnSurface(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body);

  bool has_contact() const { return like_ >= 0; }
  /// [m] The body's activation distance.
  double dhat() const { return dhat_; }
  /// A vertex of the step's surface with the body's scales of contact.
  int like() const { return like_; }

  /// Live facets that meet the region, and `others`, with their vertices and edges; `vertices`: numbers in the mesh of
  /// the nodes, ascending. Areas are those of all facets around, near or not.
  BodySurface<dim> part(const Extent<dim>& region, std::span<const int> others, std::vector<int>& vertices) const;
  BodySurface<dim> whole() const;

  /// The facets at these vertices are new, or elsewhere than before.
  void note_change(std::span<const int> vertices);
  /// A vertex between two others has what they remember of friction.
  void add_midpoint(int a, int b);
  /// The one added last goes again.
  void drop_midpoint();

 private:
  using Item = typename ExtentGroups<dim>::Item;
  Extent<dim> extent_of(int facet) const;
  double area_of(int facet) const;
  double measure_of(int vertex) const;
  double measure_of_edge(int a, int b) const;
  void build_groups();
  BodySurface<dim> surface_of(const std::vector<int>& facets, std::vector<int>& vertices) const;

  const AdaptingBody<dim>& body_;
  int like_ = -1;
  double dhat_ = 0.0;
  std::vector<std::vector<StickVertex>> stick_;  // per vertex of the mesh; empty: nothing sticks
  ExtentGroups<dim> groups_;
  std::vector<int> changed_;  // facets that the groups do not know, or where they were
};

extern template class OwnSurface<2>;
extern template class OwnSurface<3>;

}  // namespace clearance
