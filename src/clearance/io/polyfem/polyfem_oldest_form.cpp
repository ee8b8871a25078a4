#include "clearance/io/polyfem/polyfem_oldest_form.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace clearance {
namespace {

struct Renamed {
  std::string_view old;
  const char* now;  ///< JSON pointer; empty: no effect on the motion
};

constexpr Renamed of_scene[] = {{"default_params", "/common"},
                                {"discr_order", "/space/discr_order"},
                                {"bc_method", "/space/advanced/bc_method"},
                                {"tend", "/time/tend"},
                                {"dt", "/time/dt"},
                                {"time_steps", "/time/time_steps"},
                                {"has_collision", "/contact/enabled"},
                                {"dhat", "/contact/dhat"},
                                {"mu", "/contact/friction_coefficient"},
                                {"epsv", "/contact/epsv"},
                                {"collision_mesh", "/contact/collision_mesh"},
                                {"friction_iterations", "/solver/contact/friction_iterations"},
                                {"al_weight", "/solver/augmented_lagrangian/initial_weight"},
                                {"max_al_weight", "/solver/augmented_lagrangian/max_weight"},
                                {"skip_frame", "/output/paraview/skip_frame"},
                                {"vismesh_rel_area", "/output/paraview/vismesh_rel_area"},
                                {"export", ""},
                                {"solver_params", ""},
                                {"boundary_id_threshold", ""}};
constexpr Renamed of_problem[] = {{"rhs", "/boundary_conditions/rhs"},
                                  {"dirichlet_boundary", "/boundary_conditions/dirichlet_boundary"},
                                  {"neumann_boundary", "/boundary_conditions/neumann_boundary"},
                                  {"initial_velocity", "/initial_conditions/velocity"}};
constexpr Renamed of_mesh[] = {{"mesh", "/mesh"},
                               {"position", "/transformation/translation"},
                               {"rotation", "/transformation/rotation"},
                               {"rotation_mode", "/transformation/rotation_mode"},
                               {"scale", "/transformation/scale"},
                               {"dimensions", "/transformation/dimensions"},
                               {"body_id", "/volume_selection"},
                               {"n_refs", "/n_refs"},
                               {"enabled", "/enabled"}};

// First number of the obstacles that move, far from the numbers of boundaries.
constexpr int first_obstacle_id = 1000;

class Converter {
 public:
  Converter(const Json& root, Issues& issues) : root_(root), issues_(issues) {}

  Json run() {
    issues_.push_back({"", "", "",
                       "the file has the oldest form of PolyFEM scenes; messages name the places of today's form",
                       Severity::warning});
    rename(root_, of_scene, {"meshes", "obstacles", "body_params", "problem_params", "boundary_sidesets"}, "", now_);
    rename(root_.value("problem_params", Json::object()), of_problem, {}, "problem_params", now_);
    convert_meshes();
    convert_obstacles();
    now_["materials"] = root_.value("body_params", Json::array());
    for (Json& material : now_["materials"]) {
      if (material.is_object() && !material.contains("type")) material["type"] = "NeoHookean";
    }
    return std::move(now_);
  }

 private:
  template <std::size_t size>
  void rename(const Json& from, const Renamed (&names)[size], const std::vector<std::string_view>& others,
              const std::string& place, Json& to) {
    if (!from.is_object()) return;
    for (const auto& [key, value] : from.items()) {
      const auto* found =
          std::find_if(names, names + size, [&, &key = key](const Renamed& name) { return name.old == key; });
      if (found != names + size) {
        if (*found->now != '\0') to[Json::json_pointer(found->now)] = value;
      } else if (!key.starts_with('#') && std::find(others.begin(), others.end(), key) == others.end()) {
        issues_.push_back(
            {"", child_path(place, key), "", "this key is not known and has no effect", Severity::warning});
      }
    }
  }

  void convert_meshes() {
    const Json meshes = root_.value("meshes", Json::array());
    for (std::size_t i = 0; i < meshes.size(); ++i) {
      Json entry = Json::object();
      rename(meshes[i], of_mesh, {}, element_path("meshes", i), entry);
      if (root_.contains("boundary_sidesets")) entry["surface_selection"] = root_["boundary_sidesets"];
      now_["geometry"].push_back(std::move(entry));
    }
  }

  void convert_obstacles() {
    const Json obstacles = root_.value("obstacles", Json::array());
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
      Json entry = Json::object();
      rename(obstacles[i], of_mesh, {"displacement"}, element_path("obstacles", i), entry);
      const int id = first_obstacle_id + static_cast<int>(i);
      entry["is_obstacle"] = true;
      entry["surface_selection"] = id;
      now_["geometry"].push_back(std::move(entry));
      if (!obstacles[i].is_object() || !obstacles[i].contains("displacement")) continue;
      now_["boundary_conditions"]["obstacle_displacements"].push_back(
          {{"id", id}, {"value", obstacles[i]["displacement"]}});
    }
  }

  const Json& root_;
  Issues& issues_;
  Json now_ = Json::object();
};

}  // namespace

bool has_oldest_form(const Json& root) {
  return root.is_object() && (root.contains("meshes") || root.contains("body_params"));
}

Json from_oldest_form(const Json& root, Issues& issues) {
  return Converter(root, issues).run();
}

}  // namespace clearance
