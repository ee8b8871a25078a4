#include "clearance/optimise/design_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/io/polyfem/polyfem_values.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/validate.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;

/// Largest prescribed motion of a static step, as a share of the shortest edge.
constexpr double part_of_edge = 0.12;
constexpr int most_parts = 100;

bool is_static(const SceneDesc& scene) {
  return scene.time.integrator == TimeIntegrator::quasi_static && scene.time.duration <= scene.time.step;
}

/// Returns in how many steps the prescribed motions of a static scene are to be made.
int parts_of_motion(const SceneDesc& scene, const StateMesh& mesh) {
  if (!is_static(scene)) return 1;
  double longest = 0.0;
  for (const BodyDesc& body : scene.bodies) {
    for (const MotionDesc& motion : body.motions) {
      if (!motion.displacement) continue;
      const std::optional<Vec<3>> displacement = constant_of(*motion.displacement);
      if (!displacement) return 1;  // a formula of time says itself how it goes on
      longest = std::max(longest, displacement->norm());
    }
  }
  double shortest = infinity;
  for (const StateCell& cell : mesh.cells) {
    for (int i = 0; i <= mesh.dim; ++i) {
      for (int j = 0; j < i; ++j) {
        const VecX edge = mesh.x_rest.segment(static_cast<Index>(mesh.dim) * cell.nodes[i], mesh.dim) -
                          mesh.x_rest.segment(static_cast<Index>(mesh.dim) * cell.nodes[j], mesh.dim);
        shortest = std::min(shortest, edge.norm());
      }
    }
  }
  const double parts = std::ceil(longest / (part_of_edge * shortest));
  return static_cast<int>(std::clamp(parts, 1.0, static_cast<double>(most_parts)));
}

void set_parts(int parts, SceneDesc& scene) {
  if (parts <= 1) return;
  scene.time.step = scene.time.duration / parts;
  for (BodyDesc& body : scene.bodies) {
    for (MotionDesc& motion : body.motions) {
      if (!motion.displacement) continue;
      for (std::string& formula : *motion.displacement) {
        if (constant_of(formula) != 0.0) formula = fmt::format("({}) * t / {:.17g}", formula, scene.time.duration);
      }
    }
  }
}

bool is_uniform(const VecX& values, const std::vector<int>& cells) {
  return std::all_of(cells.begin(), cells.end(), [&](int c) { return values[c] == values[cells.front()]; });
}

void set_materials(const StateMesh& mesh, const VecX& lame, SceneDesc& scene) {
  const std::vector<std::vector<int>> entries = cells_of_entries(mesh);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    BodyDesc& body = scene.bodies[mesh.scene_body[e]];
    if (body.kind == BodyKind::obstacle) continue;
    const auto of_cell = [&](int c) { return Lame{lame[c], lame[mesh.num_cells() + c]}; };
    if (is_uniform(lame.head(mesh.num_cells()), entries[e]) && is_uniform(lame.tail(mesh.num_cells()), entries[e])) {
      const Lame uniform = of_cell(entries[e].front());
      body.material.youngs_modulus = uniform.youngs_modulus();
      body.material.poisson_ratio = uniform.poisson_ratio();
      for (MaterialPartDesc& part : body.material_parts) {
        part.material.youngs_modulus = body.material.youngs_modulus;
        part.material.poisson_ratio = body.material.poisson_ratio;
      }
      continue;
    }
    MaterialFieldDesc modulus, ratio;
    modulus.number = MaterialNumber::youngs_modulus;
    ratio.number = MaterialNumber::poisson_ratio;
    for (const int c : entries[e]) {
      modulus.values.push_back(of_cell(c).youngs_modulus());
      ratio.values.push_back(of_cell(c).poisson_ratio());
    }
    body.material_fields = {std::move(modulus), std::move(ratio)};
  }
}

void set_velocities(const StateMesh& mesh, const VecX& start, SceneDesc& scene) {
  const VecX velocities = start.tail(mesh.x_rest.size());
  for (std::size_t e = 0; e < mesh.first_node.size(); ++e) {
    BodyDesc& body = scene.bodies[mesh.scene_body[e]];
    if (body.kind == BodyKind::obstacle) continue;
    body.velocity.reset();
    body.linear_velocity = Vec<3>::Zero();
    body.linear_velocity.head(mesh.dim) =
        velocities.segment(static_cast<Index>(mesh.dim) * mesh.first_node[e], mesh.dim);
  }
}

/// Writes the changed mesh of each body with a shape of its own into the scene.
void set_shape(const PolyfemPlan& plan, const VecX& x_rest, SceneDesc& scene) {
  const StateMesh& mesh = *plan.meshes[plan.varied];
  const std::vector<PolyfemBody>& bodies = plan.states[plan.varied].bodies;
  for (std::size_t e = 0; e < bodies.size(); ++e) {
    BodyDesc& body = scene.bodies[mesh.scene_body[e]];
    const Mesh& placed = bodies[e].placed;
    const Index first = mesh.first_node[e], count = static_cast<Index>(placed.vertices.size());
    if (x_rest.segment(mesh.dim * first, mesh.dim * count) == mesh.x_rest.segment(mesh.dim * first, mesh.dim * count)) {
      continue;
    }
    // Nodes that are no corners come after the vertices of the file, and are made anew.
    int num_vertices = static_cast<int>(count);
    for (std::size_t c = 0; c < placed.num_solid_cells(); ++c) {
      const std::span<const int> nodes = placed.nodes_of_cell(c);
      for (std::size_t a = static_cast<std::size_t>(mesh.dim) + 1; a < nodes.size(); ++a) {
        num_vertices = std::min(num_vertices, nodes[a]);
      }
    }
    GeometryDesc geometry;
    for (int v = 0; v < num_vertices; ++v) {
      Vec<3> vertex = Vec<3>::Zero();
      vertex.head(mesh.dim) = x_rest.segment(mesh.dim * (first + v), mesh.dim);
      geometry.vertices.push_back(vertex);
    }
    geometry.tets = placed.tets;
    if (mesh.dim == 2) geometry.triangles = placed.triangles;
    body.mesh.clear();
    body.geometry = std::move(geometry);
    body.transform = {};
  }
}

/// Makes a scene that derivatives can be found of.
void make_differentiable(const StateMesh& mesh, SceneDesc& scene) {
  scene.friction.iterations = 0;
  set_parts(parts_of_motion(scene, mesh), scene);
}

}  // namespace

std::vector<std::vector<int>> cells_of_entries(const StateMesh& mesh) {
  std::vector<std::vector<int>> cells(mesh.first_node.size());
  for (int c = 0; c < mesh.num_cells(); ++c) cells[mesh.entry_of_cell[c]].push_back(c);
  return cells;
}

std::vector<std::vector<int>> nodes_of_entries(const StateMesh& mesh) {
  std::vector<std::vector<int>> nodes(mesh.first_node.size());
  for (int n = 0; n < mesh.num_nodes(); ++n) nodes[mesh.entry_of_node[n]].push_back(n);
  return nodes;
}

std::string why_not_of_bodies(const PolyfemPlan& plan, VariableKind kind, const VecX& y) {
  const StateMesh& mesh = *plan.meshes[plan.varied];
  if (kind == VariableKind::shape) return "shapes are not numbers of bodies";
  if (kind == VariableKind::elastic) {
    const SceneDesc& scene = plan.states[plan.varied].loaded.scene;
    const std::vector<std::vector<int>> entries = cells_of_entries(mesh);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      if (!scene.bodies[mesh.scene_body[e]].material_parts.empty()) return "a body has several volumes";
      if (!is_uniform(y.head(mesh.num_cells()), entries[e]) || !is_uniform(y.tail(mesh.num_cells()), entries[e])) {
        return "elements of a body have materials of their own";
      }
    }
    return {};
  }
  const Index size = mesh.x_rest.size();
  if (!y.head(size).isZero(0.0)) return "displacements at the start cannot be changed; expected zeros";
  for (const std::vector<int>& nodes : nodes_of_entries(mesh)) {
    for (const int n : nodes) {
      for (int c = 0; c < mesh.dim; ++c) {
        if (y[size + mesh.dim * n + c] == y[size + mesh.dim * nodes.front() + c]) continue;
        return "nodes of a body start with velocities of their own; expected per-body-to-per-node";
      }
    }
  }
  return {};
}

VecX rest_of_design(const PolyfemPlan& plan, const std::vector<VecX>& y) {
  const StateMesh& mesh = *plan.meshes[plan.varied];
  VecX x_rest = mesh.x_rest;
  bool is_changed = false;
  for (std::size_t v = 0; v < y.size(); ++v) {
    if (plan.variables[v].kind != VariableKind::shape) continue;
    const std::vector<int>& vertices = plan.variables[v].vertices;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      x_rest.segment(static_cast<Index>(mesh.dim) * vertices[k], mesh.dim) =
          y[v].segment(mesh.dim * static_cast<Index>(k), mesh.dim);
    }
    if (plan.variables[v].inside) plan.variables[v].inside->follow(x_rest);
    is_changed = true;
  }
  if (is_changed) mesh.follow_corners(x_rest);
  return x_rest;
}

SceneDesc scene_of_design(const PolyfemPlan& plan, const std::vector<VecX>& y) {
  SceneDesc scene = plan.states[plan.varied].loaded.scene;
  const StateMesh& mesh = *plan.meshes[plan.varied];
  for (std::size_t v = 0; v < y.size(); ++v) {
    if (plan.variables[v].kind == VariableKind::elastic) set_materials(mesh, y[v], scene);
    if (plan.variables[v].kind == VariableKind::initial) set_velocities(mesh, y[v], scene);
    if (plan.variables[v].kind == VariableKind::shape) set_shape(plan, rest_of_design(plan, y), scene);
  }
  make_differentiable(mesh, scene);
  return scene;
}

SceneDesc scene_of_state(const PolyfemPlan& plan, std::size_t state) {
  SceneDesc scene = plan.states[state].loaded.scene;
  make_differentiable(*plan.meshes[state], scene);
  return scene;
}

Issues changes_of_scene(const PolyfemPlan& plan, std::size_t state) {
  Issues issues;
  const std::string file = plan.state_files[state].string();
  const SceneDesc& scene = plan.states[state].loaded.scene;
  const StateMesh& mesh = *plan.meshes[state];
  const auto warn = [&](const char* place, std::string message) {
    issues.push_back({file, place, "", std::move(message), Severity::warning});
  };
  if (scene.friction.iterations > 0 && scene.friction.coefficient > 0.0) {
    warn("solver.contact.friction_iterations",
         "friction agrees with the contact forces of its step here, as "
         "derivatives need; PolyFEM lags it");
  }
  if (const int parts = parts_of_motion(scene, mesh); parts > 1) {
    warn("boundary_conditions", fmt::format("prescribed motions are made in {} static steps, because they are longer "
                                            "than elements allow at once",
                                            parts));
  }
  if (state != plan.varied) return issues;
  for (std::size_t e = 0; e < mesh.scene_body.size(); ++e) {
    if (scene.bodies[mesh.scene_body[e]].kind != BodyKind::obstacle) continue;
    warn("geometry", fmt::format("entry {} is held all around and is an obstacle here: its materials and velocities "
                                 "have no effect, and no derivative",
                                 e));
  }
  return issues;
}

derivatives::SceneMaker maker_of(SceneDesc scene, std::string name) {
  return [scene = std::move(scene),
          name = std::move(name)](const std::vector<std::string>& overrides) -> Result<SceneDesc> {
    if (overrides.empty()) {
      if (Issues issues = validate(scene); has_errors(issues)) return issues;
      return scene;
    }
    Result<LoadedScene> loaded = load_scene_text(scene_text("", scene), name, scene.base_directory, overrides);
    if (!loaded) return loaded.issues();
    return std::move(loaded->scene);
  };
}

HistoryRecorder::HistoryRecorder(const StateMesh& mesh, StateHistory& history) : mesh_(mesh), history_(history) {
  history_.times.clear();
  history_.x.clear();
  history_.x_rest = mesh.x_rest;
  history_.lame = mesh.lame;
}

bool HistoryRecorder::add(const SceneModel& scene, const State& state) {
  if (in_model_.block_of_node.empty()) {
    std::optional<MeshInModel> found = find_in_model(mesh_, scene);
    if (!found) return false;
    in_model_ = std::move(*found);
  }
  VecX x = mesh_.x_rest;
  for (std::size_t n = 0; n < in_model_.block_of_node.size(); ++n) {
    const int block = in_model_.block_of_node[n];
    if (block < 0) continue;
    x.segment(mesh_.dim * static_cast<Index>(n), mesh_.dim) =
        state.x.segment(static_cast<Index>(mesh_.dim) * block, mesh_.dim);
  }
  history_.x.push_back(std::move(x));
  history_.times.push_back(state.time);
  return true;
}

Issue unknown_nodes(const std::string& file) {
  return {file, "geometry", "",
          "the meshes of the run have other nodes than the file; optimisations need the nodes of PolyFEM"};
}

}  // namespace clearance::optimise
