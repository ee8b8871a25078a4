#include "clearance/io/polyfem/polyfem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/geometry/curved_cells.h"
#include "clearance/io/polyfem/polyfem_collision_mesh.h"
#include "clearance/io/polyfem/polyfem_conditions.h"
#include "clearance/io/polyfem/polyfem_limits.h"
#include "clearance/io/polyfem/polyfem_materials.h"
#include "clearance/io/polyfem/polyfem_oldest_form.h"
#include "clearance/io/polyfem/polyfem_orders.h"
#include "clearance/io/polyfem/polyfem_remesh.h"
#include "clearance/io/polyfem/polyfem_settings.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

bool has_any(const Json& root, std::initializer_list<const char*> keys) {
  return root.is_object() && std::any_of(keys.begin(), keys.end(), [&](const char* key) { return root.contains(key); });
}

class SceneReader {
 public:
  /// `folder` is the folder that `root_path` means.
  SceneReader(const ForeignObject& root, const std::filesystem::path& path, const std::filesystem::path& folder)
      : root_(root), path_(path), meshes_(path, folder), orders_(root) {}

  /// `bodies`: where to add the bodies that PolyFEM simulates; may be null.
  SceneDesc read(std::vector<PolyfemBody>* bodies) {
    bodies_ = bodies;
    const std::vector<ForeignObject> geometry = objects_of(root_, "geometry");
    const Json* list = root_.find("geometry");
    if (list == nullptr || (list->is_array() && list->empty())) root_.error("geometry", "expected a list of meshes");
    refuse_unsupported(root_, geometry);
    warn_of_unknown_keys(root_, geometry);
    set_published_defaults(scene_);
    values_.dim = scene_.dimension = meshes_.find_dimension(geometry);
    const PolyfemTime time = read_polyfem_time(root_, values_);
    scene_.time = time.desc;
    if (time.start != 0.0) values_.time = fmt::format("(t + {})", time.start);
    conditions_ = read_conditions(root_, values_);
    set_gravity();
    const PolyfemMaterials materials(root_, values_);
    for (const ForeignObject& entry : geometry) {
      if (!is_disabled(entry)) add(entry, materials);
    }
    orders_.warn_of_idle(selections_, root_.issues());
    warn_of_idle_conditions(conditions_, selections_, obstacle_ids_, root_.issues());
    set_collision_surface();
    read_polyfem_settings(root_, values_, shortest_edge_, scene_);
    read_polyfem_remesh(root_, scene_);
    name_bodies(scene_);
    return std::move(scene_);
  }

 private:
  // Sets the gravity: rho b = -rho rhs, because `rhs` equals the divergence of stress.
  void set_gravity() {
    scene_.gravity = Vec<3>::Zero();
    if (!conditions_.body_force) return;
    if (const std::optional<Vec<3>> constant = constant_of(*conditions_.body_force)) {
      scene_.gravity = Vec<3>::Zero() - *constant;
    }
  }

  void add(const ForeignObject& entry, const PolyfemMaterials& materials) {
    const std::string type = entry.word("type", "mesh");
    if (type == "plane" || type == "ground") return add_plane(entry, type == "ground");
    if (type != "mesh" && type != "mesh_array" && type != "mesh_sequence") return;  // refused
    if (type == "mesh_sequence" && !entry.flag("is_obstacle", false)) return;       // refused
    const std::optional<PolyfemMesh> mesh = meshes_.read(entry, values_.dim);
    if (!mesh) return;
    // Selections contain different nodes in every copy.
    const Json* faces = entry.find("surface_selection");
    const bool has_choices = (faces != nullptr && !faces->is_number()) || entry.has("point_selection");
    if (!has_choices || entry.flag("is_obstacle", false)) return add(entry, *mesh, materials);
    for (PolyfemMesh& copy : copies_of(*mesh)) add(entry, std::move(copy), materials);
  }

  void add(const ForeignObject& entry, PolyfemMesh mesh, const PolyfemMaterials& materials) {
    BodyDesc body;
    body.mesh = mesh.path;
    body.transform = mesh.transform;
    body.array = mesh.array;
    body.refinements = mesh.refinements;
    if (entry.flag("is_obstacle", false)) {
      body.kind = BodyKind::obstacle;
      obstacle_ids_.push_back(read_obstacle_id(entry));
      if (mesh.sequence.empty()) {
        move_obstacle(conditions_, obstacle_ids_.back(), body);
      } else {
        follow(entry, std::move(mesh.sequence), body);
      }
    } else {
      std::vector<int> body_ids = read_body_ids(entry, mesh);
      const int order = set_order(entry, orders_, body_ids, mesh.placed);
      if (has_collision_mesh(root_)) with_collision_mesh_.push_back(mesh);
      if (order > 1) {
        body.order = order;
        body.collision_surface = CollisionSurfaceDesc{.mesh = "", .segments = order};  // between the nodes
      }
      selections_.push_back(read_selections(entry, mesh, std::move(body_ids)));
      if (bodies_ != nullptr) bodies_->push_back({scene_.bodies.size(), mesh.placed, selections_.back()});
      set_materials(entry, materials, selections_.back().body_ids, body);
      apply_conditions(conditions_, selections_.back(), values_.dim, body, root_.issues());
      note_edges(mesh.placed);
    }
    scene_.bodies.push_back(std::move(body));
  }

  // Follows a sequence of files. The first file is the state at the start of the scene, not at the end of the first
  // step.
  void follow(const ForeignObject& entry, std::vector<std::string> files, BodyDesc& body) const {
    MotionDesc& motion = body.motions.emplace_back();
    motion.mesh_files = std::move(files);
    motion.mesh_rate = values_.number(entry, "fps", 0.0, positive("1/s", ""));
    if (!entry.has("fps")) entry.error("fps", "expected the number of files of the sequence per second");
    motion.mesh_is_placed = false;
  }

  void set_collision_surface() {
    if (!has_collision_mesh(root_)) return;
    const std::optional<CollisionSurfaceDesc> surface =
        read_collision_mesh(root_, path_, values_.dim, with_collision_mesh_);
    if (!surface) return;
    double smallest_part = 1.0;  // of an edge between nodes
    for (BodyDesc& body : scene_.bodies) {
      if (body.kind != BodyKind::deformable) continue;
      smallest_part =
          std::min(smallest_part, static_cast<double>(std::max(body.order, 1)) / std::max(surface->segments, 1));
      body.collision_surface = surface;
    }
    shortest_edge_ *= smallest_part;
  }

  void add_plane(const ForeignObject& entry, bool is_ground) {
    HalfSpaceDesc plane;
    if (is_ground) {
      plane.point[1] = values_.number(entry, "height", 0.0);
    } else {
      plane.point = polyfem_vector(entry, "point", values_.dim, plane.point);
      plane.normal = polyfem_vector(entry, "normal", values_.dim, plane.normal);
    }
    entry.warning("type", "PolyFEM itself ignores planes; here it is an obstacle");
    scene_.half_spaces.push_back(plane);
  }

  // Sets the materials. The material of most elements is that of the body, others become its parts.
  void set_materials(const ForeignObject& entry, const PolyfemMaterials& materials, const std::vector<int>& body_ids,
                     BodyDesc& body) {
    std::map<int, std::vector<int>> elements_of;
    for (std::size_t e = 0; e < body_ids.size(); ++e) elements_of[body_ids[e]].push_back(static_cast<int>(e));
    const auto most = std::max_element(elements_of.begin(), elements_of.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    for (auto it = elements_of.begin(); it != elements_of.end(); ++it) {
      const MaterialDesc* material = materials.find(it->first);
      if (material == nullptr) {
        entry.error("volume_selection",
                    fmt::format("no material has the number {}, which {} has", it->first,
                                body_ids.size() == 1
                                    ? "the body"
                                    : fmt::format("{} of its {} elements", it->second.size(), body_ids.size())));
      } else if (it == most) {
        body.material = *material;
      } else {
        body.material_parts.push_back({std::move(it->second), std::nullopt, *material});
      }
    }
  }

  void note_edges(const Mesh& mesh) {
    const auto note = [&](int a, int b) {
      const Vec<3> edge = mesh.vertices[a] - mesh.vertices[b];
      shortest_edge_ = std::min(shortest_edge_, edge.norm());
    };
    if (mesh.dim == 2) {
      for (const auto& [a, b] : boundary_edges(mesh)) note(a, b);
      return;
    }
    for (const auto& [a, b, c] : boundary_triangles(mesh)) {
      note(a, b);
      note(b, c);
      note(c, a);
    }
  }

  const ForeignObject& root_;
  std::filesystem::path path_;
  PolyfemMeshes meshes_;
  PolyfemOrders orders_;
  std::vector<PolyfemMesh> with_collision_mesh_;  // the bodies that are simulated, if their surface is replaced
  PolyfemValues values_;
  PolyfemConditions conditions_;
  std::vector<PolyfemSelections> selections_;  // of the bodies that are simulated
  std::vector<int> obstacle_ids_;
  double shortest_edge_ = infinity;  // [m]
  SceneDesc scene_;
  std::vector<PolyfemBody>* bodies_ = nullptr;
};

Result<LoadedScene> read_scene(const Json& root, const std::filesystem::path& path, const JsonFileReader& read_json,
                               std::vector<PolyfemBody>* bodies) {
  if (is_polyfem_optimisation(root)) {
    return Issue{path.string(), "", "",
                 "the file describes an optimisation, not a simulation; `clearance optimise` reads it"};
  }
  Issues issues;
  const Result<Json> composed =
      compose_polyfem(has_oldest_form(root) ? from_oldest_form(root, issues) : root, path, read_json);
  if (!composed) return composed.issues();
  const ForeignObject scene(*composed, "", issues);
  SceneDesc desc = SceneReader(scene, path, find_polyfem_root(*composed, path)).read(bodies);
  desc.name = path.stem().string();
  desc.base_directory = path.parent_path().string();
  return finish_import(std::move(desc), std::move(issues), path.string());
}

}  // namespace

bool is_polyfem_optimisation(const Json& root) {
  return has_any(root, {"variable_to_simulation", "functionals", "states"});
}

bool is_polyfem(const Json& root) {
  return has_any(root, {"geometry", "materials", "boundary_conditions", "meshes", "common", "variable_to_simulation",
                        "functionals"});
}

Result<LoadedScene> read_polyfem(const Json& root, const std::filesystem::path& path, const JsonFileReader& read_json) {
  return read_scene(root, path, read_json, nullptr);
}

Result<PolyfemState> read_polyfem_state(const Json& root, const std::filesystem::path& path,
                                        const JsonFileReader& read_json) {
  std::vector<PolyfemBody> bodies;
  Result<LoadedScene> loaded = read_scene(root, path, read_json, &bodies);
  if (!loaded) return loaded.issues();
  return PolyfemState{std::move(*loaded), std::move(bodies)};
}

}  // namespace clearance
