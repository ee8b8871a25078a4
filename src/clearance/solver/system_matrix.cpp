#include "clearance/solver/system_matrix.h"

#include <algorithm>
#include <utility>

#include "clearance/model/blocks.h"

namespace clearance {

namespace {

std::unique_ptr<LinearSolver> make_solver(const SolverOptions& options) {
  switch (options.linear_solver) {
    case LinearSolverChoice::petsc:
      // The simulation refuses scenes that ask for it where it is not.
      if (const PetscProvider* petsc = petsc_provider()) return petsc->make(options.petsc);
      break;
    case LinearSolverChoice::cholmod:
      return make_cholmod_solver();
    case LinearSolverChoice::pcg:
      return make_pcg_solver();
    case LinearSolverChoice::automatic:
      break;
  }
  return make_automatic_solver();
}

}  // namespace

template <int dim>
SystemMatrix<dim>::SystemMatrix(const Model& model, const SolverOptions& options)
    : SystemMatrix(model, make_solver(options)) {}

template <int dim>
SystemMatrix<dim>::SystemMatrix(const Model& model, std::unique_ptr<LinearSolver> solver)
    : model_(model), coordinates_(model), num_blocks_(model.layout.num_blocks), solver_(std::move(solver)) {
  // Every diagonal block is there, since inertia and fixed blocks write to it.
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
  matrix_ = BlockSparseMatrix(dim, num_blocks_, model_keys_);
  if (!coordinates_.are_displacements()) {
    const VecX zero = VecX::Zero(dim * num_blocks_);
    coordinates_.reduce(zero, zero, 0.0, matrix_, reduced_);
  }
  if (!solver_) return;
  solver_->set_interpolation(coordinates_.interpolation());
  // Friction that follows contact forces solves with the matrix of one iteration for many forces (FrictionCoupling).
  if (!model.friction.is_frictionless()) solver_->expect_many_solves();
  solver_->set_common_pattern(matrix());
}

template <int dim>
bool SystemMatrix<dim>::has_all(const std::vector<BlockKey>& keys) const {
  return std::all_of(keys.begin(), keys.end(),
                     [&](BlockKey key) { return matrix_.find_slot(block_row(key), block_column(key)) >= 0; });
}

template <int dim>
void SystemMatrix<dim>::begin_step(const VecX& x_t0) {
  is_first_of_step_ = true;
  solver_->set_positions(coordinates_.positions(x_t0));
  if (solver_->needs_rigid_motions()) solver_->set_rigid_motions(coordinates_.rigid_motions(x_t0));
  solver_->forget_history();
}

template <int dim>
BlockSparseMatrix& SystemMatrix<dim>::reset(const std::vector<BlockKey>& contact_keys) {
  std::vector<BlockKey> extra;
  std::set_difference(contact_keys.begin(), contact_keys.end(), model_keys_.begin(), model_keys_.end(),
                      std::back_inserter(extra));
  // The pattern is kept if it holds all contacts; in the first system of a step only if it is exactly theirs.
  const bool is_first = std::exchange(is_first_of_step_, false);
  if (is_first ? extra == contact_keys_ : has_all(contact_keys)) {
    matrix_.set_zero();
    return matrix_;
  }
  // The blocks of earlier contacts in the step are kept, so that contacts that come and go find their place, unless
  // they have become many.
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
  matrix_ = BlockSparseMatrix(dim, num_blocks_, all);
  return matrix_;
}

template <int dim>
void SystemMatrix<dim>::reduce(const VecX& x, double inertia, const FixedBlocks& fixed, VecX& gradient, bool is_exact) {
  if (!coordinates_.are_displacements()) {
    coordinates_.reduce(x, gradient, inertia, matrix_, reduced_, is_exact);
    gradient = coordinates_.reduce(x, gradient);
  }
  // Fixed blocks and held components become the identity, with a gradient of zero.
  const std::vector<char> is_fixed_here = coordinates_.reduce(fixed.is_fixed);
  clear_blocks<dim>(is_fixed_here, gradient);
  matrix().fix_blocks(is_fixed_here);
  if (fixed.held_components.empty()) return;
  const std::vector<char> held_here = coordinates_.reduce(fixed.held_components);
  clear_components<dim>(held_here, gradient);
  matrix().fix_components(held_here);
}

template class SystemMatrix<2>;
template class SystemMatrix<3>;

}  // namespace clearance
