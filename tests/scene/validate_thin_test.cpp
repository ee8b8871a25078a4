// Shells, rods and particles that make no sense.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/validate.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

Lines problems(BodyKind kind, const std::function<void(BodyDesc&)>& change, int dimension = 3,
               const ContactOptions& options = {}) {
  SceneDesc scene;
  scene.dimension = dimension;
  scene.contact.options = options;
  BodyDesc& body = scene.bodies.emplace_back();
  body.name = "thin";
  body.kind = kind;
  body.mesh = "thin.obj";
  body.thickness = 0.01;
  change(body);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

void nothing(BodyDesc& /*body*/) {}

TEST(ValidateThin, BodiesThatMakeSenseHaveNoProblems) {
  for (const BodyKind kind : {BodyKind::shell, BodyKind::rod, BodyKind::particles}) {
    EXPECT_EQ(problems(kind, nothing), Lines{});
  }
  EXPECT_EQ(problems(BodyKind::shell, [](BodyDesc& b) { b.motions.resize(1), b.motions[0].clamp = true; }), Lines{});
}

TEST(ValidateThin, NeedAThickness) {
  EXPECT_EQ(problems(BodyKind::shell, [](BodyDesc& b) { b.thickness.reset(); }),
            Lines{"bodies[0].thickness: a body of kind shell needs a thickness [m]"});
  EXPECT_EQ(problems(BodyKind::rod, [](BodyDesc& b) { b.thickness.reset(); }),
            Lines{"bodies[0].thickness: a body of kind rod needs a thickness [m], which is its diameter"});
  EXPECT_EQ(problems(BodyKind::deformable, nothing).front(),
            "bodies[0].thickness: only stiff and thin bodies have a thickness");
}

TEST(ValidateThin, AreInSpaceAndOfTheFormulationIpc) {
  EXPECT_EQ(problems(BodyKind::rod, nothing, 2),
            Lines{"bodies[0].kind: a 2D scene has no shells, rods and particles (got rod)"});
  EXPECT_EQ(problems(BodyKind::rod, nothing, 3, GcpOptions{}),
            Lines{"contact.formulation: bodies with a thickness (bodies[0]) need the formulation ipc without options "
                  "(got gcp)"});
}

TEST(ValidateThin, StressesAreFieldsAndNoProbes) {
  const auto problem_of = [](BodyKind kind) {
    SceneDesc scene;
    BodyDesc& body = scene.bodies.emplace_back();
    body.name = "thin";
    body.kind = kind;
    body.mesh = "thin.obj";
    body.thickness = 0.01;
    ProbeDesc& probe = scene.output.probes.emplace_back();
    probe.name = "s";
    probe.kind = ProbeKind::stress;
    probe.body = "thin";
    const Issues issues = validate(scene);
    return issues.size() == 1 ? to_string(issues[0]) : std::to_string(issues.size()) + " issues";
  };
  EXPECT_EQ(problem_of(BodyKind::shell),
            "output.probes[0].body: this probe reads the stresses of solids, and the body is of kind shell; for shells "
            "see `output.fields`: von_mises, resultants (got \"thin\")");
  EXPECT_NE(problem_of(BodyKind::rod).find("for rods see `output.fields`: resultants"), std::string::npos);
}

TEST(ValidateThin, KeysOfOtherKinds) {
  EXPECT_EQ(problems(BodyKind::rod, [](BodyDesc& b) { b.shell.emplace(); }),
            Lines{"bodies[0].shell: only a body of kind shell has this key (got rod)"});
  EXPECT_EQ(problems(BodyKind::shell, [](BodyDesc& b) { b.rod.emplace(); }),
            Lines{"bodies[0].rod: only a body of kind rod has this key (got shell)"});
  EXPECT_EQ(problems(BodyKind::shell, [](BodyDesc& b) { b.material.model = ElasticModel::fixed_corotational; }),
            Lines{"bodies[0].material.model: a shell stretches by \"neo_hookean\" or \"st_venant_kirchhoff\" "
                  "(got fixed_corotational)"});
  EXPECT_EQ(problems(BodyKind::shell, [](BodyDesc& b) { b.material.damping = 0.5; }),
            Lines{"bodies[0].material.damping: a shell has no stiffness-proportional damping (got 0.5)"});
}

TEST(ValidateThin, Clamps) {
  const auto clamped = [](BodyDesc& b) { b.motions.resize(1), b.motions[0].clamp = true; };
  EXPECT_EQ(
      problems(BodyKind::particles, clamped),
      Lines{"bodies[0].motions[0].clamp: only a rod, and a shell whose `bending` is \"slopes\", can be clamped at "
            "its edges (got true)"});
  EXPECT_EQ(problems(BodyKind::rod,
                     [&](BodyDesc& b) {
                       clamped(b);
                       b.motions[0].start = 1.0;
                     }),
            Lines{"bodies[0].motions[0].clamp: edges are held as they are at the scene's start; the motion must start "
                  "at 0 (got true)"});
}

TEST(ValidateThin, WovenSheets) {
  const Lines found = problems(BodyKind::shell, [](BodyDesc& b) {
    b.shell.emplace().orthotropy = OrthotropyDesc{.warp = {0, 0, 0},
                                                  .youngs_modulus_warp = 1e6,
                                                  .youngs_modulus_weft = 4e6,
                                                  .poisson_ratio = 0.6,
                                                  .shear_modulus = 1e5};
  });
  EXPECT_EQ(found, (Lines{"bodies[0].shell.orthotropy.warp: must not be zero (got [0, 0, 0])",
                          "bodies[0].shell.orthotropy.poisson_ratio: expected a magnitude below 0.5, the root of the "
                          "ratio of the moduli, warp over weft (got 0.6)"}));
}

}  // namespace
}  // namespace clearance
