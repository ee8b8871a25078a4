// Which part of a body an operation is judged on.
#pragma once

#include <span>
#include <utility>

#include "clearance/remesh/local_problem.h"

namespace clearance {

/// Finds the part around some vertices; has scratch.
template <int dim>
class ScopeFinder {
 public:
  /// `body` outlives the object. `least_volume` [m^3] (2D: [m^2]) at rest.
  ScopeFinder(const AdaptingBody<dim>& body, double least_volume) : body_(body), least_volume_(least_volume) {}

  /// All elements at the seeds; if `is_wide` all within two rings of them, and further rings while they are less than
  /// the volume [Fer23, sec. 6.3.7] and no more than 500 elements: beyond that single operations change nothing. Of
  /// their vertices those move that are free and that no other element has.
  Scope find(std::span<const int> seeds, bool is_wide);

 private:
  bool mark(std::vector<int>& marks, int number) {
    if (static_cast<std::size_t>(number) >= marks.size()) marks.resize(2 * static_cast<std::size_t>(number) + 1, 0);
    int& mark = marks[static_cast<std::size_t>(number)];
    return std::exchange(mark, round_) != round_;
  }
  void grow(std::vector<int>& front, double& volume);

  const AdaptingBody<dim>& body_;
  double least_volume_;
  int round_ = 0;
  std::vector<int> cell_marks_, vertex_marks_, kept_cell_marks_;  // the round that found it last
  std::vector<int> cells_, vertices_;                             // of this round
};

extern template class ScopeFinder<2>;
extern template class ScopeFinder<3>;

/// Before the operation: with what it has replaced. To be called after it; `moving` as found before it.
void add_replaced(const MeshEdit& edit, std::span<const int> reshaped_cells, Scope& scope);
/// The same region after it.
template <int dim>
Scope scope_after(const AdaptingBody<dim>& body, const Scope& before, const MeshEdit& edit);

/// Vertices that move within local problems: they are not prescribed, nor frozen.
template <int dim>
bool is_free(const AdaptingBody<dim>& body, int vertex) {
  return (body.mesh.sets(vertex) & body.prescribed_sets) == 0 && !body.mesh.is_frozen(vertex);
}

}  // namespace clearance
