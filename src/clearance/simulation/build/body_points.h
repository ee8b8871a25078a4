// Points of bodies as weighted sums of unknowns, for what connects bodies: attachments and springs.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "clearance/bodies/links/link.h"
#include "clearance/geometry/nearest_point.h"
#include "clearance/model/model.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// A weighted sum of blocks plus a constant [m].
struct BlockSum {
  std::map<int, double> weights;
  Vec<3> offset = Vec<3>::Zero();

  /// Returns the terms without those that vanish.
  std::vector<LinkTerm> terms() const;
};

template <int dim>
class BodyPoints {
 public:
  /// `x` are the positions [m] at the start. All arguments must outlive the object.
  BodyPoints(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
             const Model& model, const VecX& x);

  const TransformDesc& transform_of(int body) const { return desc_.bodies[bodies_[body].desc].transform; }
  /// Returns where a vertex of a body's mesh starts [m].
  const Vec<3>& start_of(int body, int v) const { return start_[first_vertex_[body] + v]; }
  std::span<const Vec<3>> starts_of(int body) const {
    return std::span<const Vec<3>>(start_).subspan(first_vertex_[body], bodies_[body].mesh.vertices.size());
  }
  /// Returns the diagonal [m] of the box of a body at the start.
  double diagonal_of(int body) const;

  /// Adds a vertex with a weight.
  void add_vertex(int body, int v, double weight, BlockSum& sum) const;
  /// Adds the point of a stiff body that is at p at the start with a weight.
  void add_place(int body, const Vec<3>& p, double weight, BlockSum& sum) const;

  std::vector<int> nodes_of(int body, const RegionDesc& region) const;
  /// Returns the pieces of a body's surface between nodes of a region: faces, else edges, else its nodes.
  std::vector<SurfacePiece> pieces_of(int body, const RegionDesc& region) const;

 private:
  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const Unknowns& unknowns_;
  const Model& model_;
  std::vector<Vec<3>> start_;  // [m] per vertex of all bodies
  std::vector<int> first_vertex_;
};

extern template class BodyPoints<2>;
extern template class BodyPoints<3>;

}  // namespace clearance
