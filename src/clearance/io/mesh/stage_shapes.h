// The part that readers of stages share: a mesh made of shapes, at a time.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/mesh_file.h"

namespace clearance {

/// Returns the mesh of a stage at a time, or without one by its values at rest, and adds the times of all samples that
/// it depends on. Problems are reported to the input.
using MeshAt = std::function<Mesh(std::optional<double> time, std::set<double>& times)>;

/// Read the shape of this path and those below it; all of them if it is empty. `input` must outlive the result.
MeshAt usd_mesh_at(MeshInput& input, const std::string& prim);
MeshAt alembic_mesh_at(MeshInput& input, const std::string& object);

/// The elements that a mesh has before those of a shape.
class ShapeBegin {
 public:
  explicit ShapeBegin(const Mesh& mesh)
      : tets_(mesh.tets.size()),
        triangles_(mesh.triangles.size()),
        edges_(mesh.edges.size()),
        points_(mesh.points.size()) {}

  /// Makes groups of the elements that were added since then, one of each dimension, with the path of the shape as
  /// name.
  void add_groups(const std::string& path, Mesh& mesh) const;

 private:
  std::size_t tets_, triangles_, edges_, points_;
};

}  // namespace clearance
