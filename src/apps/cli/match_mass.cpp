#include "apps/cli/match_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "clearance/bodies/fem/element_moments.h"
#include "clearance/simulation/load/load_bodies.h"

namespace clearance::cli {

namespace {

Issue problem(const std::string& value, const std::string& message) {
  return {"", "--match-mass", value, message, Severity::error};
}

Result<std::size_t> find_body(const std::string& name, const SceneDesc& scene) {
  std::vector<std::size_t> deformable;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind == BodyKind::deformable) deformable.push_back(b);
  }
  if (name.empty() && deformable.size() == 1) return deformable[0];
  if (name.empty()) {
    return problem("",
                   fmt::format("the scene has {} deformable bodies; name one of them with --body", deformable.size()));
  }
  const auto found =
      std::find_if(deformable.begin(), deformable.end(), [&](std::size_t b) { return scene.bodies[b].name == name; });
  if (found == deformable.end())
    return Issue{"", "--body", '"' + name + '"', "the scene has no deformable body with this name"};
  return *found;
}

/// Returns the elements of the body as its transform places them, before refinements.
Result<std::vector<MassProperties>> elements_of(const BodyDesc& body, const SceneDesc& scene) {
  SceneDesc alone;
  alone.dimension = scene.dimension;
  alone.base_directory = scene.base_directory;
  alone.bodies = {body};
  BodyDesc& only = alone.bodies[0];
  only.refinements = 0;
  only.array.reset();
  only.collision_surface.reset();
  only.element_densities.clear();
  only.material_fields.clear();
  only.motions.clear();
  only.loads.clear();
  const Result<LoadedBodies> loaded = load_bodies(alone);
  if (!loaded) return loaded.issues();
  return element_mass_properties(loaded->instances[0].mesh);
}

MassProperties sum_of(const std::vector<MassProperties>& elements) {
  MassProperties sum;
  for (const MassProperties& element : elements) sum = combine(sum, element);
  return sum;
}

/// Largest ratio of the two volumes without a warning. A finer mesh rounds off other corners than the coarse one, but
/// it encloses about as much.
constexpr double largest_volume_ratio = 1.5;

Issues warnings_of(const MassProperties& fine, const MassProperties& coarse, const MatchMassOptions& options, int dim) {
  const double ratio = fine.measure / coarse.measure;
  if (ratio < largest_volume_ratio && ratio > 1.0 / largest_volume_ratio) return {};
  Issue warning =
      problem(options.fine.string(), fmt::format("the mesh has {:.3g} times the {} of the body's mesh; expected a "
                                                 "finer mesh of the same body, in the units and the place of its mesh",
                                                 ratio, dim == 2 ? "area" : "volume"));
  warning.severity = Severity::warning;
  return {warning};
}

std::string text_of_miss(const BodyMassMatch& matched, int dim) {
  const MassProperties &target = matched.target, &reached = matched.match.reached;
  switch (*matched.match.unmatched) {
    case MassMoments::mass:
      return fmt::format("its mass is at least {:.6g} kg, {:.3g} kg too much", reached.measure,
                         reached.measure - target.measure);
    case MassMoments::center:
      return fmt::format("its centre of mass stays {:.3g} m away", (reached.center - target.center).norm());
    case MassMoments::inertia: {
      const Mat<3> miss = reached.inertia() - target.inertia();
      return dim == 2 ? fmt::format("its moment of inertia stays {:.3g} kg m^2 off", std::abs(miss(2, 2)))
                      : fmt::format("its moments of inertia stay up to {:.3g} kg m^2 off", miss.cwiseAbs().maxCoeff());
    }
  }
  return {};
}

}  // namespace

Result<BodyMassMatch> match_mass_of_body(const MatchMassOptions& options, SceneDesc& scene) {
  const Result<std::size_t> found = find_body(options.body, scene);
  if (!found) return found.issues();
  BodyDesc& body = scene.bodies[*found];
  if (!body.material_parts.empty() || !body.stiff_parts.empty()) {
    return problem(
        "", fmt::format("body '{}' has parts of other materials, which the finer mesh does not have", body.name));
  }
  if (std::any_of(body.material_fields.begin(), body.material_fields.end(),
                  [](const MaterialFieldDesc& field) { return field.number == MaterialNumber::density; })) {
    return problem(
        "", fmt::format("the density of body '{}' varies, and the finer mesh is taken to be uniform", body.name));
  }
  const Result<std::vector<MassProperties>> elements = elements_of(body, scene);
  if (!elements) return elements.issues();
  BodyDesc fine = body;
  fine.mesh = std::filesystem::absolute(options.fine).string();
  fine.generator.reset();
  fine.geometry.reset();
  fine.volume_mesh.reset();
  fine.order = 0;
  const Result<std::vector<MassProperties>> fine_elements = elements_of(fine, scene);
  if (!fine_elements) return fine_elements.issues();

  BodyMassMatch matched;
  matched.body = body.name;
  matched.target = sum_of(*fine_elements);
  const MassProperties coarse = sum_of(*elements);
  matched.warnings = warnings_of(matched.target, coarse, options, scene.dimension);
  matched.target.measure *= body.material.density;
  matched.target.second_moment *= body.material.density;
  const double mean = matched.target.measure / coarse.measure;
  matched.match =
      match_mass(scene.dimension, *elements, matched.target,
                 options.has_inertia ? MassMoments::inertia : MassMoments::center, options.least_density * mean);
  if (matched.match.unmatched) {
    return problem("", fmt::format("densities of at least {:.4g} cannot make body '{}' match: {}; try a finer mesh or "
                                   "a smaller --least-density",
                                   options.least_density * mean, body.name, text_of_miss(matched, scene.dimension)));
  }
  body.element_densities = matched.match.densities;
  return matched;
}

}  // namespace clearance::cli
