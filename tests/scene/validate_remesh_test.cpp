// Validation of scenes whose elements adapt: what they need, and what cannot adapt.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/body_remesh.h"
#include "clearance/scene/validate.h"
#include "clearance/scene/validate_remesh.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

SceneDesc good_scene() {
  SceneDesc scene;
  scene.bodies.resize(2);
  scene.bodies[0].name = "cube";
  scene.bodies[0].mesh = "cube.msh";
  scene.bodies[1].name = "floor";
  scene.bodies[1].mesh = "floor.obj";
  scene.bodies[1].kind = BodyKind::obstacle;
  scene.remesh.emplace();
  scene.time.mass = MassKind::consistent;
  scene.contact.options = ConvergentOptions{};
  return scene;
}

Lines problems(const std::function<void(SceneDesc&)>& change) {
  SceneDesc scene = good_scene();
  change(scene);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

TEST(ValidateRemesh, AcceptsWhatAdapts) {
  EXPECT_EQ(problems([](SceneDesc&) {}), Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].order = 1; }), Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.contact.enabled = false;
              s.contact.options = IpcOptions{};
            }),
            Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) { s.time.integrator = TimeIntegrator::bdf2_restarted; }), Lines{});
}

TEST(ValidateRemesh, NeedsConsistentMass) {
  EXPECT_EQ(problems([](SceneDesc& s) { s.time.mass = MassKind::lumped; }),
            Lines{"time.mass: must be \"consistent\" where elements adapt (`remesh`), because every split changes the "
                  "kinetic energy of a lumped mass (got lumped)"});
}

TEST(ValidateRemesh, NeedsEnergiesOfContactThatDoNotCountElements) {
  const std::string rest =
      " where elements adapt (`remesh`), because the energy of the other formulations depends on how many elements a "
      "surface has";
  EXPECT_EQ(problems([](SceneDesc& s) { s.contact.options = IpcOptions{}; }),
            Lines{"contact.formulation: must be \"convergent\"" + rest + " (got ipc)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.contact.options = GcpOptions{}; }),
            Lines{"contact.formulation: must be \"convergent\"" + rest + " (got gcp)"});
  EXPECT_EQ(problems([](SceneDesc& s) { std::get<ConvergentOptions>(s.contact.options).physical_barrier = true; }),
            Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) { std::get<ConvergentOptions>(s.contact.options).physical_barrier = false; }),
            Lines{"contact.physical_barrier: must be true or left out where elements adapt (`remesh`); otherwise the "
                  "energy depends on how many elements a surface has (got false)"});
}

TEST(ValidateRemesh, AdaptiveStiffnessOfBarriersHasNoEffect) {
  const auto published = [](SceneDesc& s) { s.contact.stiffness = ContactStiffnessKind::published; };
  EXPECT_EQ(
      problems(published),
      Lines{
          "contact.stiffness: warning: `published` has no effect where elements adapt (`remesh`): the barrier is then "
          "an energy per area, with one stiffness for each pair of bodies, in Pa (`contact.kappa`) (got published)"});
  EXPECT_EQ(problems([&](SceneDesc& s) {
              published(s);
              s.contact.kappa = 1e5;
            }),
            Lines{});
  EXPECT_EQ(problems([&](SceneDesc& s) {
              published(s);
              s.contact.enabled = false;
            }),
            Lines{});
}

TEST(ValidateRemesh, ABodyReplacesWhatTheSceneHas) {
  const auto without = [](SceneDesc& s) {
    s.bodies[0].remesh.emplace().enabled = false;
    s.time.mass = MassKind::lumped;
    s.contact.options = IpcOptions{};
    s.bodies[0].order = 2;
  };
  EXPECT_EQ(problems(without), Lines{});
  SceneDesc scene = good_scene();
  EXPECT_EQ(find_remesh(scene, scene.bodies[0]), &*scene.remesh);
  EXPECT_EQ(find_remesh(scene, scene.bodies[1]), nullptr);
  scene.bodies[0].remesh.emplace().depth = 1;
  EXPECT_EQ(find_remesh(scene, scene.bodies[0]), &*scene.bodies[0].remesh);
  scene.bodies[0].remesh->enabled = false;
  EXPECT_EQ(find_remesh(scene, scene.bodies[0]), nullptr);
  // A body may adapt in a scene that has none.
  scene.remesh.reset();
  scene.bodies[0].remesh = RemeshDesc{};
  scene.time.mass = MassKind::lumped;
  const Issues issues = validate(scene);
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].place, "time.mass");
}

TEST(ValidateRemesh, OnlyLinearDeformableBodiesAdapt) {
  const std::string instead = "; remove this key, or give the body \"remesh\": {\"enabled\": false}";
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].order = 2; }),
            Lines{"bodies[0].order: only linear elements adapt (`remesh`)" + instead});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.bodies[0].keep_shape = true;
              s.bodies[0].order = 1;
            }),
            Lines{"bodies[0].keep_shape: only linear elements adapt (`remesh`)" + instead});
  EXPECT_EQ(
      problems([](SceneDesc& s) { s.bodies[0].collision_surface.emplace(); }),
      Lines{"bodies[0].collision_surface: elements that adapt (`remesh`) collide with their own surface" + instead});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[1].remesh.emplace(); }),
            Lines{"bodies[1].remesh: only deformable bodies have elements; remove this key"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].kind = BodyKind::rigid; }),
            Lines{"remesh: warning: `remesh` has no effect, because the scene has no deformable body"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].motions.emplace_back().mesh_sequence = "frames"; }),
            Lines{"bodies[0].motions[0].mesh_sequence: a mesh sequence moves the vertices of its files, and elements "
                  "that adapt (`remesh`) get other vertices" +
                  instead});
}

TEST(ValidateRemesh, HasOperationsThatMeanSomething) {
  EXPECT_EQ(
      problems([](SceneDesc& s) { s.remesh->split = s.remesh->collapse = false; }),
      Lines{"remesh: all operations are off; set `split`, `collapse`, `swap` or `smooth`, or set `enabled` to false"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.remesh->split = s.remesh->collapse = false;
              s.remesh->smooth = true;
            }),
            Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->collapse_quantile = 1.0; }), Lines{});
  EXPECT_EQ(
      problems([](SceneDesc& s) { s.remesh->size_strain = 0.5; }),
      Lines{"remesh.size_strain: warning: this key belongs to criterion size and has no effect with criterion energy"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.remesh->criterion = RemeshCriterion::size;
              s.remesh->size_strain = 0.5;
              s.remesh->largest_count = 1000;
            }),
            Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->smallest_edge = 0.0; }),
            Lines{"remesh.smallest_edge: must be above 0 [m] (got 0)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->relative_gain = 2.0; }),
            Lines{"remesh.relative_gain: must be between 0 and 1, the first excluded (got 2)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->relative_gain = s.remesh->relative_loss = 1e-5; }),
            Lines{"remesh.relative_loss: warning: the limit is no less than relative_gain (1e-05), so that the next "
                  "collapse can undo what a split has gained (got 1e-05)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->relative_gain = 1e-8; }),
            Lines{"remesh.relative_gain: warning: the limit is no more than relative_loss (1e-07), so that the next "
                  "collapse can undo what a split has gained (got 1e-08)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->gain = s.remesh->loss = 2.0; }),
            Lines{"remesh.loss: warning: the limit is no less than gain (2), so that the next collapse can undo what a "
                  "split has gained (got 2)"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.remesh->gain = 2.0;
              s.remesh->relative_gain = 1e-5;
            }),
            Lines{"remesh.relative_gain: warning: `relative_gain` has no effect beside `gain` (got 1e-05)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->criterion = RemeshCriterion::size; }),
            Lines{"remesh.largest_count: warning: the number of elements has no limit: with criterion size, elements "
                  "at contacts become as small as size_contact times dhat, and elements at a peak of strain as small "
                  "as smallest_edge; set a limit here"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.remesh->relative_gain = s.remesh->relative_loss = 1e-5;
              s.remesh->collapse = false;
            }),
            Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) { s.remesh->split_quantile = 1.0; }),
            Lines{"remesh.split_quantile: must be between 0 and 1, the last excluded (got 1)"});
}

TEST(ValidateRemesh, CountsRegions) {
  const auto with = [](std::size_t num_motions, std::size_t num_parts, std::size_t num_probes) {
    return problems([&](SceneDesc& s) {
      BodyDesc& cube = s.bodies[0];
      cube.motions.resize(num_motions);
      cube.loads.resize(20);
      cube.stiff_parts.resize(1);
      cube.material_parts.assign(num_parts, {.elements = {}, .region = RegionDesc{}, .material = {}});
      cube.material_parts.push_back({.elements = {0}, .region = {}, .material = {}});  // without one
      for (std::size_t i = 0; i < num_probes; ++i) {
        ProbeDesc& probe = s.output.probes.emplace_back();
        probe.name = std::to_string(i);
        probe.body = "cube";
        probe.region.emplace();
      }
    });
  };
  EXPECT_EQ(with(20, 10, 13), Lines{});
  EXPECT_EQ(with(20, 10, 14),
            Lines{"bodies[0]: motions, loads, parts and probes of a body whose elements adapt (`remesh`) can have at "
                  "most 64 regions in all; merge some, or give the body \"remesh\": {\"enabled\": false} (got 65)"});
}

}  // namespace
}  // namespace clearance
