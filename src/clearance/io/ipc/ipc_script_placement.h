// Places the shapes of an IPC script: their meshes, and the script's placement, `size` and model rotation as native
// transforms.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "clearance/io/ipc/ipc_script.h"

namespace clearance {

struct Box {
  Vec<3> min = Vec<3>::Constant(infinity);
  Vec<3> max = Vec<3>::Constant(-infinity);
  void add(const Vec<3>& point);
  Vec<3> extent() const { return max - min; }
  Vec<3> center() const { return 0.5 * (min + max); }
};

/// Returns the cosine and sine of an angle in degrees, exact for multiples of 90.
std::array<double, 2> cos_sin_degrees(double degrees);
/// Returns the reference's rotation, Rx Ry Rz.
Mat<3> ipc_rotation(const Vec<3>& degrees);
/// Returns the rotation by `degrees` about a unit axis.
Mat<3> axis_rotation(const Vec<3>& axis, double degrees);
/// Returns the angles [deg] of the same rotation as Rz Ry Rx (TransformDesc).
Vec<3> native_angles(const Mat<3>& rotation);
/// Returns the rotation vector [deg/s] whose rotation over `step` seconds is the reference's Rx Ry Rz of
/// `degrees_per_second * step`.
Vec<3> native_angular_velocity(const Vec<3>& degrees_per_second, double step);

using Vertices = std::vector<Vec<3>>;

/// Returns the number of copies, bounded to the range of the type.
long long num_copies(const ArrayDesc& array);

/// A body of the scene and its vertices: x = rotation (scale * v) + translation, copied (i,j,k) * spacing apart.
struct PlacedShape {
  std::shared_ptr<const Vertices> vertices;
  std::string mesh;  ///< path for BodyDesc
  bool is_deformable = false;
  Mat<3> rotation = Mat<3>::Identity();
  Vec<3> scale = Vec<3>::Ones();
  Vec<3> translation = Vec<3>::Zero();
  std::optional<ArrayDesc> array;

  long long num_copies() const { return array ? clearance::num_copies(*array) : 1; }
  TransformDesc transform() const;
  /// Returns the vertices of the first copy in the world.
  Vertices world_vertices() const;
  /// Returns the bounding box of all copies.
  Box box() const;
  /// Calls visit(point) for every vertex of every copy.
  template <class Visit>
  void for_each_vertex(const Visit& visit) const {
    const std::array<int, 3> counts = array ? array->counts : std::array<int, 3>{1, 1, 1};
    const Vec<3> spacing = array ? array->spacing : Vec<3>(Vec<3>::Zero());
    const Vertices first = world_vertices();
    for (int i = 0; i < counts[0]; ++i) {
      for (int j = 0; j < counts[1]; ++j) {
        for (int k = 0; k < counts[2]; ++k) {
          const Vec<3> offset(spacing[0] * i, spacing[1] * j, spacing[2] * k);
          for (const Vec<3>& v : first) visit(Vec<3>(v + offset));
        }
      }
    }
  }
};

/// Finds and reads the meshes that a script names, each once.
class IpcMeshes {
 public:
  explicit IpcMeshes(std::filesystem::path script) : script_(std::move(script)) {}
  /// Returns the path for BodyDesc::mesh: as written if it is absolute or the file lies beside the script, otherwise
  /// absolute. The search starts beside the script and continues in each directory above it. Returns an empty path,
  /// with an issue, if there is no such file.
  std::string find(const std::string& path, int line, Issues& issues) const;
  /// Finds a folder in the same way.
  std::string find_folder(const std::string& path, int line, Issues& issues) const;
  /// Reads a mesh. Returns null, with an issue, if the mesh cannot be used.
  std::shared_ptr<const Vertices> read(const std::string& mesh, bool needs_tets, int line, Issues& issues);

 private:
  std::string search(const std::string& path, const std::function<bool(const std::filesystem::path&)>& is_found) const;

  std::filesystem::path script_;
  std::map<std::string, std::shared_ptr<const Vertices>> read_;
};

/// Returns every copy of a `shapeMatrix` as a separate shape.
std::vector<IpcShape> without_arrays(const std::vector<IpcShape>& shapes);

/// Places all shapes as the script says, before any named script moves them. Leaves out shapes with a problem.
std::vector<PlacedShape> place_shapes(const IpcScript& script, IpcMeshes& meshes, Issues& issues);
/// Places a `meshCO`: centres it on the mean of its vertices, rotates it, scales it to a largest extent and moves it to
/// its origin.
std::optional<PlacedShape> place_mesh_obstacle(const IpcMeshObstacle& obstacle, IpcMeshes& meshes, Issues& issues);

Box box_of(const std::vector<PlacedShape>& shapes);

}  // namespace clearance
