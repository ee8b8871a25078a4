// The boundary of a body whose elements change, in the form that contacts need.
#pragma once

#include <span>
#include <vector>

#include "clearance/remesh/scene_surfaces.h"

namespace clearance {

template <int dim>
class OwnSurface {
 public:
  /// `in` and `body` must outlive the object. A body without vertices in the step's surface takes part in no contact.
  OwnSurface(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body);

  bool has_contact() const { return like_ >= 0; }
  /// Returns the body's activation distance [m].
  double dhat() const { return dhat_; }
  /// Returns a vertex of the step's surface with the body's scales of contact; -1 if the body takes part in no contact.
  int like() const { return like_; }

  /// Returns the live facets, also of `others`, that meet the region, with their vertices and edges. `vertices`
  /// receives the numbers in the mesh of the nodes, ascending. Areas include all facets around, inside the region or
  /// not.
  BodySurface<dim> part(const Extent<dim>& region, std::span<const int> others, std::vector<int>& vertices) const;
  BodySurface<dim> whole() const;

  /// Records that the facets at these vertices are new or have moved.
  void note_change(std::span<const int> vertices);
  /// Appends a vertex at the middle of two others; it inherits the mean of their friction history.
  void add_midpoint(int a, int b);
  /// Removes the midpoint that was added last.
  void drop_midpoint();

 private:
  using Item = typename ExtentGroups<dim>::Item;
  Extent<dim> extent_of(int facet) const;
  double measure_of(int vertex) const;
  double measure_of_edge(int a, int b) const;
  void build_groups();
  BodySurface<dim> surface_of(const std::vector<int>& facets, std::vector<int>& vertices) const;

  const AdaptingBody<dim>& body_;
  int like_ = -1;
  double dhat_ = 0.0;
  std::vector<std::vector<StickVertex>> stick_;  // per vertex of the mesh; empty if nothing sticks
  ExtentGroups<dim> groups_;
  std::vector<int> changed_;  // facets that the groups lack or have at an old place
};

extern template class OwnSurface<2>;
extern template class OwnSurface<3>;

}  // namespace clearance
