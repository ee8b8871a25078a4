#include "clearance/bodies/affine/joint_potential.h"

#include <algorithm>

#include "clearance/bodies/affine/joint_pairs.h"

namespace clearance {

namespace {

int turns_of(const std::vector<int>& turns, std::size_t joint) {
  return joint < turns.size() ? turns[joint] : 0;
}

}  // namespace

template <int dim>
JointPotential<dim>::JointPotential(const std::vector<StiffJoint>& joints, const std::vector<HeldBody>& held,
                                    const std::vector<StiffCoupling>& couplings)
    : num_joints_(joints.size()) {
  for (const StiffJoint& joint : joints) links_.emplace_back(joint);
  for (const HeldBody& body : held) links_.emplace_back(body);
  for (const StiffCoupling& coupling : couplings) couplings_.emplace_back(coupling, links_);
}

template <int dim>
void JointPotential<dim>::set_turns(const VecX& x, const std::vector<int>& turns) {
  for (std::size_t j = 0; j < num_joints_; ++j) links_[j].set_turns(links_[j].gather(x), turns_of(turns, j));
}

template <int dim>
void JointPotential<dim>::count_turns(const VecX& x, std::vector<int>& turns) const {
  // Held bodies make no turns that count.
  turns.resize(num_joints_, 0);
  for (std::size_t j = 0; j < num_joints_; ++j) turns[j] = links_[j].num_turns(links_[j].gather(x));
}

template <int dim>
bool JointPotential<dim>::refer_to(const VecX& x) {
  for (std::size_t j = 0; j < num_joints_; ++j) links_[j].refer_to(links_[j].gather(x));
  return false;
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
  // Sum the links in a fixed order, then the couplings.
  CompensatedSum sum = ordered_sum(
      static_cast<int>(links_.size()),
      [&](int i) {
        CompensatedSum of_link;
        links_[i].add_energy(links_[i].gather(x), of_link);
        return of_link;
      },
      64);
  for (const JointCoupling<dim>& coupling : couplings_) sum.add(coupling.energy(links_, x));
  return sum;
}

template <int dim>
std::pair<int, double> JointPotential<dim>::largest_strain(const VecX& x, const std::vector<int>& turns) const {
  // The errors of links do not depend on turns, those of couplings do.
  std::pair<int, double> largest = {-1, 0.0};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const double strain = links_[i].strain(links_[i].gather(x));
    if (strain > largest.second) largest = {static_cast<int>(i), strain};
  }
  if (couplings_.empty()) return largest;
  // A copy is set to the turns at x.
  JointPotential now = *this;
  now.set_turns(x, turns);
  for (const JointCoupling<dim>& coupling : couplings_) {
    const double strain = coupling.strain(now.links_, x);
    if (strain > largest.second) largest = {coupling.joint(), strain};
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

template <int dim>
void JointPotential<dim>::mark_stopped_bodies(const VecX& x, const std::vector<int>& body_of_block,
                                              std::vector<char>& is_stopped) const {
  for (const JointLink<dim>& link : links_) {
    if (!link.has_limit() || !link.is_at_limit(link.gather(x))) continue;
    // Columns 0 and dim + 1 are the centres of both bodies.
    for (const int k : {0, dim + 1}) {
      const int b = link.block_of(k);
      if (b >= 0) is_stopped[body_of_block[b]] = 1;
    }
  }
}

// Gradient and matrix are summed serially, because joints share bodies; scenes have few joints beside their contacts.

template <int dim>
void JointPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (const JointLink<dim>& link : links_) {
    const typename JointLink<dim>::Blocks g = link.gradient(link.gather(x));
    for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
      if (const int b = link.block_of(k); b >= 0) block<dim>(gradient, b) += scale * g.col(k);
    }
  }
  for (const JointCoupling<dim>& coupling : couplings_) coupling.add_gradient(links_, x, scale, gradient);
}

template <int dim>
void JointPotential<dim>::add_excess(const VecX& x_from, const VecX& dx, const VecX& x_to, double scale,
                                     VecX& gradient) const {
  for (const JointLink<dim>& link : links_) {
    typename JointLink<dim>::Blocks g = JointLink<dim>::Blocks::Zero();
    link.add_excess(link.gather(x_from), link.gather_motion(dx), link.gather(x_to), g);
    for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
      if (const int b = link.block_of(k); b >= 0) block<dim>(gradient, b) += scale * g.col(k);
    }
  }
  for (const JointCoupling<dim>& coupling : couplings_) coupling.add_excess(links_, x_from, dx, x_to, scale, gradient);
}

template <int dim>
bool JointPotential<dim>::add_load_gradient(const VecX& x, double scale, VecX& gradient) const {
  // Only efforts are loads; all other forces of joints resist.
  bool has_any = false;
  for (const JointLink<dim>& link : links_) {
    if (!link.has_effort()) continue;
    has_any = true;
    const auto g = link.effort_gradient(link.gather(x));
    for (int k = 0; k < g.cols(); ++k) {
      if (const int b = link.block_of(k); b >= 0) block<dim>(gradient, b) += scale * g.col(k);
    }
  }
  return has_any;
}

template <int dim>
JointState JointPotential<dim>::joint_state(int index, const VecX& x, const std::vector<int>& turns) const {
  using Blocks = typename JointLink<dim>::Blocks;
  const std::size_t at = index;
  Blocks coupled = Blocks::Zero();
  // Without couplings one link is enough.
  if (couplings_.empty()) {
    JointLink<dim> link = links_[at];
    link.set_turns(link.gather(x), turns_of(turns, at));
    return link.state(link.gather(x), coupled);
  }
  // The forces of couplings depend on the turns of both joints, so a copy of all joints is set to the turns at x.
  JointPotential now = *this;
  now.set_turns(x, turns);
  for (const JointCoupling<dim>& coupling : couplings_) coupled += coupling.gradient_of_joint(index, now.links_, x);
  return now.links_[at].state(now.links_[at].gather(x), coupled);
}

template <int dim>
double JointPotential<dim>::joint_rate(int index, const VecX& x, const VecX& v) const {
  return links_[static_cast<std::size_t>(index)].coordinate_rate(x, v);
}

template <int dim>
std::vector<BlockKey> JointPotential<dim>::pattern() const {
  // Collect the blocks of all links and couplings, each once.
  std::vector<BlockKey> keys;
  add_keys(links_, keys);
  for (const JointCoupling<dim>& coupling : couplings_) {
    coupling.for_each_pair([&](int, int, int row, int column) { keys.push_back(make_block_key(row, column)); });
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

template <int dim>
void JointPotential<dim>::bind(const BlockSparseMatrix& matrix) {
  // Look up the slots once per pattern, in the order in which add_hessian visits them.
  if (matrix.pattern_id() == bound_pattern_) return;
  slots_.clear();
  add_slots(links_, matrix, slots_);
  for (const JointCoupling<dim>& coupling : couplings_) {
    coupling.for_each_pair([&](int, int, int row, int column) { slots_.push_back(matrix.find_slot(row, column)); });
  }
  bound_pattern_ = matrix.pattern_id();
}

template <int dim>
void JointPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  bind(matrix);
  const std::int64_t* slot = slots_.data();
  for (const JointLink<dim>& link : links_) {
    // Each link adds its projected Hessian, block by block.
    const typename JointLink<dim>::Hessian h = link.hessian(link.gather(x));
    for_each_pair(link, [&](int k, int l, int, int column) {
      matrix.add_to_slot<dim>(*slot++, matrix.slot_stride(column), Mat<dim>(scale * h.block(k, l)));
    });
  }
  // Couplings add their Gauss-Newton part, which is PSD.
  for (const JointCoupling<dim>& coupling : couplings_) {
    const std::vector<Vec<dim>> g = coupling.error_gradient(links_, x);
    coupling.for_each_pair([&](int k, int l, int, int column) {
      const Mat<dim> product = g[k] * g[l].transpose();
      matrix.add_to_slot<dim>(*slot++, matrix.slot_stride(column), Mat<dim>(scale * coupling.stiffness() * product));
    });
  }
}

template <int dim>
StepLimit JointPotential<dim>::max_feasible_step(const VecX& x, const VecX& dx) {
  // The shortest limit of all links counts.
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
