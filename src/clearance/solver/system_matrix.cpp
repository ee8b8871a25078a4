#include "clearance/solver/system_matrix.h"

#include <algorithm>
#include <utility>

namespace clearance {

namespace {

std::unique_ptr<LinearSolver> make_solver(LinearSolverChoice choice) {
  switch (choice) {
    case LinearSolverChoice::cholmod:
      return make_cholmod_solver();
    case LinearSolverChoice::pcg:
      return make_pcg_solver();
    default:
      return make_automatic_solver();
  }
}

}  // namespace

SystemMatrix::SystemMatrix(const Model& model, const SolverOptions& options)
    : dim_(model.layout.dim), num_blocks_(model.layout.num_blocks) {
  for (int b = 0; b < num_blocks_; ++b) model_keys_.push_back(make_block_key(b, b));
  for (const auto& potential : model.potentials) {
    const std::vector<BlockKey> keys = potential->pattern();
    model_keys_.insert(model_keys_.end(), keys.begin(), keys.end());
  }
  if (model.consistent_mass) {
    model_keys_.insert(model_keys_.end(), model.consistent_mass->keys().begin(), model.consistent_mass->keys().end());
  }
  std::sort(model_keys_.begin(), model_keys_.end());
  model_keys_.erase(std::unique(model_keys_.begin(), model_keys_.end()), model_keys_.end());
  matrix_ = BlockSparseMatrix(dim_, num_blocks_, model_keys_);
  solver_ = make_solver(options.linear_solver);
  solver_->set_common_pattern(matrix_);
}

bool SystemMatrix::has_all(const std::vector<BlockKey>& keys) const {
  return std::all_of(keys.begin(), keys.end(),
                     [&](BlockKey key) { return matrix_.find_slot(block_row(key), block_column(key)) >= 0; });
}

void SystemMatrix::begin_step(const VecX& x_t0) {
  is_first_of_step_ = true;
  solver_->set_positions(x_t0);
  solver_->forget_history();
}

BlockSparseMatrix& SystemMatrix::reset(const std::vector<BlockKey>& contact_keys) {
  std::vector<BlockKey> extra;
  std::set_difference(contact_keys.begin(), contact_keys.end(), model_keys_.begin(), model_keys_.end(),
                      std::back_inserter(extra));
  const bool is_first = std::exchange(is_first_of_step_, false);
  if (is_first ? extra == contact_keys_ : has_all(contact_keys)) {
    matrix_.set_zero();
    return matrix_;
  }
  // Keep the blocks of the step's earlier contacts, so that contacts that come and go find their place, unless they
  // have become many.
  const std::size_t num_current = extra.size();
  if (!is_first && contact_keys_.size() <= 2 * num_current + 64) {
    std::vector<BlockKey> joined;
    std::set_union(extra.begin(), extra.end(), contact_keys_.begin(), contact_keys_.end(), std::back_inserter(joined));
    extra = std::move(joined);
  }
  contact_keys_ = std::move(extra);
  std::vector<BlockKey> all;
  std::set_union(model_keys_.begin(), model_keys_.end(), contact_keys_.begin(), contact_keys_.end(),
                 std::back_inserter(all));
  matrix_ = BlockSparseMatrix(dim_, num_blocks_, all);
  return matrix_;
}

}  // namespace clearance
