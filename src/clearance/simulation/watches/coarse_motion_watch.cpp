#include "clearance/simulation/watches/coarse_motion_watch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clearance/geometry/mass_properties.h"
#include "clearance/math/dimension.h"
#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"
#include "clearance/math/svd.h"
#include "clearance/model/blocks.h"
#include "clearance/solver/free_turn.h"

namespace clearance {

namespace {

/// A body's box, and the displacement of its middle in the step.
struct Mover {
  BoundingBox box;
  Vec<3> way = Vec<3>::Zero();
  int num_vertices = 0;
};

std::vector<Mover> movers(const Model& model, const VecX& x_surface, const VecX& dx_surface) {
  const int dim = model.layout.dim;
  std::vector<Mover> bodies(model.surface.num_bodies());
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    const int body = model.surface.vertex_body[v];
    if (body < 0) continue;
    Mover& mover = bodies[body];
    Vec<3> x = Vec<3>::Zero(), dx = Vec<3>::Zero();
    x.head(dim) = x_surface.segment(dim * v, dim);
    dx.head(dim) = dx_surface.segment(dim * v, dim);
    mover.box.extend(x);
    mover.way += dx;
    ++mover.num_vertices;
  }
  for (Mover& mover : bodies) mover.way /= std::max(1, mover.num_vertices);
  return bodies;
}

BoundingBox swept(const BoundingBox& box, const Vec<3>& way) {
  return {box.min.cwiseMin(box.min + way), box.max.cwiseMax(box.max + way)};
}

bool do_overlap(const BoundingBox& a, const BoundingBox& b) {
  return (a.min.array() <= b.max.array()).all() && (b.min.array() <= a.max.array()).all();
}

}  // namespace

CoarseMotionWatch::CoarseMotionWatch(const Model& model, const VecX& x) {
  const VecX x_surface = model.surface_map.apply(x);
  some_vertex_.assign(model.surface.num_bodies(), -1);
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    const int body = model.surface.vertex_body[v];
    if (body >= 0) some_vertex_[body] = v;
  }
  smallest_ = infinity;
  for (const Mover& mover : movers(model, x_surface, VecX::Zero(x_surface.size()))) {
    sizes_.push_back(mover.box.diagonal());
    if (sizes_.back() > 0.0) smallest_ = std::min(smallest_, sizes_.back());
  }
}

CoarseMotion CoarseMotionWatch::measure(const Model& model, const State& state, double h) const {
  CoarseMotion most;
  // No speed is more than twice the largest component, and two bodies may approach each other.
  if (sizes_.size() < 2 || state.v.size() == 0) return most;
  if (!(4.0 * h * state.v.cwiseAbs().maxCoeff() > coarse_motion_limit * smallest_)) return most;
  const std::vector<Mover> bodies =
      movers(model, model.surface_map.apply(state.x), model.surface_map.apply_linear(VecX(h * state.v)));
  std::vector<BoundingBox> paths;
  for (const Mover& body : bodies) paths.push_back(swept(body.box, body.way));
  std::vector<int> order(bodies.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int b) { return !(sizes_[b] > 0.0); });
  std::sort(order.begin(), order.end(), [&](int a, int b) { return paths[a].min[0] < paths[b].min[0]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t a = order[i];
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const std::size_t b = order[j];
      if (paths[b].min[0] > paths[a].max[0]) break;
      const bool are_joined =
          !model.mechanism_of_body.empty() && model.mechanism_of_body[a] == model.mechanism_of_body[b];
      if (are_joined || !model.surface.can_touch(some_vertex_[a], some_vertex_[b])) continue;
      const Vec<3> way = bodies[a].way - bodies[b].way;
      const double share = way.norm() / std::min(sizes_[a], sizes_[b]);
      if (!(share > std::max(coarse_motion_limit, most.share))) continue;
      if (do_overlap(swept(bodies[a].box, way), bodies[b].box)) most = {share, order[i], order[j]};
    }
  }
  return most;
}

namespace {

/// Computes the cosine [1] of the angle that a stiff body turns by, as if its maps were rotations.
template <int dim>
double cosine_of_turn(const Mat<dim>& from, const Mat<dim>& to) {
  // The trace of the rotation from one map to the other is 2 cos in 2D and 1 + 2 cos in 3D.
  return 0.5 * (from.cwiseProduct(to).sum() - (dim - 2));
}

/// Returns the map `from`, turned by the rotation that `rate`, its change at the speed of the start, begins.
Mat<3> turned_on(const Mat<3>& from, const Mat<3>& rate) {
  return rotation_by<3>(vector_of_skew<3>(rate * from.transpose())) * from;
}

template <int dim>
CoarseTurn find_turn(const Model& model, const VecX& x_t0, const VecX& dx_free, const VecX& x_t1) {
  CoarseTurn most;
  double least_cosine = elementary::cos(coarse_turn_limit);
  for (const StiffBody& body : model.stiff_bodies) {
    Mat<dim> from, rate, to;
    for (int c = 0; c < dim; ++c) {
      from.col(c) = block<dim>(x_t0, body.first_block + 1 + c) / body.radius;
      rate.col(c) = block<dim>(dx_free, body.first_block + 1 + c) / body.radius;
      to.col(c) = block<dim>(x_t1, body.first_block + 1 + c) / body.radius;
    }
    if constexpr (dim == 3) {
      if (body.symmetry_axis >= 0) {
        from = turned_on(from, rate);
        const double turn = unresolved_turn(model, body, x_t0, dx_free, x_t1);
        if (turn > most.angle) most = {turn, model.body_of_block[body.first_block]};
      }
    }
    if (!(cosine_of_turn<dim>(from, to) < least_cosine)) continue;
    // A body that is compressed has a small trace without any turn, so that the nearest rotations decide.
    const double cosine = cosine_of_turn<dim>(nearest_rotation<dim>(from), nearest_rotation<dim>(to));
    if (!(cosine < least_cosine)) continue;
    least_cosine = cosine;
    most = {elementary::atan2(std::sqrt(std::max(0.0, 1.0 - cosine * cosine)), cosine),
            model.body_of_block[body.first_block]};
  }
  return most;
}

}  // namespace

CoarseTurn find_coarse_turn(const Model& model, const VecX& x_t0, const VecX& dx_free, const VecX& x_t1) {
  return with_dimension(model.layout.dim, [&](auto dim) { return find_turn<dim>(model, x_t0, dx_free, x_t1); });
}

}  // namespace clearance
