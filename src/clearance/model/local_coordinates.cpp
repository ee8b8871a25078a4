#include "clearance/model/local_coordinates.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "clearance/math/psd.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

/// Returns the affine map of a stiff body.
template <int dim>
Mat<dim> map_of(const StiffBody& body, const VecX& x) {
  Mat<dim> map;
  for (int i = 0; i < dim; ++i) map.col(i) = block<dim>(x, body.first_block + 1 + i) / body.radius;
  return map;
}

template <int dim>
void set_map(const StiffBody& body, const Mat<dim>& map, VecX& x) {
  for (int i = 0; i < dim; ++i) block<dim>(x, body.first_block + 1 + i) = body.radius * map.col(i);
}

/// Returns the rotation [rad] with which a variation of the map begins.
template <int dim>
auto turn_of(const Mat<dim>& rate) {
  if constexpr (dim == 2) {
    return vector_of_skew<2>(rate)[2];
  } else {
    return vector_of_skew<3>(rate);
  }
}

/// The motion of a column b of a rigid body with the block theta of its turn is db = turning(b) theta = theta x b;
/// forces g on the column act on the turn as turning(b)^T g = b x g.
Mat<2> turning(const Vec<2>& b) {
  Mat<2> matrix;
  matrix << -b[1], 0.0, b[0], 0.0;
  return matrix;
}
Mat<3> turning(const Vec<3>& b) {
  return cross_matrix(Vec<3>(-b));
}
Mat<2> turning_transposed(const Vec<2>& b) {
  return turning(b).transpose();
}
Mat<3> turning_transposed(const Vec<3>& b) {
  return cross_matrix(b);
}
Vec<2> turned(const Vec<2>& theta, const Vec<2>& b) {
  return {-theta[0] * b[1], theta[0] * b[0]};
}
Vec<3> turned(const Vec<3>& theta, const Vec<3>& b) {
  return theta.cross(b);
}
Vec<2> moment(const Vec<2>& b, const Vec<2>& force) {
  return {b[0] * force[1] - b[1] * force[0], 0.0};
}
Vec<3> moment(const Vec<3>& b, const Vec<3>& force) {
  return b.cross(force);
}

/// The next functions convert between the block of a turn and its rotation.
Mat<2> rotation_of(const Vec<2>& turn) {
  return rotation_by<2>(turn[0]);
}
Mat<3> rotation_of(const Vec<3>& turn) {
  return rotation_by<3>(turn);
}
Vec<2> turn_block_of(const Mat<2>& rotation) {
  return {rotation_angle(rotation), 0.0};
}
Vec<3> turn_block_of(const Mat<3>& rotation) {
  return rotation_vector(rotation);
}
/// Returns the turn [rad] as a vector in space.
Vec<3> rotation_vector_of(const Vec<2>& turn) {
  return {0.0, 0.0, turn[0]};
}
Vec<3> rotation_vector_of(const Vec<3>& turn) {
  return turn;
}
template <int dim>
Vec<3> padded(const Vec<dim>& v) {
  Vec<3> result = Vec<3>::Zero();
  result.template head<dim>() = v;
  return result;
}

}  // namespace

template <int dim>
LocalCoordinates<dim>::LocalCoordinates(const Model& model) : model_(model) {
  const int num_full = model.layout.num_blocks;
  // Classify the blocks of x: a block of its own, a column of a rigid body, or tied.
  std::vector<int> rigid_of_block(num_full, -1);
  for (std::size_t k = 0; k < model.stiff_bodies.size(); ++k) {
    const StiffBody& body = model.stiff_bodies[k];
    if (!body.is_rigid) continue;
    ++num_rigid_;
    for (int i = 0; i < dim; ++i) rigid_of_block[body.first_block + 1 + i] = static_cast<int>(k);
  }
  std::vector<const Tie*> tie_of_block(num_full, nullptr);
  for (const Tie& tie : model.ties) tie_of_block[tie.block] = &tie;

  // Number the local blocks in the order of x; the rotation vector of a rigid body comes at its first column.
  turn_block_.assign(model.stiff_bodies.size(), -1);
  std::vector<int> own_block(num_full, -1);
  for (int b = 0; b < num_full; ++b) {
    const std::size_t at = b;
    if (rigid_of_block[at] >= 0) {
      int& turn = turn_block_[rigid_of_block[at]];
      if (turn < 0) turn = num_blocks_++;
    } else if (tie_of_block[at] == nullptr) {
      own_block[at] = num_blocks_++;
    }
  }
  first_term_.push_back(0);
  for (int b = 0; b < num_full; ++b) {
    const std::size_t at = b;
    if (rigid_of_block[at] >= 0) {
      terms_.push_back({turn_block_[rigid_of_block[at]], 1.0, true});
    } else if (tie_of_block[at] != nullptr) {
      const Tie& tie = *tie_of_block[at];
      for (int k = 0; k <= dim; ++k) {
        terms_.push_back({own_block[tie.first_block + k], tie.weights[k], false});
      }
    } else {
      terms_.push_back({own_block[at], 1.0, false});
    }
    first_term_.push_back(static_cast<int>(terms_.size()));
  }

  if (num_rigid_ == 0) return;
  std::vector<int> rigid_of_first(num_full, -1);
  int count = 0;
  for (const StiffBody& body : model.stiff_bodies) {
    if (body.is_rigid) rigid_of_first[body.first_block] = count++;
  }
  for (int v = 0; v < model.surface_map.num_vertices(); ++v) {
    screw_of_vertex_.push_back(rigid_of_first[model.surface_map.terms(v)[0].block]);
  }
}

template <int dim>
void LocalCoordinates<dim>::place_ties(VecX& x) const {
  for (const Tie& tie : model_.ties) {
    Vec<dim> position = Vec<dim>::Zero();
    for (int k = 0; k <= dim; ++k) {
      position += tie.weights[k] * block<dim>(x, tie.first_block + k);
    }
    block<dim>(x, tie.block) = position;
  }
}

template <int dim>
VecX LocalCoordinates<dim>::move(const VecX& x, const VecX& dy, double fraction) const {
  if (are_displacements()) return x + fraction * dy;
  VecX moved = x;
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    const std::span<const Term> of_block = terms(b);
    if (of_block.size() == 1 && !of_block[0].is_turn) {
      block<dim>(moved, b) += fraction * block<dim>(dy, of_block[0].block);
    }
  }
  for (std::size_t k = 0; k < model_.stiff_bodies.size(); ++k) {
    if (turn_block_[k] < 0) continue;
    const Vec<dim> turn = fraction * block<dim>(dy, turn_block_[k]);
    if (turn.isZero(0.0)) continue;
    const Mat<dim> map = rotation_of(turn) * map_of<dim>(model_.stiff_bodies[k], x);
    // One step of Newton's iteration for the nearest rotation keeps rounding from accumulating.
    set_map<dim>(model_.stiff_bodies[k], map * (1.5 * Mat<dim>::Identity() - 0.5 * map.transpose() * map), moved);
  }
  place_ties(moved);
  return moved;
}

template <int dim>
VecX LocalCoordinates<dim>::expand(const VecX& x, const VecX& dy) const {
  if (are_displacements()) return dy;
  VecX dx = VecX::Zero(x.size());
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    for (const Term& term : terms(b)) {
      if (!term.is_turn) {
        block<dim>(dx, b) += term.weight * block<dim>(dy, term.block);
      } else {
        block<dim>(dx, b) = turned(Vec<dim>(block<dim>(dy, term.block)), Vec<dim>(block<dim>(x, b)));
      }
    }
  }
  return dx;
}

template <int dim>
VecX LocalCoordinates<dim>::unstretched(VecX x) const {
  for (const StiffBody& body : model_.stiff_bodies) {
    set_map<dim>(body, nearest_rotation<dim>(map_of<dim>(body, x)), x);
  }
  place_ties(x);
  return x;
}

template <int dim>
VecX LocalCoordinates<dim>::positions(const VecX& x) const {
  if (are_displacements()) return x;
  VecX positions(dim * num_blocks_);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    const std::span<const Term> of_block = terms(b);
    if (of_block.size() == 1 && !of_block[0].is_turn) block<dim>(positions, of_block[0].block) = block<dim>(x, b);
  }
  for (std::size_t k = 0; k < model_.stiff_bodies.size(); ++k) {
    if (turn_block_[k] >= 0) {
      block<dim>(positions, turn_block_[k]) = block<dim>(x, model_.stiff_bodies[k].first_block);
    }
  }
  return positions;
}

template <int dim>
auto LocalCoordinates<dim>::origins() const -> std::vector<Origin> {
  std::vector<Origin> origins(num_blocks_);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    const std::span<const Term> of_block = terms(b);
    if (of_block.size() == 1) origins[of_block[0].block].block = b;
  }
  for (std::size_t k = 0; k < model_.stiff_bodies.size(); ++k) {
    if (turn_block_[k] < 0) continue;
    Origin& origin = origins[turn_block_[k]];
    origin.is_turn = true;
    origin.radius = model_.stiff_bodies[k].radius;
  }
  return origins;
}

template <int dim>
Interpolation LocalCoordinates<dim>::interpolation() const {
  if (model_.higher_nodes.empty()) return {};
  Interpolation result;
  std::vector<const HigherNode*> higher(num_blocks_, nullptr);
  for (const HigherNode& node : model_.higher_nodes) {
    const std::span<const Term> of_node = terms(node.block);
    if (of_node.size() == 1) higher[of_node[0].block] = &node;
  }
  std::vector<int> number(num_blocks_, -1);
  for (int b = 0; b < num_blocks_; ++b) {
    if (higher[b] == nullptr) number[b] = result.num_coarse++;
  }
  if (result.num_coarse == num_blocks_) return {};
  for (int b = 0; b < num_blocks_; ++b) {
    if (higher[b] == nullptr) {
      result.terms.push_back({number[b], 1.0});
    } else {
      for (std::size_t k = 0; k < higher[b]->corners.size() && higher[b]->corners[k] >= 0; ++k) {
        // A corner in a stiff part follows the blocks of that part.
        for (const Term& term : terms(higher[b]->corners[k])) {
          if (!term.is_turn) result.terms.push_back({number[term.block], higher[b]->weights[k] * term.weight});
        }
      }
    }
    result.starts.push_back(static_cast<int>(result.terms.size()));
  }
  return result;
}

template <int dim>
VecX LocalCoordinates<dim>::from_to(const VecX& x, const VecX& target) const {
  if (are_displacements()) return target - x;
  VecX dy = VecX::Zero(dim * num_blocks_);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    const std::span<const Term> of_block = terms(b);
    if (of_block.size() == 1 && !of_block[0].is_turn) {
      block<dim>(dy, of_block[0].block) = block<dim>(target, b) - block<dim>(x, b);
    }
  }
  for (std::size_t k = 0; k < model_.stiff_bodies.size(); ++k) {
    if (turn_block_[k] < 0) continue;
    const StiffBody& body = model_.stiff_bodies[k];
    block<dim>(dy, turn_block_[k]) =
        turn_block_of(Mat<dim>(map_of<dim>(body, target) * map_of<dim>(body, x).transpose()));
  }
  return dy;
}

template <int dim>
MatX LocalCoordinates<dim>::rigid_motions(const VecX& x) const {
  // Columns of affine maps are directions: they turn with rigid motions, but do not translate.
  std::vector<char> is_direction(model_.layout.num_blocks, 0);
  for (const StiffBody& body : model_.stiff_bodies) {
    for (int i = 1; i <= dim; ++i) is_direction[body.first_block + i] = 1;
  }
  std::vector<char> is_inner(model_.layout.num_blocks, 0);
  for (const int block : model_.inner_blocks) is_inner[block] = 1;
  MatX motions = MatX::Zero(dim * num_blocks_, dim * (dim + 1) / 2);
  const std::vector<Origin> origins = this->origins();
  for (int b = 0; b < num_blocks_; ++b) {
    const Origin& origin = origins[b];
    if (is_inner[origin.block] != 0) continue;
    auto rows = motions.middleRows<dim>(dim * b);
    if (!is_direction[origin.block]) rows.template leftCols<dim>().setIdentity();
    const Vec<dim> at = block<dim>(x, origin.block);
    int mode = dim;
    for (int i = 0; i < dim; ++i) {
      for (int j = i + 1; j < dim; ++j, ++mode) {
        if (!origin.is_turn) {
          rows(i, mode) = -at[j];
          rows(j, mode) = at[i];
        } else if constexpr (dim == 3) {
          // The rotation from axis i to axis j is about the third axis.
          rows(3 - i - j, mode) = j - i == 1 ? 1.0 : -1.0;
        } else {
          rows(0, mode) = 1.0;
        }
      }
    }
  }
  return motions;
}

template <int dim>
VecX LocalCoordinates<dim>::reduce(const VecX& x, const VecX& gradient) const {
  if (are_displacements()) return gradient;
  VecX reduced = VecX::Zero(dim * num_blocks_);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    for (const Term& term : terms(b)) {
      if (!term.is_turn) {
        block<dim>(reduced, term.block) += term.weight * block<dim>(gradient, b);
      } else {
        block<dim>(reduced, term.block) += moment(Vec<dim>(block<dim>(x, b)), Vec<dim>(block<dim>(gradient, b)));
      }
    }
  }
  return reduced;
}

template <int dim>
std::vector<char> LocalCoordinates<dim>::reduce(const std::vector<char>& is_fixed) const {
  if (are_displacements()) return is_fixed;
  std::vector<char> reduced(num_blocks_, 0);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    if (!is_fixed[b]) continue;
    for (const Term& term : terms(b)) reduced[term.block] = is_fixed[b];
  }
  return reduced;
}

template <int dim>
SurfacePath LocalCoordinates<dim>::surface_path(const VecX& x, const VecX& x_surface, const VecX& dy,
                                                double fraction) const {
  SurfacePath path;
  path.x_t0 = x_surface;
  path.x_t1 = model_.surface_map.apply(move(x, dy, fraction));
  if (num_rigid_ == 0) return path;
  for (std::size_t k = 0; k < model_.stiff_bodies.size(); ++k) {
    if (turn_block_[k] < 0) continue;
    const int first = model_.stiff_bodies[k].first_block;
    path.screws.push_back({padded<dim>(block<dim>(x, first)),
                           padded<dim>(fraction * block<dim>(dy, terms(first)[0].block)),
                           rotation_vector_of(Vec<dim>(fraction * block<dim>(dy, turn_block_[k])))});
  }
  path.screw_of_vertex = screw_of_vertex_;
  // r phi^2 / 8 is an eighth of |turn x (turn x (x - center))|, enlarged a little for rounding.
  std::vector<double> shares;
  shares.reserve(path.screws.size());
  for (const Screw& screw : path.screws) shares.push_back(0.125 * (1.0 + 1e-12) * screw.turn.norm());
  path.deviation.assign(screw_of_vertex_.size(), 0.0);
  parallel_for(static_cast<int>(screw_of_vertex_.size()), 2048, [&](int v) {
    const int index = screw_of_vertex_[v];
    if (index < 0) return;
    const Screw& screw = path.screws[index];
    const Vec<3> arm = padded<dim>(block<dim>(path.x_t0, v)) - screw.center;
    path.deviation[v] = shares[index] * screw.turn.cross(arm).norm();
  });
  return path;
}

template <int dim>
VecX LocalCoordinates<dim>::bent(const VecX& x, const VecX& dy, const std::vector<char>& is_fixed) const {
  VecX bent = dy;
  for (const StiffBody& body : model_.stiff_bodies) {
    if (body.is_rigid || is_fixed[body.first_block + 1]) continue;
    const int first_column = terms(body.first_block + 1)[0].block;
    const Mat<dim> map = map_of<dim>(body, x);
    Mat<dim> change;
    for (int i = 0; i < dim; ++i) change.col(i) = block<dim>(dy, first_column + i) / body.radius;
    const Mat<dim> rate = change * map.transpose();
    const Mat<dim> stretch = 0.5 * (rate + rate.transpose());
    const Mat<dim> moved = rotation_by<dim>(turn_of<dim>(rate)) * (Mat<dim>::Identity() + stretch) * map - map;
    for (int i = 0; i < dim; ++i) block<dim>(bent, first_column + i) = body.radius * moved.col(i);
  }
  return bent;
}

template <int dim>
void LocalCoordinates<dim>::bind(const BlockSparseMatrix& full, BlockSparseMatrix& reduced) {
  full_pattern_ = full.pattern_id();
  shares_.clear();
  std::vector<BlockKey> keys;
  for (int column = 0; column < full.num_blocks(); ++column) {
    for (const int row : full.column_rows(column)) {
      for (const Term& row_term : terms(row)) {
        for (const Term& column_term : terms(column)) {
          // A diagonal block meets every pair of its terms in both orders, which are each other's transposes.
          if (row == column && row_term.block < column_term.block) continue;
          const bool is_transposed = row_term.block < column_term.block;
          const bool is_symmetrised = row != column && row_term.block == column_term.block;
          shares_.push_back({row, column, row_term, column_term, is_transposed, is_symmetrised,
                             full.find_slot(row, column), full.slot_stride(column)});
          keys.push_back(
              make_block_key(std::max(row_term.block, column_term.block), std::min(row_term.block, column_term.block)));
        }
      }
    }
  }
  std::vector<BlockKey> unique_keys = keys;
  std::sort(unique_keys.begin(), unique_keys.end());
  unique_keys.erase(std::unique(unique_keys.begin(), unique_keys.end()), unique_keys.end());
  reduced = BlockSparseMatrix(dim, num_blocks_, unique_keys);
  for (std::size_t k = 0; k < shares_.size(); ++k) {
    shares_[k].to = reduced.find_slot(block_row(keys[k]), block_column(keys[k]));
    shares_[k].to_stride = reduced.slot_stride(block_column(keys[k]));
  }
}

template <int dim>
void LocalCoordinates<dim>::reduce(const VecX& x, const VecX& gradient, double inertia, const BlockSparseMatrix& full,
                                   BlockSparseMatrix& reduced, bool is_exact) {
  if (full_pattern_ != full.pattern_id()) {
    bind(full, reduced);
  } else {
    reduced.set_zero();
  }
  const double* values = full.values().data();
  for (const Share& share : shares_) {
    Mat<dim> part = Eigen::Map<const Mat<dim>, 0, Eigen::OuterStride<>>(values + share.from,
                                                                        Eigen::OuterStride<>(share.from_stride));
    part *= share.row_term.weight * share.column_term.weight;
    if (share.column_term.is_turn) part = part * turning(Vec<dim>(block<dim>(x, share.column)));
    if (share.row_term.is_turn) part = turning_transposed(Vec<dim>(block<dim>(x, share.row))) * part;
    if (share.is_symmetrised) {
      part = (part + part.transpose()).eval();
    } else if (share.is_transposed) {
      part.transposeInPlace();
    }
    reduced.template add_to_slot<dim>(share.to, share.to_stride, part);
  }
  add_curvature(x, gradient, inertia, reduced, is_exact);
}

/// Adds the curvature of the rigid motions. Forces G_i on the columns b_i do work of second order in a rotation: with
/// b_i + theta x b_i + theta x (theta x b_i) / 2 it is theta^T C theta / 2, C = sum_i sym(G_i b_i^T) - (G_i . b_i) I.
/// Unless `is_exact`, C may take no more than nine tenths of the body's inertia, so that at least a tenth remains: a
/// body that balances on a vertex has no other resistance to being tilted. In the plane C is the last number alone.
template <int dim>
void LocalCoordinates<dim>::add_curvature(const VecX& x, const VecX& gradient, double inertia,
                                          BlockSparseMatrix& reduced, bool is_exact) const {
  for (std::size_t k = 0; k < model_.stiff_bodies.size(); ++k) {
    if (turn_block_[k] < 0) continue;
    Mat<3> curvature = Mat<3>::Zero(), inertia_tensor = Mat<3>::Zero();
    for (int i = 1; i <= dim; ++i) {
      const int b = model_.stiff_bodies[k].first_block + i;
      const Vec<3> column = padded<dim>(block<dim>(x, b)), force = padded<dim>(block<dim>(gradient, b));
      const Mat<3> product = force * column.transpose();
      curvature += 0.5 * (product + product.transpose()) - force.dot(column) * Mat<3>::Identity();
      inertia_tensor +=
          inertia * model_.mass[b] * (column.squaredNorm() * Mat<3>::Identity() - column * column.transpose());
    }
    const int turn = turn_block_[k];
    const std::int64_t slot = reduced.find_slot(turn, turn);
    const int stride = reduced.slot_stride(turn);
    if constexpr (dim == 3) {
      const Mat<3> most = 0.9 * inertia_tensor;
      const Mat<3> added = is_exact ? curvature : Mat<3>(project_to_psd<3>(Mat<3>(most + curvature)) - most);
      reduced.template add_to_slot<3>(slot, stride, added);
    } else {
      const double most = 0.9 * inertia_tensor(2, 2);
      Mat<2> added = Mat<2>::Zero();
      added(0, 0) = is_exact ? curvature(2, 2) : std::max(most + curvature(2, 2), 0.0) - most;
      // The number that moves nothing gets the stiffness of the angle, and so stays zero.
      const double stiffness = std::abs(reduced.values()[slot] + added(0, 0));
      added(1, 1) = stiffness > 0.0 ? stiffness : 1.0;
      reduced.template add_to_slot<2>(slot, stride, added);
    }
  }
}

template class LocalCoordinates<2>;
template class LocalCoordinates<3>;

}  // namespace clearance
