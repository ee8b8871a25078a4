// Runs of small scenes in both modes of derivatives, which have to agree.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "clearance/derivatives/forward_run.h"
#include "clearance/derivatives/reverse_run.h"
#include "clearance/io/scene_reader.h"
#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance::derivatives {

inline SceneMaker maker(const std::string& text) {
  return [text](const std::vector<std::string>& overrides) -> Result<SceneDesc> {
    Result<LoadedScene> loaded = load_scene_text(text, "scene.json", ".", overrides);
    if (!loaded) return loaded.issues();
    return std::move(loaded->scene);
  };
}

inline std::unique_ptr<Recording> record(const std::string& text) {
  Result<std::unique_ptr<Recording>> recording = Recording::make(maker(text), {});
  for (const Issue& issue : recording.issues()) ADD_FAILURE() << to_string(issue);
  if (!recording) return nullptr;
  for (const Issue& issue : (*recording)->errors()) ADD_FAILURE() << to_string(issue);
  return std::move(*recording);
}

inline ReverseGradient backward(Recording& recording, const std::vector<Seed>& seeds,
                                const std::vector<std::string>& by = {}) {
  Result<ReverseGradient> gradient = recording.backward(seeds, by);
  for (const Issue& issue : gradient.issues()) ADD_FAILURE() << to_string(issue);
  return gradient ? std::move(*gradient) : ReverseGradient{};
}

/// Returns the seed of a component of a vertex of the frames.
inline VecX seed_of(const Recording& recording, int vertex, int component) {
  const SceneModel& scene = *recording.scene().scene;
  VecX seed = VecX::Zero(scene.initial_state.x.size());
  for (const SurfaceMap::Term& term : scene.frames.vertex_map.terms(vertex)) {
    seed[scene.dim * term.block + component] += term.weight;
  }
  return seed;
}

inline int vertex_at(const Recording& recording, const Vec<3>& place) {
  const SceneModel& scene = *recording.scene().scene;
  const VecX x = scene.frames.vertex_map.apply(scene.initial_state.x);
  for (int v = 0; v < scene.frames.vertex_map.num_vertices(); ++v) {
    if ((x.segment(scene.dim * v, scene.dim) - place.head(scene.dim)).norm() < 1e-9) return v;
  }
  ADD_FAILURE() << "no vertex there";
  return 0;
}

/// The vertex at `place` and the probe `tip` are the same point: derivatives of its coordinates in both modes agree.
inline void expect_forward(const std::string& text, const Vec<3>& place, const std::vector<std::string>& by,
                           double tolerance = 1e-10) {
  const std::unique_ptr<Recording> recording = record(text);
  ASSERT_TRUE(recording);
  Result<Gradient> forward = find_gradient(maker(text), {by, {}, 0, {}, {}});
  for (const Issue& issue : forward.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(forward);
  ASSERT_EQ(forward->end, GradientEnd::complete);
  const int vertex = vertex_at(*recording, place);
  const int dim = recording->scene().scene->dim;
  for (int c = 0; c < dim; ++c) {
    std::vector<Seed> seeds(static_cast<std::size_t>(recording->num_steps()) + 1);
    seeds.back().x = seed_of(*recording, vertex, c);
    const ReverseGradient reverse = backward(*recording, seeds, by);
    ASSERT_EQ(reverse.parameters.size(), by.size());
    for (std::size_t k = 0; k < by.size(); ++k) {
      const VecX expected = forward->steps.back().derivatives.col(static_cast<Eigen::Index>(k));
      EXPECT_NEAR(reverse.parameters[k], expected[c], tolerance * expected.norm())
          << "component " << c << " by " << by[k];
    }
  }
}

}  // namespace clearance::derivatives
