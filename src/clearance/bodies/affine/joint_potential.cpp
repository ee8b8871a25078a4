#include "clearance/bodies/affine/joint_potential.h"

#include <algorithm>

#include "clearance/bodies/affine/joint_pairs.h"

namespace clearance {

template <int dim>
JointPotential<dim>::JointPotential(const std::vector<StiffJoint>& joints, const std::vector<HeldBody>& held) {
  for (const StiffJoint& joint : joints) links_.emplace_back(joint);
  for (const HeldBody& body : held) links_.emplace_back(body);
}

template <int dim>
Result<Done> JointPotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  Issues issues;
  for (JointLink<dim>& link : links_) link.begin_step(link.gather(x_t0), h, time_t1, issues);
  if (!issues.empty()) return issues;
  return Done{};
}

template <int dim>
CompensatedSum JointPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(links_.size()),
      [&](int i) {
        CompensatedSum of_link;
        links_[static_cast<std::size_t>(i)].add_energy(links_[static_cast<std::size_t>(i)].gather(x), of_link);
        return of_link;
      },
      64);
}

template <int dim>
std::pair<int, double> JointPotential<dim>::largest_strain(const VecX& x) const {
  std::pair<int, double> largest = {-1, 0.0};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const double strain = links_[i].strain(links_[i].gather(x));
    if (strain > largest.second) largest = {static_cast<int>(i), strain};
  }
  return largest;
}

template <int dim>
double JointPotential<dim>::load_energy(const VecX& x) const {
  double sum = 0.0;
  for (const JointLink<dim>& link : links_) sum += link.effort_energy(link.gather(x));
  return sum;
}

template <int dim>
bool JointPotential<dim>::is_driven() const {
  return std::any_of(links_.begin(), links_.end(), [](const JointLink<dim>& link) { return link.has_drive(); });
}

// Gradient and matrix: serial, because joints share bodies; scenes have few joints beside their contacts.

template <int dim>
void JointPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (const JointLink<dim>& link : links_) {
    const typename JointLink<dim>::Blocks g = link.gradient(link.gather(x));
    for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
      if (const int b = link.block_of(k); b >= 0) block<dim>(gradient, b) += scale * g.col(k);
    }
  }
}

template <int dim>
JointState JointPotential<dim>::joint_state(int index, const VecX& x) const {
  const JointLink<dim>& link = links_[static_cast<std::size_t>(index)];
  return link.state(link.gather(x));
}

template <int dim>
std::vector<BlockKey> JointPotential<dim>::pattern() const {
  std::vector<BlockKey> keys;
  for (const JointLink<dim>& link : links_) {
    for_each_pair(link, [&](int, int, int row, int column) { keys.push_back(make_block_key(row, column)); });
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

template <int dim>
void JointPotential<dim>::bind(const BlockSparseMatrix& matrix) {
  if (matrix.pattern_id() == bound_pattern_) return;
  slots_.clear();
  for (const JointLink<dim>& link : links_) {
    for_each_pair(link, [&](int, int, int row, int column) { slots_.push_back(matrix.find_slot(row, column)); });
  }
  bound_pattern_ = matrix.pattern_id();
}

template <int dim>
void JointPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  bind(matrix);
  const std::int64_t* slot = slots_.data();
  for (const JointLink<dim>& link : links_) {
    const typename JointLink<dim>::Hessian h = link.hessian(link.gather(x));
    for_each_pair(link, [&](int k, int l, int, int column) {
      matrix.add_to_slot<dim>(*slot++, matrix.slot_stride(column), Mat<dim>(scale * h.block(k, l)));
    });
  }
}

template <int dim>
StepLimit JointPotential<dim>::max_feasible_step(const VecX& x, const VecX& dx) {
  StepLimit limit;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!links_[i].has_limit()) continue;
    const double alpha = links_[i].max_feasible_step(links_[i].gather(x), links_[i].gather_motion(dx));
    if (alpha < limit.alpha) limit = {alpha, static_cast<int>(i)};
  }
  return limit;
}

template <int dim>
bool JointPotential<dim>::is_feasible(const VecX& x) const {
  return std::all_of(links_.begin(), links_.end(),
                     [&](const JointLink<dim>& link) { return !link.has_limit() || link.is_inside(link.gather(x)); });
}

template class JointPotential<2>;
template class JointPotential<3>;

}  // namespace clearance
