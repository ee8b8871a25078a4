#include "clearance/solver/carried_bodies.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "clearance/math/svd.h"
#include "clearance/model/blocks.h"

namespace clearance {
namespace {

/// Distance from a rigid motion, as a share of the longest way, below which targets are one: formulas and poses are
/// rounded to about 1e-10 of it.
constexpr double share_off = 1e-6;
/// Weight of no turn at all. It decides where the nodes are on one line, and turns others by as little.
constexpr double weight_of_rest = 1e-9;

template <int dim>
struct Carrier {
  Vec<dim> from, to;  // [m] means of the nodes
  Mat<dim> rotation;
};

/// Returns the rigid motion that takes nodes to their targets; nothing if there is none, or if they stay.
template <int dim>
std::optional<Carrier<dim>> find_carrier(const PrescribedTargets& targets, const std::vector<int>& entries,
                                         const VecX& x_t0) {
  const auto start = [&](int k) { return Vec<dim>(block<dim>(x_t0, targets.blocks[k])); };
  const auto target = [&](int k) { return Vec<dim>(block<dim>(targets.positions, k)); };
  Carrier<dim> carrier{Vec<dim>::Zero(), Vec<dim>::Zero(), Mat<dim>::Identity()};
  const double share = 1.0 / static_cast<double>(entries.size());
  for (const int k : entries) {
    carrier.from += share * start(k);
    carrier.to += share * target(k);
  }
  // The rotation nearest to the sum of products is that of least squares.
  Mat<dim> products = Mat<dim>::Zero();
  double spread = 0.0, longest = 0.0;
  for (const int k : entries) {
    const Vec<dim> arm = start(k) - carrier.from;
    products += (target(k) - carrier.to) * arm.transpose();
    spread += arm.squaredNorm();
    longest = std::max(longest, (target(k) - start(k)).norm());
  }
  if (!(longest > 0.0)) return std::nullopt;
  if (spread > 0.0) carrier.rotation = nearest_rotation<dim>(products + weight_of_rest * spread * Mat<dim>::Identity());
  for (const int k : entries) {
    const Vec<dim> off = carrier.to + carrier.rotation * (start(k) - carrier.from) - target(k);
    if (off.norm() > share_off * longest) return std::nullopt;
  }
  return carrier;
}

}  // namespace

template <int dim>
VecX carried_along(const Model& model, const PrescribedTargets& targets, const VecX& x_t0) {
  std::vector<char> is_free_point(model.layout.num_blocks, 1);
  for (const int block : model.inner_blocks) is_free_point[block] = 0;
  for (const StiffBody& body : model.stiff_bodies) std::fill_n(is_free_point.begin() + body.first_block, 1 + dim, 0);
  std::vector<std::vector<int>> entries(std::max(1, model.surface.num_bodies()));
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    const int at = targets.blocks[k];
    if (is_free_point[at] != 0 && targets.is_whole(k, dim)) {
      entries[body_of_block(model, at)].push_back(static_cast<int>(k));
    }
  }
  std::vector<std::optional<Carrier<dim>>> carriers(entries.size());
  for (std::size_t body = 0; body < entries.size(); ++body) {
    if (!entries[body].empty()) carriers[body] = find_carrier<dim>(targets, entries[body], x_t0);
  }
  VecX x = x_t0;
  const auto carry = [&](int at, bool is_point) {
    const std::optional<Carrier<dim>>& carrier = carriers[body_of_block(model, at)];
    if (!carrier) return;
    const Vec<dim> start = block<dim>(x_t0, at);
    block<dim>(x, at) = is_point ? Vec<dim>(carrier->to + carrier->rotation * (start - carrier->from))
                                 : Vec<dim>(carrier->rotation * start);
  };
  for (int at = 0; at < model.layout.num_blocks; ++at) {
    if (is_free_point[at] != 0) carry(at, true);
  }
  // Stiff parts of a deformable body: their centre is a point, and their columns are directions.
  for (const StiffBody& body : model.stiff_bodies) {
    for (int i = 0; i <= dim; ++i) carry(body.first_block + i, i == 0);
  }
  return x;
}

template VecX carried_along<2>(const Model&, const PrescribedTargets&, const VecX&);
template VecX carried_along<3>(const Model&, const PrescribedTargets&, const VecX&);

}  // namespace clearance
