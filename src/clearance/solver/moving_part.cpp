#include "clearance/solver/moving_part.h"

#include <algorithm>
#include <utility>

#include "clearance/model/blocks.h"

namespace clearance {

namespace {

/// In smaller systems the factorisation is not what takes the time.
constexpr int fewest_blocks = 500;
/// Largest share of all blocks that a part has.
constexpr double largest_part = 0.5;
/// Share of the direction's length, and of the tolerance, above which a block counts as moving.
constexpr double share_of_length = 0.05, share_of_tolerance = 0.3;
/// Blocks this far from those that move belong to the part.
constexpr int num_rings = 2;
/// Number of directions of everything that come first: most steps need no more.
constexpr int patience = 3;
/// Share of the length of the last direction of everything; a part whose directions are shorter has come to rest.
constexpr double rest_share = 0.1;
constexpr int max_directions = 20;

/// Marks the neighbours of all that is marked.
void add_ring(const BlockSparseMatrix& matrix, std::vector<char>& marks) {
  const std::vector<char> inner = marks;
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for (const int row : matrix.column_rows(column)) {
      if (inner[row]) marks[column] = 1;
      if (inner[column]) marks[row] = 1;
    }
  }
}

}  // namespace

template <int dim>
void MovingPart<dim>::choose_everything() {
  blocks_.clear();
  marks_.clear();
  num_directions_ = 0;
}

template <int dim>
void MovingPart<dim>::choose(const VecX& dy, const BlockSparseMatrix& matrix, double tolerance) {
  const double length = dy.cwiseAbs().maxCoeff();
  // Counts the directions of parts since the last direction of everything.
  const int num_directions = is_everything() ? 0 : num_directions_ + 1;
  if (is_everything()) {
    length_everywhere_ = length;
    ++num_everywhere_;
  }
  choose_everything();
  // Everything moves next if a part does not pay or the present one has come to rest.
  if (num_everywhere_ < patience || matrix.num_blocks() < fewest_blocks || num_directions == max_directions ||
      !(length > std::max(tolerance, rest_share * length_everywhere_))) {
    return;
  }

  // The part is the blocks that move noticeably, with their neighbours.
  const double least = std::max(share_of_tolerance * tolerance, share_of_length * length);
  std::vector<char> marks(matrix.num_blocks(), 0);
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    marks[b] = block<dim>(dy, b).cwiseAbs().maxCoeff() > least;
  }
  for (int ring = 0; ring < num_rings; ++ring) add_ring(matrix, marks);
  // A part that is nearly everything saves nothing.
  const auto count = std::count(marks.begin(), marks.end(), 1);
  if (static_cast<double>(count) > largest_part * matrix.num_blocks()) return;
  num_directions_ = num_directions;
  marks_ = std::move(marks);
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    if (marks_[b]) blocks_.push_back(b);
  }
}

template class MovingPart<2>;
template class MovingPart<3>;

}  // namespace clearance
