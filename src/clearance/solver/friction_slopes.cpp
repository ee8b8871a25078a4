#include "clearance/solver/friction_slopes.h"

#include <algorithm>
#include <set>

namespace clearance {

namespace {

/// The friction that agrees with the contact forces, as a function of the start and the end of a step.
template <int dim>
class AgreedFriction {
 public:
  AgreedFriction(const StepInputs<dim>& in, const Step<dim>& step)
      : in_(in),
        step_(step),
        end_(step.end_state().point.iterate),
        free_motion_(in.model.first_turn_vertex.empty()
                         ? VecX()
                         : in.model.surface_map.apply_linear(in.options.integrator.h * in.state.v)) {}

  struct Values {
    VecX gradient;
    std::vector<StickVertex> stick;
  };
  Values at(const VecX& x_end, const VecX& x_start, const std::vector<StickVertex>& stick_start) const {
    const VecX surface_t0 = in_.model.surface_map.apply(x_start), surface = in_.model.surface_map.apply(x_end);
    const FrictionScales scales{in_.options.integrator.h, in_.options.friction.eps_v, in_.options.friction.stick};
    FrictionPotential<dim> friction(in_.model, *in_.copies.contact_model, scales, surface_t0, stick_start,
                                    std::make_shared<ContactHessians<dim>>(), free_motion_);
    const ContactSet contacts = in_.copies.contact_model->build(surface, *end_.candidates);
    if (contacts.contacts.empty()) return {VecX::Zero(x_end.size()), {}};
    friction.lag(contacts, surface, in_.model.surface_map.apply_linear(x_end - x_start), step_.problem().kappa());
    Values values{VecX::Zero(x_end.size()), friction.stick(surface)};
    friction.add_gradient(surface, values.gradient);
    return values;
  }

  /// Returns, per block, the blocks that contacts connect it with, itself included; empty for blocks without contacts.
  std::vector<std::vector<int>> neighbours() const {
    const std::vector<char> none(static_cast<std::size_t>(in_.model.layout.num_blocks), 0);
    std::vector<std::vector<int>> lists(none.size());
    const auto add = [&](const std::vector<BlockKey>& keys) {
      for (const BlockKey key : keys) {
        const int row = block_row(key), column = block_column(key);
        lists[static_cast<std::size_t>(row)].push_back(column);
        lists[static_cast<std::size_t>(column)].push_back(row);
      }
    };
    const VecX surface_t0 = in_.model.surface_map.apply(in_.state.x);
    const FrictionScales scales{in_.options.integrator.h, in_.options.friction.eps_v, in_.options.friction.stick};
    FrictionPotential<dim> friction(in_.model, *in_.copies.contact_model, scales, surface_t0, in_.state.stick,
                                    std::make_shared<ContactHessians<dim>>(), free_motion_);
    friction.lag(end_.contacts, end_.x_surface, in_.model.surface_map.apply_linear(end_.x - in_.state.x),
                 step_.problem().kappa());
    add(friction.prepare_hessian(none));
    ContactPotential<dim> contacts(in_.model, *in_.copies.contact_model);
    add(contacts.prepare_hessian(end_.contacts, none));
    for (std::vector<int>& list : lists) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return lists;
  }

 private:
  const StepInputs<dim>& in_;
  const Step<dim>& step_;
  const Iterate& end_;
  VecX free_motion_;
};

}  // namespace

VecX displacements(const std::vector<StickVertex>& list, const std::vector<StickVertex>& like) {
  VecX numbers = VecX::Zero(3 * static_cast<Eigen::Index>(like.size()));
  std::size_t at = 0;
  for (std::size_t k = 0; k < like.size(); ++k) {
    const std::pair key(like[k].vertex, like[k].partner);
    while (at < list.size() && std::pair(list[at].vertex, list[at].partner) < key) ++at;
    if (at == list.size()) break;
    if (std::pair(list[at].vertex, list[at].partner) == key)
      block<3>(numbers, static_cast<int>(k)) = list[at].displacement;
  }
  return numbers;
}

template <int dim>
FrictionSlopes find_friction_slopes(const StepInputs<dim>& in, const Step<dim>& step, double length) {
  FrictionSlopes slopes;
  if (!step.problem().has_friction()) return slopes;
  const AgreedFriction<dim> friction(in, step);
  const Iterate& end = step.end_state().point.iterate;
  const State& start = in.state;
  if (end.contacts.contacts.empty()) return slopes;
  auto [gradient, stick] = friction.at(end.x, start.x, start.stick);
  slopes.gradient = std::move(gradient);
  slopes.stick = std::move(stick);

  // All numbers in one vector: the gradient, then the sticking. In the plane a vertex of the list has three numbers,
  // too, of which the last is zero; groups of rows are blocks, and vertices of the list as groups of `dim` numbers.
  const auto num_blocks = static_cast<std::size_t>(in.model.layout.num_blocks);
  const std::size_t num_sticking = slopes.stick.size();
  const auto all_of = [&](const typename AgreedFriction<dim>::Values& values) {
    VecX all(dim * static_cast<Eigen::Index>(num_blocks + num_sticking));
    all.head(values.gradient.size()) = values.gradient;
    const VecX sticking = displacements(values.stick, slopes.stick);
    for (std::size_t k = 0; k < num_sticking; ++k) {
      block<dim>(all, static_cast<int>(num_blocks + k)) = block<3>(sticking, static_cast<int>(k)).template head<dim>();
    }
    return all;
  };

  // 1. Find what depends on what: the blocks and the vertices of the list that contacts connect.
  const std::vector<std::vector<int>> neighbours = friction.neighbours();
  std::vector<std::vector<int>> sticking_of_block(num_blocks);
  for (std::size_t k = 0; k < num_sticking; ++k) {
    for (const SurfaceMap::Term& term : in.model.surface_map.terms(slopes.stick[k].vertex)) {
      sticking_of_block[static_cast<std::size_t>(term.block)].push_back(static_cast<int>(num_blocks + k));
    }
  }
  const auto rows_of = [&](const std::set<int>& blocks) {
    std::set<int> rows;
    for (const int b : blocks) {
      rows.insert(b);
      const std::vector<int>& sticking = sticking_of_block[static_cast<std::size_t>(b)];
      rows.insert(sticking.begin(), sticking.end());
    }
    return std::vector<int>(rows.begin(), rows.end());
  };
  SlopePattern by_position{dim, dim, dim, num_blocks + num_sticking, {}};
  for (const std::vector<int>& list : neighbours) by_position.rows.push_back(rows_of({list.begin(), list.end()}));
  SlopePattern by_stick{3, dim, dim, num_blocks + num_sticking, {}};
  for (const StickVertex& vertex : start.stick) {
    std::set<int> blocks;
    for (const SurfaceMap::Term& term : in.model.surface_map.terms(vertex.vertex)) {
      const std::vector<int>& list = neighbours[static_cast<std::size_t>(term.block)];
      blocks.insert(list.begin(), list.end());
    }
    by_stick.rows.push_back(rows_of(blocks));
  }

  // 2. Take differences.
  const SparseMatrix by_end = find_slopes(by_position, length, [&](const VecX& change) {
    return all_of(friction.at(end.x + change, start.x, start.stick));
  });
  const SparseMatrix by_start = find_slopes(by_position, length, [&](const VecX& change) {
    return all_of(friction.at(end.x, start.x + change, start.stick));
  });
  const SparseMatrix by_sticking = find_slopes(by_stick, length, [&](const VecX& change) {
    std::vector<StickVertex> changed = start.stick;
    for (std::size_t k = 0; k < changed.size(); ++k) changed[k].displacement += block<3>(change, static_cast<int>(k));
    return all_of(friction.at(end.x, start.x, changed));
  });

  // 3. Take the parts out.
  const auto num_forces = dim * static_cast<Eigen::Index>(num_blocks);
  const auto forces_of = [&](const SparseMatrix& all) { return SparseMatrix(all.topRows(num_forces)); };
  const auto sticking_of = [&](const SparseMatrix& all) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index column = 0; column < all.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator entry(all, column); entry; ++entry) {
        const Eigen::Index row = entry.row() - num_forces;
        if (row >= 0) entries.emplace_back(3 * (row / dim) + row % dim, column, entry.value());
      }
    }
    SparseMatrix part(3 * static_cast<Eigen::Index>(num_sticking), all.cols());
    part.setFromTriplets(entries.begin(), entries.end());
    return part;
  };
  slopes.force_by_end = forces_of(by_end);
  slopes.force_by_start = forces_of(by_start);
  slopes.force_by_stick = forces_of(by_sticking);
  slopes.stick_by_end = sticking_of(by_end);
  slopes.stick_by_start = sticking_of(by_start);
  slopes.stick_by_stick = sticking_of(by_sticking);
  return slopes;
}

template FrictionSlopes find_friction_slopes<2>(const StepInputs<2>&, const Step<2>&, double);
template FrictionSlopes find_friction_slopes<3>(const StepInputs<3>&, const Step<3>&, double);

}  // namespace clearance
