#include "clearance/io/rigid_ipc/rigid_ipc_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/io/rigid_ipc/rigid_ipc_motion.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

const std::vector<std::string_view> body_keys = {
    "mesh", "vertices", "edges", "faces", "enabled", "type", "density", "position", "rotation", "scale", "dimensions",
    "linear_velocity", "angular_velocity", "force", "torque", "is_dof_fixed", "oriented", "group_id",
    "kinematic_max_time", "kinematic_poses", "split_components",
    // These keys occur in fixtures but are not used.
    "polygons", "masses", "ipc_comparison_enabled", "time_stepper", "theta"};

enum class Type { stationary, kinematic, dynamic };

struct Freedom {
  std::array<bool, 3> is_translation_fixed = {false, false, false};
  std::array<bool, 3> is_rotation_fixed = {false, false, false};  ///< in 2D the third entry counts
  int num_fixed = 0;
};

class BodyReader {
 public:
  BodyReader(const RigidIpcObject& from, RigidIpcBodies& shared) : from_(from), shared_(shared), dim_(shared.dim) {}

  std::optional<RigidIpcBody> read() {
    from_.warn_of_unknown_keys(body_keys, shared_.reported_keys);
    shape_ = shared_.meshes.read(from_);
    read_freedom();
    type_ = read_type();
    body_.collision_group = std::max(from_.integer("group_id", -1), -1);
    body_.split_components = from_.flag("split_components", false);
    if (shape_ == nullptr) return std::nullopt;
    place();
    if (type_ == Type::dynamic) {
      read_dynamics();
    } else {
      body_.kind = BodyKind::obstacle;
      if (type_ == Type::kinematic) read_kinematics();
    }
    return RigidIpcBody{std::move(body_), bounding_box_of_elements(placed_)};
  }

 private:
  Type read_type() {
    const std::string type = from_.word("type", "dynamic");
    if (type != "static" && type != "kinematic" && type != "dynamic") {
      from_.warning("type", "expected static, kinematic or dynamic; static is used, as in Rigid IPC");
    }
    const bool is_held = freedom_.num_fixed == (dim_ == 3 ? 6 : 3);
    if (is_held || (type != "kinematic" && type != "dynamic")) return Type::stationary;
    return type == "kinematic" ? Type::kinematic : Type::dynamic;
  }

  // Reads one flag for all degrees of freedom, or one each: translations, then rotations.
  void read_freedom() {
    const Json* value = from_.find("is_dof_fixed");
    if (value == nullptr) return;
    const std::size_t num_flags = dim_ == 3 ? 6 : 3;
    const bool is_list = value->is_array() && value->size() >= num_flags &&
                         std::all_of(value->begin(), value->end(), [](const Json& flag) { return flag.is_boolean(); });
    if (!is_list && !value->is_boolean()) {
      from_.error("is_dof_fixed", fmt::format("expected true, false or a list of {} of them", num_flags));
      return;
    }
    const std::size_t d = dim_;
    for (std::size_t i = 0; i < num_flags; ++i) {
      const bool is_fixed = is_list ? (*value)[i].get<bool>() : value->get<bool>();
      freedom_.num_fixed += is_fixed ? 1 : 0;
      if (i < d) {
        freedom_.is_translation_fixed[i] = is_fixed;
      } else {
        freedom_.is_rotation_fixed[dim_ == 3 ? i - d : 2] = is_fixed;
      }
    }
  }

  int num_fixed_rotations() const {
    return static_cast<int>(std::count(freedom_.is_rotation_fixed.begin(), freedom_.is_rotation_fixed.end(), true));
  }

  // Reads the scale. An axis without extent keeps its scale, as long as that is not zero.
  Vec<3> read_scale(Vec<3>& flattened) const {
    const Json* value = from_.find("scale");
    const bool is_uniform = value != nullptr && value->is_number();
    Vec<3> scale = Vec<3>::Ones();
    if (is_uniform) {
      scale.head(dim_).setConstant(from_.number("scale", 1.0));
    } else {
      scale = from_.vector("scale", dim_, scale);
    }
    if (!from_.has("dimensions")) return scale;
    const Vec<3> dimensions = from_.vector("dimensions", dim_, Vec<3>::Ones());
    const Vec<3> extent = shape_->box.size();
    for (int i = 0; i < dim_; ++i) {
      scale[i] = extent[i] > 0.0 ? dimensions[i] / extent[i] : dimensions[i];
      if (extent[i] > 0.0 || scale[i] != 0.0) continue;
      scale[i] = 1.0;
      flattened[i] = -shape_->box.min[i];
    }
    return scale;
  }

  // Places the body: x = position + R (scale x), about the origin of the mesh.
  void place() {
    if (shape_->path.empty()) {
      body_.geometry = geometry_of(shape_->mesh);
    } else {
      body_.mesh = shape_->path;
    }
    Vec<3> flattened = Vec<3>::Zero();
    body_.transform.scale = read_scale(flattened);
    body_.transform.rotation = from_.about_axes("rotation", dim_);
    const Mat<3> rotation = rotation_from_euler_xyz(body_.transform.rotation);
    body_.transform.translation = from_.vector("position", dim_) + rotation * flattened;
    placed_ = shape_->mesh;
    for (Vec<3>& v : placed_.vertices) {
      v = rotation * body_.transform.scale.cwiseProduct(v) + body_.transform.translation;
    }
  }

  static Vec<3> without(const std::array<bool, 3>& fixed, Vec<3> value) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (fixed[i]) value[static_cast<Eigen::Index>(i)] = 0.0;
    }
    return value;
  }
  Vec<3> free_vector(const char* key) const { return without(freedom_.is_translation_fixed, from_.vector(key, dim_)); }
  Vec<3> free_about_axes(const char* key) const {
    return without(freedom_.is_rotation_fixed, from_.about_axes(key, dim_));
  }

  // Returns the mass properties as the reference integrates them: over the volume of closed surfaces, else over areas,
  // else over lengths, else over the vertices.
  MassProperties measured() const {
    if (shape_->is_solid) return mass_of_mesh(placed_, 0.0).properties;
    if (dim_ == 3) {
      const MassProperties solid = mass_of_mesh(placed_, 0.0).properties;
      if (solid.measure > 0.0) return solid;
      if (!placed_.triangles.empty()) return mass_properties_of_triangles(placed_.vertices, placed_.triangles);
    }
    if (!placed_.edges.empty()) return mass_properties_of_edges(placed_.vertices, placed_.edges);
    constexpr double ball_of_volume_one = 1.2407009817988;  // diameter: cube root of 6 / pi
    return mass_properties_of_balls(placed_.vertices, placed_.points, ball_of_volume_one);
  }

  void read_dynamics() {
    body_.kind = BodyKind::affine;
    body_.fixed_translation = freedom_.is_translation_fixed;
    body_.fixed_rotation = freedom_.is_rotation_fixed;
    if (dim_ == 3 && num_fixed_rotations() == 1) {
      from_.warning("is_dof_fixed",
                    "a single fixed rotation is about an axis of the world here; Rigid IPC fixes a component of the "
                    "rotation vector");
    }
    body_.linear_velocity = free_vector("linear_velocity");
    body_.angular_velocity = free_about_axes("angular_velocity");
    add_load(LoadKind::force, free_vector("force"));
    // The reference converts torques as if they were angles.
    add_load(LoadKind::torque, free_about_axes("torque") * radians_per_degree);
    read_mass();
  }

  void read_mass() {
    body_.material.density = from_.number("density", 1000.0, positive("", ""));
    if (shape_->is_solid) return;
    const double measure = measured().measure;
    body_.mass = body_.material.density * measure;
    stiffen(measure);
    if (!body_.split_components) return;
    const std::vector<int> components = connected_components(placed_);
    const int num_components = components.empty() ? 1 : 1 + *std::max_element(components.begin(), components.end());
    *body_.mass /= num_components;
    from_.warning("split_components", "all components of this open mesh get the same mass");
  }

  /// Raises the stiffness of thin bodies. The reference weighs sheets, wires and points as if they were a metre thick,
  /// although their shape has a hundredth of their size as thickness. Their stiffness is raised in proportion to their
  /// weight, because otherwise their own inertia stretches them (nets of wire by 4 %).
  void stiffen(double measure) {
    Vec<3> low = placed_.vertices.front(), high = low;
    for (const Vec<3>& v : placed_.vertices) {
      low = low.cwiseMin(v);
      high = high.cwiseMax(v);
    }
    const double volume = mass_of_mesh(placed_, 0.01 * (high - low).norm()).properties.measure;
    if (volume > 0.0 && measure > volume) body_.material.stiffness = 1e11 * (measure / volume);
  }

  void add_load(LoadKind kind, const Vec<3>& value) {
    if (value.isZero(0.0)) return;
    LoadDesc& load = body_.loads.emplace_back();
    load.kind = kind;
    load.value = value;
  }

  void read_kinematics() {
    body_.motions = rigid_ipc_motions(from_, {.dim = dim_,
                                              .step = shared_.step,
                                              .linear_velocity = free_vector("linear_velocity"),
                                              .angular_velocity = free_about_axes("angular_velocity"),
                                              .is_frame_of_world = num_fixed_rotations() == 2,
                                              .mass = measured()});
  }

  const RigidIpcObject& from_;
  RigidIpcBodies& shared_;
  int dim_;
  std::shared_ptr<const RigidIpcShape> shape_;
  Freedom freedom_;
  Type type_ = Type::dynamic;
  BodyDesc body_;
  Mesh placed_;  ///< in the world, at the start
};

}  // namespace

std::optional<RigidIpcBody> read_rigid_ipc_body(const RigidIpcObject& body, RigidIpcBodies& shared) {
  if (!body.flag("enabled", true)) return std::nullopt;
  return BodyReader(body, shared).read();
}

void join_groups_of_obstacles(std::vector<BodyDesc>& bodies) {
  std::set<int> of_obstacles;
  for (const BodyDesc& body : bodies) {
    if (body.kind == BodyKind::obstacle && body.collision_group >= 0) of_obstacles.insert(body.collision_group);
  }
  if (of_obstacles.empty()) return;
  for (BodyDesc& body : bodies) {
    const bool is_one = body.kind == BodyKind::obstacle || of_obstacles.contains(body.collision_group);
    if (is_one) body.collision_group = *of_obstacles.begin();
  }
}

}  // namespace clearance
