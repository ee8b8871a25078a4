// Search for the part of a body on which an operation is judged.
#pragma once

#include <span>
#include <utility>

#include "clearance/remesh/local_problem.h"

namespace clearance {

/// Finds the part of a body around given vertices; reuses its scratch memory.
template <int dim>
class ScopeFinder {
 public:
  /// `body` must outlive the object. `least_volume` is in [m^3] (2D: [m^2]), at rest.
  ScopeFinder(const AdaptingBody<dim>& body, double least_volume) : body_(body), least_volume_(least_volume) {}

  /// Grows a region from all elements at the seeds. If `is_wide`, the region has at least two rings of elements around
  /// the seeds, and further rings until it reaches `least_volume` [Fer23, sec. 6.3.7] or 500 elements: beyond that
  /// single operations change nothing. Those of its vertices move that are free and belong to no other element; the
  /// returned scope holds the elements at moving vertices.
  Scope find(std::span<const int> seeds, bool is_wide);

 private:
  bool mark(std::vector<int>& marks, int number) {
    if (number >= std::ssize(marks)) marks.resize(2 * number + 1, 0);
    int& mark = marks[number];
    return std::exchange(mark, round_) != round_;
  }
  void grow(std::vector<int>& front, double& volume);

  const AdaptingBody<dim>& body_;
  double least_volume_;
  int round_ = 0;
  std::vector<int> cell_marks_, vertex_marks_, kept_cell_marks_;  // number of the call that marked it last
  std::vector<int> cells_, vertices_;                             // of the present call
};

extern template class ScopeFinder<2>;
extern template class ScopeFinder<3>;

/// Adds the elements and facets that an operation has replaced to the scope before it. Call it after the operation,
/// with `moving` as found before it.
void add_replaced(const MeshEdit& edit, std::span<const int> reshaped_cells, Scope& scope);
/// Returns the scope of the same region after the operation.
template <int dim>
Scope scope_after(const AdaptingBody<dim>& body, const Scope& before, const MeshEdit& edit);

/// True if a vertex moves in local problems: it is neither prescribed nor frozen.
template <int dim>
bool is_free(const AdaptingBody<dim>& body, int vertex) {
  return (body.mesh.sets(vertex) & body.prescribed_sets) == 0 && !body.mesh.is_frozen(vertex);
}

}  // namespace clearance
