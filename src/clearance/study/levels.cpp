#include "clearance/study/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/meshing/mesh_cache.h"
#include "clearance/simulation/load/mesh_units.h"
#include "clearance/simulation/load/surface_filling.h"

namespace clearance::study {
namespace {

bool has_nodes(const RegionDesc& region) {
  return !region.nodes.empty();
}

/// True if the scene refers to nodes or elements of the body's mesh by their numbers, which a mesh of another
/// resolution would not have.
bool has_numbers(const SceneDesc& scene, const BodyDesc& body) {
  const auto any = [](const auto& list, const auto& is_so) { return std::any_of(list.begin(), list.end(), is_so); };
  return !body.element_densities.empty() ||
         any(body.material_fields, [](const MaterialFieldDesc& field) { return !field.values.empty(); }) ||
         any(body.material_parts,
             [](const MaterialPartDesc& part) {
               return !part.elements.empty() || (part.region && has_nodes(*part.region));
             }) ||
         any(body.stiff_parts, [](const StiffPartDesc& part) { return has_nodes(part.region); }) ||
         any(body.motions,
             [](const MotionDesc& motion) { return has_nodes(motion.region) || motion.has_mesh_sequence(); }) ||
         any(body.loads, [](const LoadDesc& load) { return has_nodes(load.region); }) ||
         any(scene.output.probes, [&](const ProbeDesc& probe) {
           return probe.body == body.name && probe.region && has_nodes(*probe.region);
         });
}

int doubled(int count) {
  return count > std::numeric_limits<int>::max() / 2 ? count : 2 * count;
}

void refine_generator(GeneratorDesc& generator) {
  if (generator.kind == GeneratorKind::blocks) {
    for (double& size : generator.size) size *= 0.5;
    return;
  }
  // The teeth of a gear are its shape; only the segments of their flanks become finer.
  const std::size_t num_fixed = generator.kind == GeneratorKind::gear ? 1 : 0;
  if (!generator.resolution.empty()) {
    generator.resolution.resize(std::max(generator.resolution.size(), num_fixed + 1), generator.resolution.back());
  }
  for (std::size_t i = num_fixed; i < generator.resolution.size(); ++i) {
    generator.resolution[i] = doubled(generator.resolution[i]);
  }
}

/// Returns the edge length [m] of the mesh that `volume_mesh` makes of the body's surface.
Result<double> edge_length_of(const SceneDesc& scene, const BodyDesc& body, const std::string& place) {
  if (body.volume_mesh->edge_length && !body.volume_mesh->tolerance) return *body.volume_mesh->edge_length;
  Result<Mesh> surface = read_mesh(std::filesystem::path(scene.base_directory) / body.mesh, {.dim = scene.dimension});
  if (!surface) return surface.issues();
  convert_to_scene(scene, body, *surface);
  const VolumeMeshOptions options = volume_mesh_options(*body.volume_mesh);
  if (options.tolerance) {
    // The length that met the tolerance is known once the surface is filled.
    surface->dim = scene.dimension;
    const Result<VolumeMesh> made = cached_volume_mesh(*surface, options);
    if (!made) return made.issues();
    return made->report.edge_length;
  }
  const double length = default_edge_length(*surface, options);
  if (!(length > 0.0)) return Issue{"", place + ".volume_mesh", "", "the surface has no extent; expected a surface"};
  return length;
}

/// True if the mesh of the body decides how accurate it is: all that is elastic.
bool is_refined(const BodyDesc& body) {
  return has_nodes(body.kind) && body.kind != BodyKind::particles;
}

/// Makes the elements of one body half as large.
Issues refine_body(SceneDesc& scene, BodyDesc& body, const std::string& place) {
  if (body.volume_mesh) {
    const Result<double> length = edge_length_of(scene, body, place);
    if (!length) return length.issues();
    body.volume_mesh->edge_length = 0.5 * *length;
    body.volume_mesh->tolerance.reset();
  } else if (body.generator && !has_numbers(scene, body)) {
    refine_generator(*body.generator);
  } else {
    ++body.refinements;
  }
  return {};
}

/// Warns of bodies whose levels differ by more or less than the size of their elements.
void add_mesh_warnings(const SceneDesc& scene, Issues& warnings) {
  const auto warn = [&](const std::string& place, std::string message) {
    warnings.push_back({"", place, "", std::move(message), Severity::warning});
  };
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDesc& body = scene.bodies[i];
    if (!is_refined(body)) continue;
    const std::string place = fmt::format("bodies[{}]", i);
    const bool adapts = body.remesh ? body.remesh->enabled : scene.remesh && scene.remesh->enabled;
    if (adapts) {
      warn(place + ".remesh", fmt::format("the elements of body '{}' adapt, so that the levels differ only in the mesh "
                                          "that they start from",
                                          body.name));
    }
    if (body.generator && has_numbers(scene, body)) {
      warn(place + ".generator",
           fmt::format("nodes or elements of body '{}' are selected by number, so that its elements are split "
                       "(`refinements`) instead of generated anew; a round shape keeps its facets",
                       body.name));
    }
  }
}

/// Lets bodies whose elements are quadratic by default (StaticDesc) keep that order on finer meshes.
void keep_orders(SceneDesc& scene) {
  const int growth = scene.dimension == 3 ? 8 : 4;
  constexpr int most = std::numeric_limits<int>::max();
  int& limit = scene.statics.quadratic_elements;
  limit = limit > most / growth ? most : growth * limit;
}

/// Returns the motions that have one pose or mesh per step, which half as long steps would play twice as fast.
Issues find_motions_per_step(const SceneDesc& scene) {
  Issues issues;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    for (std::size_t j = 0; j < scene.bodies[i].motions.size(); ++j) {
      const MotionDesc& motion = scene.bodies[i].motions[j];
      const std::string place = fmt::format("bodies[{}].motions[{}]", i, j);
      if (!motion.poses.empty()) {
        issues.push_back({"", place + ".poses", "",
                          "the motion has one pose per step, so that halved steps would change it; expected a motion "
                          "given by velocities or formulas of time, or --refine mesh"});
      } else if (motion.has_mesh_sequence() && motion.mesh_rate == 0.0) {
        issues.push_back({"", place + ".mesh_rate", "0",
                          "the motion has one mesh per step, so that halved steps would change it; expected a rate in "
                          "files per second, or --refine mesh"});
      }
    }
  }
  return issues;
}

/// Returns problems of motions whose nodes are listed: the vertices that refinement adds between them are not in the
/// list. A clamp then holds no edge, which is an error; nodes that are held alone are a warning.
void find_listed_nodes(const SceneDesc& scene, Issues& errors, Issues& warnings) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDesc& body = scene.bodies[i];
    for (std::size_t j = 0; is_refined(body) && j < body.motions.size(); ++j) {
      const MotionDesc& motion = body.motions[j];
      if (motion.region.nodes.size() < 2) continue;
      const std::string place = fmt::format("bodies[{}].motions[{}].region.nodes", i, j);
      if (motion.clamp) {
        errors.push_back({"", place, "",
                          fmt::format("finer meshes of '{}' have vertices between those in the list, so that the clamp "
                                      "would hold no edge; expected a box, or --refine step",
                                      body.name)});
      } else {
        warnings.push_back(
            {"", place, "",
             fmt::format("finer meshes of '{}' have vertices between those in the list, which the motion "
                         "does not hold; a box holds them, too",
                         body.name),
             Severity::warning});
      }
    }
  }
}

/// Halves the step, and the parts of steps with an accuracy, whose errors are of the second order. Frames and
/// checkpoints keep their times.
void refine_step(SceneDesc& scene) {
  scene.time.step *= 0.5;
  scene.time.accuracy *= 0.25;
  scene.output.frame_interval = doubled(scene.output.frame_interval);
  scene.output.checkpoint_interval = doubled(scene.output.checkpoint_interval);
}

}  // namespace

Result<Levels> make_levels(const SceneDesc& scene, Refinement refinement, int num_levels) {
  const bool is_static = scene.time.integrator == TimeIntegrator::quasi_static;
  const bool refines_mesh = refinement != Refinement::step;
  const bool refines_step = refinement != Refinement::mesh && !is_static;
  Levels levels;
  Issues issues;
  if (refines_mesh && !has_deformable(scene)) {
    issues.push_back({"", "bodies", "",
                      "no body is deformable, so that there is no mesh to refine; expected a deformable body, or "
                      "--refine step"});
  }
  if (refinement != Refinement::mesh && is_static) {
    const char* message = refines_mesh
                              ? "the steps of a quasi-static scene are stages of its loads and stay as they are"
                              : "the steps of a quasi-static scene are stages of its loads; expected another "
                                "integrator, or --refine mesh";
    Issue issue{"", "time.integrator", "quasi_static", message, refines_mesh ? Severity::warning : Severity::error};
    (refines_mesh ? levels.warnings : issues).push_back(std::move(issue));
  }
  if (refines_step) {
    const Issues motions = find_motions_per_step(scene);
    issues.insert(issues.end(), motions.begin(), motions.end());
  }
  if (refines_mesh) {
    add_mesh_warnings(scene, levels.warnings);
    find_listed_nodes(scene, issues, levels.warnings);
  }

  levels.scenes = {scene};
  while (issues.empty() && std::ssize(levels.scenes) < num_levels) {
    SceneDesc finer = levels.scenes.back();
    if (refines_step) refine_step(finer);
    for (std::size_t i = 0; refines_mesh && i < finer.bodies.size(); ++i) {
      BodyDesc& body = finer.bodies[i];
      if (!is_refined(body)) continue;
      const Issues of_body = refine_body(finer, body, fmt::format("bodies[{}]", i));
      issues.insert(issues.end(), of_body.begin(), of_body.end());
    }
    if (refines_mesh) keep_orders(finer);
    levels.scenes.push_back(std::move(finer));
  }
  if (!issues.empty()) return issues;
  return levels;
}

}  // namespace clearance::study
