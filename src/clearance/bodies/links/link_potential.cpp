#include "clearance/bodies/links/link_potential.h"

#include <algorithm>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/bodies/links/face_normal.h"
#include "clearance/bodies/links/weighted_sum.h"

namespace clearance {

namespace {

constexpr double broken = 1.0;

template <int dim>
FaceNormal<dim> normal_of(const Link& link, const VecX& x) {
  std::array<Vec<dim>, dim> corners;
  for (int k = 0; k < dim; ++k) corners[k] = difference_of<dim>(link.corners[k].terms, link.corners[k].offset, x);
  return FaceNormal<dim>(corners);
}

/// Returns the weight of a block in corner k of the face of a link.
double weight_in_corner(const Link& link, int k, int block) {
  for (const LinkTerm& term : link.corners[k].terms) {
    if (term.block == block) return term.weight;
  }
  return 0.0;
}

/// Returns the derivatives dr/dx by the blocks of a link to a face.
template <int dim>
std::vector<Mat<dim>> slopes_of(const Link& link, const FaceNormal<dim>& normal) {
  std::vector<Mat<dim>> slopes;
  for (const LinkTerm& term : link.terms) {
    Mat<dim>& slope = slopes.emplace_back(term.weight * Mat<dim>::Identity());
    for (int k = 0; k < dim; ++k) {
      const double weight = weight_in_corner(link, k, term.block);
      if (weight != 0.0) slope -= link.height * weight * normal.slope(k);
    }
  }
  return slopes;
}

}  // namespace

template <int dim>
LinkPotential<dim>::LinkPotential(std::vector<LinkGroup> groups)
    : groups_(std::make_shared<const std::vector<LinkGroup>>(std::move(groups))) {
  StencilList stencils;
  for (const LinkGroup& group : *groups_) {
    first_link_.push_back(links_.size());
    for (const Link& link : group.links) {
      links_.push_back(&link);
      std::vector<int> blocks;
      for (const Link::Term& term : link.terms) blocks.push_back(term.block);
      stencils.add(blocks);
    }
  }
  assembler_ = BlockAssembler(stencils);
  first_link_.push_back(links_.size());
  active_.resize(links_.size());
}

template <int dim>
bool LinkPotential<dim>::is_driven() const {
  return std::any_of(groups_->begin(), groups_->end(),
                     [](const LinkGroup& group) { return group.length || group.moved; });
}

template <int dim>
HistoryLayout LinkPotential<dim>::history_layout() const {
  HistoryLayout layout;
  layout.num_per_point = 1;
  for (const Link* link : links_) layout.points.push_back({link->start, link->terms.front().block});
  return layout;
}

template <int dim>
void LinkPotential<dim>::set_history(std::span<const double> history) {
  history_.assign(history.begin(), history.end());
}

template <int dim>
Result<Done> LinkPotential<dim>::begin_step(const VecX& /*x_t0*/, double h, double time_t1) {
  Issues issues;
  for (std::size_t g = 0; g < groups_->size(); ++g) {
    const LinkGroup& group = (*groups_)[g];
    const bool acts = group.is_active(h, time_t1);
    const Result<double> length = group.length ? group.length(time_t1) : Result<double>(0.0);
    const auto moved = group.moved ? group.moved(time_t1) : Result<std::vector<Vec<3>>>(std::vector<Vec<3>>());
    issues.insert(issues.end(), length.issues().begin(), length.issues().end());
    issues.insert(issues.end(), moved.issues().begin(), moved.issues().end());
    if (!length || !moved) continue;
    for (std::size_t i = 0; i < group.links.size(); ++i) {
      const std::size_t at = first_link_[g] + i;
      ActiveLink& active = active_[at];
      active.acts = acts && (history_.empty() || history_[at] != broken);
      active.length = group.length ? *length : group.links[i].length;
      active.offset = group.links[i].offset.template head<dim>();
      if (group.moved) active.offset -= (*moved)[i].template head<dim>();
    }
  }
  if (!issues.empty()) return issues;
  return Done{};
}

template <int dim>
void LinkPotential<dim>::end_step(const VecX& x_t1, std::span<double> history) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const bool was_broken = !history_.empty() && history_[i] == broken;
    const bool breaks = active_[i].acts && std::abs(tension(i, x_t1)) > links_[i]->break_force;
    history[i] = was_broken || breaks ? broken : 0.0;
  }
}

template <int dim>
Vec<dim> LinkPotential<dim>::difference(std::size_t link, const VecX& x) const {
  Vec<dim> r = active_[link].offset;
  for (const Link::Term& term : links_[link]->terms) {
    r += term.weight * x.template segment<dim>(dim * static_cast<Eigen::Index>(term.block));
  }
  if (!links_[link]->corners.empty()) r -= links_[link]->height * normal_of<dim>(*links_[link], x).value();
  return r;
}

template <int dim>
double LinkPotential<dim>::tension(std::size_t link, const VecX& x) const {
  return links_[link]->stiffness * (difference(link, x).norm() - active_[link].length);
}

template <int dim>
double LinkPotential<dim>::energy_of(std::size_t link, const VecX& x) const {
  if (!active_[link].acts) return 0.0;
  const double stretch = difference(link, x).norm() - active_[link].length;
  return 0.5 * links_[link]->stiffness * stretch * stretch;
}

template <int dim>
CompensatedSum LinkPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(static_cast<int>(links_.size()), [&](int i) { return energy_of(i, x); });
}

template <int dim>
void LinkPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  if (!has_body_energies()) return;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    sums[body_of_block[links_[i]->terms.front().block]] += energy_of(i, x);
  }
}

// The gradient is summed serially, because links share blocks; there are far fewer links than elements.

template <int dim>
void LinkPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!active_[i].acts) continue;
    if (!links_[i]->corners.empty()) {
      add_tied_gradient(i, x, scale, gradient);
      continue;
    }
    const Vec<dim> r = difference(i, x);
    const double l = active_[i].length, distance = r.norm();
    // At |r| = 0 the direction of a link with a length is undefined, and it pushes nowhere.
    if (distance == 0.0) continue;
    const Vec<dim> force = scale * links_[i]->stiffness * (1.0 - l / distance) * r;
    for (const Link::Term& term : links_[i]->terms) {
      gradient.template segment<dim>(dim * static_cast<Eigen::Index>(term.block)) += term.weight * force;
    }
  }
}

template <int dim>
void LinkPotential<dim>::add_tied_gradient(std::size_t i, const VecX& x, double scale, VecX& gradient) const {
  // The gradient is k (dr/dx)^T r.
  const Link& link = *links_[i];
  const std::vector<Mat<dim>> slopes = slopes_of(link, normal_of<dim>(link, x));
  const Vec<dim> force = scale * link.stiffness * difference(i, x);
  for (std::size_t a = 0; a < link.terms.size(); ++a) {
    gradient.template segment<dim>(dim * static_cast<Eigen::Index>(link.terms[a].block)) +=
        slopes[a].transpose() * force;
  }
}

template <int dim>
void LinkPotential<dim>::append_tied_hessian(std::size_t i, const VecX& x, bool is_projected) {
  const Link& link = *links_[i];
  const FaceNormal<dim> normal = normal_of<dim>(link, x);
  const std::vector<Mat<dim>> slopes = slopes_of(link, normal);
  const Vec<dim> r = difference(i, x);
  for (std::size_t a = 0; a < link.terms.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      Mat<dim> block = Mat<dim>::Zero();
      if (active_[i].acts) block = link.stiffness * slopes[a].transpose() * slopes[b];
      for (int k = 0; k < dim && active_[i].acts && !is_projected; ++k) {
        for (int l = 0; l < dim; ++l) {
          const double weight =
              weight_in_corner(link, k, link.terms[a].block) * weight_in_corner(link, l, link.terms[b].block);
          if (weight != 0.0) block -= link.stiffness * link.height * weight * normal.curvature(k, l, r);
        }
      }
      locals_.insert(locals_.end(), block.data(), block.data() + block.size());
    }
  }
}

template <int dim>
void LinkPotential<dim>::add_hessian(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  locals_.clear();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = *links_[i];
    if (!link.corners.empty()) {
      append_tied_hessian(i, x, is_projected);
      continue;
    }
    Mat<dim> hessian = Mat<dim>::Zero();
    if (active_[i].acts) {
      const Vec<dim> r = difference(i, x);
      const double l = active_[i].length, distance = r.norm();
      // Across the link it is as stiff as its tension over its length; a link of no length is alike in all directions.
      double across = 1.0;
      if (l > 0.0) across = distance > 0.0 ? 1.0 - l / distance : 0.0;
      if (is_projected) across = std::max(across, 0.0);
      hessian = link.stiffness * axial_stiffness<dim>(r, 1.0, across);
    }
    append_hessian<dim>(link.terms, hessian, locals_);
  }
  assembler_.add_to<dim>(matrix, locals_, scale);
}

template <int dim>
void LinkPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  add_hessian(x, scale, true, matrix);
}

template <int dim>
void LinkPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  add_hessian(x, scale, false, matrix);
}

template <int dim>
LinkForce LinkPotential<dim>::force_of(int group, const VecX& x) const {
  LinkForce force;
  for (std::size_t i = first_link_[group]; i < first_link_[group + 1]; ++i) {
    if (!active_[i].acts) continue;
    const Vec<dim> r = difference(i, x);
    const double distance = r.norm(), carried = tension(i, x);
    if (distance > 0.0) force.total.template head<dim>() -= carried / distance * r;
    force.largest = std::max(force.largest, std::abs(carried));
    ++force.num_links;
  }
  return force;
}

template class LinkPotential<2>;
template class LinkPotential<3>;

}  // namespace clearance
