// `space.remesh` of PolyFEM scenes: defaults, values, and keys that have no counterpart.
#include "io/polyfem_support.h"

namespace clearance {
namespace {

using namespace polyfem_test;

class PolyfemRemesh : public testing::Test {
 protected:
  static std::string scene(const std::string& remesh, const std::string& integrator = "ImplicitEuler") {
    return std::string("{") + material + R"(, "geometry": )" + entry("cube.msh") + R"(,
      "time": {"dt": 0.01, "tend": 1, "integrator": ")" +
           integrator + R"("}, "space": {"remesh": )" + remesh + R"(},
      "contact": {"enabled": true, "use_convergent_formulation": true},
      "solver": {"contact": {"barrier_stiffness": 3e5}, "advanced": {"lump_mass_matrix": false}}})";
  }
  Folder folder_;
};

TEST_F(PolyfemRemesh, DefaultsAreThoseOfPolyfem) {
  const SceneDesc read = folder_.good(scene(R"({"enabled": true})"));
  ASSERT_TRUE(read.remesh);
  const RemeshDesc& remesh = *read.remesh;
  EXPECT_TRUE(remesh.enabled);
  EXPECT_EQ(remesh.criterion, RemeshCriterion::energy);
  EXPECT_TRUE(remesh.split && remesh.collapse);
  EXPECT_FALSE(remesh.swap || remesh.smooth);
  EXPECT_EQ(remesh.gain, 1e-3);
  EXPECT_EQ(remesh.loss, 1e-8);
  EXPECT_EQ(remesh.split_quantile, 0.95);
  EXPECT_EQ(remesh.collapse_quantile, 0.01);
  EXPECT_EQ(remesh.depth, 3);
  EXPECT_EQ(remesh.smallest_edge, 5e-7) << "edges of a micrometre may be split";
  EXPECT_EQ(read.time.mass, MassKind::consistent);
  EXPECT_EQ(read.contact.formulation(), ContactFormulation::convergent);
  EXPECT_EQ(read.contact.kappa, 3e5) << "in Pa, whatever the step";
  EXPECT_FALSE(folder_.good(scene(R"({"enabled": false, "split": {"enabled": true}})")).remesh);
  EXPECT_FALSE(folder_.good(scene_of(entry("cube.msh"))).remesh);
}

TEST_F(PolyfemRemesh, TolerancesAreEnergiesWhateverTheStep) {
  for (const char* integrator : {"ImplicitEuler", "BDF2", "ImplicitNewmark"}) {
    const SceneDesc read = folder_.good(scene(
        R"({"enabled": true, "split": {"acceptance_tolerance": 0.1}, "collapse": {"acceptance_tolerance": -1e-6}})",
        integrator));
    EXPECT_EQ(read.remesh.value().gain, 0.1) << integrator;
    EXPECT_EQ(read.remesh.value().loss, 1e-6) << integrator;
  }
}

TEST_F(PolyfemRemesh, EveryValueIsRead) {
  const RemeshDesc remesh = *folder_
                                 .good(scene(R"({"enabled": true, "type": "sizing_field",
      "split": {"enabled": false, "culling_threshold": 0.8, "max_depth": 5, "min_edge_length": 0.02},
      "collapse": {"enabled": false, "culling_threshold": 1},
      "swap": {"enabled": true, "acceptance_tolerance": -0.25}, "smooth": {"enabled": true, "acceptance_tolerance": -0.25}})"))
                                 .remesh;
  EXPECT_EQ(remesh.criterion, RemeshCriterion::size);
  EXPECT_FALSE(remesh.split || remesh.collapse);
  EXPECT_TRUE(remesh.swap && remesh.smooth);
  EXPECT_EQ(remesh.split_quantile, 0.8);
  EXPECT_EQ(remesh.collapse_quantile, 1.0);
  EXPECT_EQ(remesh.depth, 5);
  EXPECT_EQ(remesh.smallest_edge, 0.01);
  EXPECT_EQ(remesh.loss, 0.25) << "of collapses, which are off";
  // A loss of none means none, not the default.
  const RemeshDesc strict =
      *folder_
           .good(scene(
               R"({"enabled": true, "split": {"acceptance_tolerance": 0}, "collapse": {"acceptance_tolerance": 0}})"))
           .remesh;
  EXPECT_TRUE(strict.gain > 0.0 && strict.gain < 1e-300);
  EXPECT_EQ(strict.loss, 0.0);
  EXPECT_EQ(strict.relative_loss, 0.0);
}

TEST_F(PolyfemRemesh, WhatHasNoCounterpartIsTold) {
  EXPECT_EQ(
      folder_.problems(scene(R"({"enabled": true, "split": {"depth": 3},
      "collapse": {"max_depth": 1, "rel_max_edge_length": 1}, "swap": {"enabled": true, "acceptance_tolerance": -1},
      "local_relaxation": {"local_mesh_n_ring": 3, "max_nl_iterations": 1}})")),
      (Lines{"space.remesh.split.depth: warning: this key is not known and has no effect; did you mean `max_depth`?",
             "space.remesh.swap.acceptance_tolerance: warning: this tolerance has no effect: the 1e-08 J of "
             "collapses is used for all operations except splits (got -1)",
             "space.remesh.collapse.max_depth: warning: this key has no counterpart; the run behaves as with "
             "PolyFEM's usual 3 (got 1)",
             "space.remesh.local_relaxation.local_mesh_n_ring: warning: this key has no counterpart; the run "
             "behaves as with PolyFEM's usual 2 (got 3)"}));
}

TEST_F(PolyfemRemesh, WrongValuesAreNamed) {
  EXPECT_EQ(
      folder_.problems(scene(R"({"enabled": true, "type": "magic", "split": {"acceptance_tolerance": -1, "max_depth": 0,
      "culling_threshold": 1}, "collapse": {"acceptance_tolerance": 1e-3}})")),
      (Lines{"space.remesh.type: expected physics or sizing_field (got \"magic\")",
             "space.remesh.split.acceptance_tolerance: must be at least 0 (got -1)",
             "space.remesh.split.culling_threshold: must be between 0 and 1, the last excluded (got 1)",
             "space.remesh.split.max_depth: must be at least 1 (got 0)",
             "space.remesh.collapse.acceptance_tolerance: must be at most 0 (got 0.001)"}));
}

}  // namespace
}  // namespace clearance
