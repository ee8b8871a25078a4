#include "clearance/simulation/output/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "clearance/scene/enums.h"
#include "clearance/simulation/output/contact_pressure.h"
#include "clearance/simulation/output/following_surface.h"
#include "clearance/simulation/output/stress_recovery.h"
#include "clearance/simulation/output/thin_states.h"

namespace clearance {

namespace {

std::string name_of(OutputField field) {
  return std::string(enum_name(field));
}

FrameArray array_of(OutputField field, const std::vector<Vec<3>>& vectors) {
  FrameArray array{name_of(field), 3, {}};
  for (const Vec<3>& v : vectors) array.values.insert(array.values.end(), v.data(), v.data() + 3);
  return array;
}

/// Returns the displacements from the positions at the scene's start. A body that starts bent (`displacements`) is not
/// at rest there.
std::vector<Vec<3>> displacements(const SceneModel& scene, const VecX& x) {
  const VecX at = scene.frames.vertex_map.apply(x);
  const VecX bent =
      scene.frames.vertex_map.apply(scene.initial_state.x) - scene.frames.vertex_map.apply(scene.model.x_rest);
  std::vector<Vec<3>> moved(scene.frames.mesh.vertices.size(), Vec<3>::Zero());
  for (std::size_t v = 0; v < moved.size(); ++v) {
    const auto first = scene.dim * static_cast<Eigen::Index>(v);
    moved[v].head(scene.dim) =
        at.segment(first, scene.dim) - scene.frames.mesh.vertices[v].head(scene.dim) - bent.segment(first, scene.dim);
  }
  return moved;
}

/// Returns the recovered stress of each vertex: zero where nothing deforms, the one with the larger equivalent stress
/// where materials meet, and that of the nodes that a vertex follows.
std::vector<StressVector> stresses_of_vertices(const SceneModel& scene, const State& state,
                                               const FollowingSurface& followers) {
  std::vector<StressVector> stresses(scene.frames.mesh.vertices.size(), StressVector::Zero());
  const StressPatches patches(scene);
  for (const NodeStress& node : StressNodes(scene, patches).stresses(state.x, state.history)) {
    StressVector& of_vertex = stresses[node.vertex];
    if (von_mises(node.stress) > von_mises(of_vertex)) of_vertex = node.stress;
  }
  if (!stresses.empty()) followers.interpolate(6, {stresses.data()->data(), 6 * stresses.size()});
  return stresses;
}

/// Appends the equivalent stress and the components, each as an array of its own.
void add_stress(const SceneModel& scene, const State& state, const FollowingSurface& followers, Frame& frame) {
  static constexpr std::array components = {"xx", "yy", "zz", "xy", "yz", "xz"};
  const std::vector<StressVector> stresses = stresses_of_vertices(scene, state, followers);
  const auto add = [&](const char* part, const auto& value) {
    FrameArray array{fmt::format("{}_{}", name_of(OutputField::stress), part), 1, {}};
    for (const StressVector& stress : stresses) array.values.push_back(value(stress));
    frame.point_arrays.push_back(std::move(array));
  };
  add("von_mises", von_mises);
  for (int i = 0; i < 6; ++i) add(components[i], [i](const StressVector& stress) { return stress[i]; });
}

/// Makes an array with the values of the elements and of the surfaces that follow them; zero for the cells of stiff
/// bodies and obstacles, which do not deform.
template <class Value>
FrameArray array_of_cells(const SceneModel& scene, const std::vector<ElementState>& states,
                          const std::vector<ThinState>& thin, const FollowingSurface& followers, OutputField field,
                          int num_components, const Value& value) {
  FrameArray array{name_of(field), num_components, {}};
  array.values.assign(scene.frames.cell_body.size() * num_components, 0.0);
  for (std::size_t e = 0; e < states.size(); ++e) {
    const double* numbers = value(states[e]);
    std::copy(numbers, numbers + num_components, array.values.begin() + num_components * scene.cell_of_element[e]);
  }
  for (const ThinState& of : thin) {
    const double* numbers = value(of.state);
    std::copy(numbers, numbers + num_components, array.values.begin() + num_components * std::ptrdiff_t{of.cell});
  }
  if (!followers.is_empty()) followers.fill_cells(num_components, array.values);
  return array;
}

}  // namespace

/// True if any of the fields has values of elements.
static bool has_cells(const std::vector<OutputField>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](OutputField field) {
    return field == OutputField::von_mises || field == OutputField::principal_stress || field == OutputField::strain ||
           field == OutputField::energy_density || field == OutputField::resultants;
  });
}

bool needs_forces(const std::vector<OutputField>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](OutputField field) {
    return field == OutputField::contact_pressure || field == OutputField::normal_force ||
           field == OutputField::friction_force;
  });
}

std::vector<Vec<3>> vectors_of_vertices(const SceneModel& scene, const VecX& of_surface) {
  std::vector<Vec<3>> vectors(scene.frames.mesh.vertices.size(), Vec<3>::Zero());
  for (int s = 0; s < scene.model.surface.num_vertices; ++s) {
    const std::size_t vertex = scene.vertex_of_surface[s];
    vectors[vertex].head(scene.dim) = of_surface.segment(scene.dim * s, scene.dim);
  }
  return vectors;
}

void add_fields(const SceneModel& scene, const std::vector<OutputField>& fields, const FieldSource& source,
                Frame& frame) {
  const auto wants = [&](OutputField field) { return std::find(fields.begin(), fields.end(), field) != fields.end(); };
  if (wants(OutputField::displacement)) {
    frame.point_arrays.push_back(array_of(OutputField::displacement, displacements(scene, source.state.x)));
  }
  const auto add_forces = [&](OutputField field, const VecX& forces) {
    if (!wants(field) || forces.size() == 0) return;
    frame.point_arrays.push_back(array_of(field, vectors_of_vertices(scene, forces)));
  };
  add_forces(OutputField::normal_force, source.normal_forces);
  add_forces(OutputField::friction_force, source.friction_forces);
  if (wants(OutputField::contact_pressure) && source.normal_forces.size() > 0) {
    frame.point_arrays.push_back(
        {name_of(OutputField::contact_pressure), 1, contact_pressures(scene, source.state.x, source.normal_forces)});
  }

  const FollowingSurface followers(scene);
  if (wants(OutputField::stress)) add_stress(scene, source.state, followers, frame);

  std::vector<ThinState> thin;
  if (has_cells(fields)) thin = find_thin_states(scene, source.state);
  if (wants(OutputField::resultants)) {
    FrameArray array{name_of(OutputField::resultants), 3, {}};
    array.values.assign(3 * scene.frames.cell_body.size(), 0.0);
    for (const ThinState& of : thin) {
      std::copy(of.resultants.begin(), of.resultants.end(), array.values.begin() + 3 * std::ptrdiff_t{of.cell});
    }
    frame.cell_arrays.push_back(std::move(array));
  }
  const bool has_elements = wants(OutputField::von_mises) || wants(OutputField::principal_stress) ||
                            wants(OutputField::strain) || wants(OutputField::plastic_strain) ||
                            wants(OutputField::energy_density);
  if (!has_elements) return;
  std::vector<ElementState> states;
  if (scene.element_states) states = scene.element_states(source.state.x, source.state.history);
  const auto add_cells = [&](OutputField field, int num_components, const auto& value) {
    if (wants(field))
      frame.cell_arrays.push_back(array_of_cells(scene, states, thin, followers, field, num_components, value));
  };
  add_cells(OutputField::von_mises, 1, [](const ElementState& state) { return &state.von_mises; });
  add_cells(OutputField::principal_stress, 3, [](const ElementState& state) { return state.principal_stress.data(); });
  add_cells(OutputField::strain, 3, [](const ElementState& state) { return state.principal_strain.data(); });
  add_cells(OutputField::plastic_strain, 1, [](const ElementState& state) { return &state.plastic_strain; });
  add_cells(OutputField::energy_density, 1, [](const ElementState& state) { return &state.energy_density; });
}

}  // namespace clearance
