// Strains, stresses, curvatures and moments of the shells of a scene.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "clearance/bodies/shell/shell_sample.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

struct ShellSamples {
  std::shared_ptr<const ShellMesh> mesh;
  std::vector<ShellSample> membrane, bending;
};

/// Returns those of the shells at the unknowns x, with the clamps of a time [s] and the history of the model's
/// potentials (State::history); nothing if there are none.
std::optional<ShellSamples> find_shell_samples(const SceneModel& scene, const VecX& x, double time,
                                               const History& history);

/// Returns the mean strain of each triangle as a tensor, and that of stress.
std::vector<Mat<3>> mean_strains(const ShellMesh& mesh, const std::vector<ShellSample>& samples);
std::vector<Mat<3>> mean_stresses(const ShellMesh& mesh, const std::vector<ShellSample>& samples);

/// Tensors at the corners of a triangle.
using CornerTensors = std::array<Mat<3>, 3>;

/// The triangles around the nodes of shells.
class ShellPatches {
 public:
  explicit ShellPatches(const ShellMesh& mesh);

  const std::vector<int>& around(int node) const { return around_.at(node); }
  /// Returns the means of the triangles around each corner: what is constant in triangles is most accurate there. Edges
  /// that are sharp at rest end a patch. `is_odd` says that the sign follows the normal, as that of curvature does.
  std::vector<CornerTensors> recover(const std::vector<Mat<3>>& of_triangles, bool is_odd) const;

 private:
  Vec<3> normal(std::size_t t) const { return mesh_.triangles[t].axes.col(0).cross(mesh_.triangles[t].axes.col(1)); }

  const ShellMesh& mesh_;
  std::map<int, std::vector<int>> around_;
};

}  // namespace clearance
