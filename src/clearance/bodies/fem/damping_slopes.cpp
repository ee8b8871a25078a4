// Derivatives in reverse mode of damping by where a step starts, by the elastic numbers of its elements, and by their
// shape at rest: differences in every element by itself. A mesh in which no two elements share a node has all of them
// at once: the nodes of an element times dim directions, whatever the number of elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/bodies/fem/damping_potential.h"

namespace clearance {

namespace {

/// Changes of positions as a share of an element, and of moduli as a share of themselves; and the difference of the two
/// orders, as a share, up to which no shorter change is tried. The projection of the stiffness has kinks.
constexpr double first_change = 1e-4, smooth = 1e-6;

/// Returns the slopes of numbers that belong to elements, each by a number of its element that changes by multiples of
/// `lengths`.
template <class Function>
VecX slopes_of_elements(const VecX& lengths, const Function& function) {
  VecX best = VecX::Zero(lengths.size());
  VecX least = VecX::Constant(lengths.size(), std::numeric_limits<double>::infinity());
  for (const double part : {1.0, 0.03, 0.001}) {
    const VecX step = part * lengths;
    const VecX near = function(step) - function(-step), far = function(2.0 * step) - function(-2.0 * step);
    bool is_smooth = true;
    for (Eigen::Index e = 0; e < step.size(); ++e) {
      const double coarse = near[e] / (2.0 * step[e]), fine = (8.0 * near[e] - far[e]) / (12.0 * step[e]);
      const double miss = std::abs(fine - coarse);
      if (miss < least[e]) {
        least[e] = miss;
        best[e] = fine;
      }
      if (least[e] > smooth * std::abs(coarse)) is_smooth = false;
    }
    if (is_smooth) break;
  }
  return best;
}

/// Elements without common nodes, with a step and a motion of theirs.
template <int dim>
struct SeparateElements {
  ElementMesh<dim> mesh;
  VecX x_t0, x_t1, motion;
  double h = 0.0;

  Eigen::Index num_elements() const { return static_cast<Eigen::Index>(mesh.num_elements()); }
  Eigen::Index place(Eigen::Index e, std::size_t node, int c) const {
    return dim * (e * static_cast<Eigen::Index>(mesh.num_nodes()) + static_cast<Eigen::Index>(node)) + c;
  }
  VecX gather(const ElementMesh<dim>& from, const VecX& x) const {
    VecX values(dim * std::ssize(from.nodes));
    for (std::size_t i = 0; i < from.nodes.size(); ++i) {
      block<dim>(values, static_cast<int>(i)) = block<dim>(x, from.nodes[i]);
    }
    return values;
  }
  SeparateElements(const ElementMesh<dim>& from, const VecX& begin, const VecX& end, const VecX& moved, double step)
      : mesh(from), x_t0(gather(from, begin)), x_t1(gather(from, end)), motion(gather(from, moved)), h(step) {
    mesh.x_rest = gather(from, from.x_rest);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) mesh.nodes[i] = static_cast<int>(i);
  }
  /// Returns motion . (the force of damping) of every element.
  VecX values() const {
    LaggedDampingPotential<dim> damping(mesh);
    (void)damping.begin_step(x_t0, h, 0.0);
    VecX forces = VecX::Zero(motion.size());
    damping.add_gradient(x_t1, 1.0, forces);
    const Eigen::Index size = dim * static_cast<Eigen::Index>(mesh.num_nodes());
    VecX sums(num_elements());
    for (Eigen::Index e = 0; e < sums.size(); ++e)
      sums[e] = forces.segment(size * e, size).dot(motion.segment(size * e, size));
    return sums;
  }
  /// Returns the changes of positions, by the sizes of the elements.
  VecX lengths() const {
    VecX of_elements(num_elements());
    for (Eigen::Index e = 0; e < of_elements.size(); ++e) {
      const auto at = static_cast<std::size_t>(e);
      of_elements[e] = first_change * edge_matrix<dim>(mesh.x_rest, mesh.nodes_of(at)).colwise().norm().minCoeff();
    }
    return of_elements;
  }
  /// Returns the slopes of values() by component c of a node of every element, in the positions `x` of this object.
  VecX slopes(VecX& x, std::size_t node, int c) const {
    const VecX before = x;
    const VecX found = slopes_of_elements(lengths(), [&](const VecX& change) {
      x = before;
      for (Eigen::Index e = 0; e < change.size(); ++e) x[place(e, node, c)] += change[e];
      return values();
    });
    x = before;
    return found;
  }
};

}  // namespace

template <int dim>
void LaggedDampingPotential<dim>::pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                                                     MemoryCotangent result) const {
  if (!is_active_) return;
  SeparateElements<dim> separate(*mesh_, x_t0, x_t1, motion, h_);
  for (std::size_t node = 0; node < mesh_->num_nodes(); ++node) {
    for (int c = 0; c < dim; ++c) {
      const VecX slopes = separate.slopes(separate.x_t0, node, c);
      for (std::size_t e = 0; e < mesh_->num_elements(); ++e) {
        result.x_t0[dim * static_cast<Eigen::Index>(mesh_->nodes_of(e)[node]) + c] +=
            slopes[static_cast<Eigen::Index>(e)];
      }
    }
  }
}

template <int dim>
void LaggedDampingPotential<dim>::add_slopes(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                                             std::span<const std::size_t> places, ElementSlopes& slopes) const {
  if (!is_active_) return;
  SeparateElements<dim> separate(*mesh_, x_t0, x_t1, motion, h_);
  const std::vector<MaterialParameters> materials = mesh_->materials;
  for (const auto modulus : {&MaterialParameters::lambda, &MaterialParameters::mu}) {
    VecX lengths(separate.num_elements());
    for (std::size_t e = 0; e < mesh_->num_elements(); ++e) {
      const MaterialParameters& of_element = mesh_->material_of(e);
      lengths[static_cast<Eigen::Index>(e)] = first_change * (of_element.lambda + of_element.mu);
    }
    const VecX found = slopes_of_elements(lengths, [&](const VecX& change) {
      // The same multiple of its length for all elements: all of a material change alike.
      for (std::size_t e = 0; e < mesh_->num_elements(); ++e) {
        const auto m = static_cast<std::size_t>(mesh_->material_of_element[e]);
        separate.mesh.materials[m].*modulus = materials[m].*modulus + change[static_cast<Eigen::Index>(e)];
      }
      return separate.values();
    });
    separate.mesh.materials = materials;
    auto& sums = modulus == &MaterialParameters::lambda ? slopes.lambda : slopes.mu;
    for (std::size_t e = 0; e < mesh_->num_elements(); ++e) sums[places[e]] += found[static_cast<Eigen::Index>(e)];
  }
  if (mesh_->higher_shape_order > 0) return;
  for (std::size_t node = 0; node < mesh_->num_nodes(); ++node) {
    for (int c = 0; c < dim; ++c) {
      const VecX found = separate.slopes(separate.mesh.x_rest, node, c);
      for (std::size_t e = 0; e < mesh_->num_elements(); ++e) {
        slopes.rest[dim * static_cast<Eigen::Index>(mesh_->nodes_of(e)[node]) + c] +=
            found[static_cast<Eigen::Index>(e)];
      }
    }
  }
}

template void LaggedDampingPotential<2>::pull_back_gradient(const VecX&, const VecX&, const VecX&,
                                                            MemoryCotangent) const;
template void LaggedDampingPotential<3>::pull_back_gradient(const VecX&, const VecX&, const VecX&,
                                                            MemoryCotangent) const;
template void LaggedDampingPotential<2>::add_slopes(const VecX&, const VecX&, const VecX&, std::span<const std::size_t>,
                                                    ElementSlopes&) const;
template void LaggedDampingPotential<3>::add_slopes(const VecX&, const VecX&, const VecX&, std::span<const std::size_t>,
                                                    ElementSlopes&) const;

}  // namespace clearance
