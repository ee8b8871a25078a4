// `clearance convert --match-mass`.
#include <cmath>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "cli/process.h"

namespace clearance::cli {
namespace {

class MatchMassCommand : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    native_ = (folder_ / "native.json").string();
    // A ball with a bump: twice as far from the centre on one side.
    fine_mesh_ = make_sphere(1.0, 6);
    for (Vec<3>& x : fine_mesh_.vertices) x[0] *= x[0] > 0.0 ? 1.5 : 1.0;
    fine_ = (folder_ / "fine.msh").string();
    ASSERT_TRUE(write_mesh(fine_, fine_mesh_));
    ASSERT_TRUE(write_mesh(folder_ / "coarse.msh", make_sphere(1.2, 2)));
    scene_ = scene_with("coarse.msh");
  }
  std::string scene_with(const std::string& mesh, const std::string& more = "") const {
    return write("scene.json", R"({"bodies": [{"name": "ball", "mesh": ")" + mesh + R"(", "units": "m", )" + more + R"(
      "material": {"density": 500}, "transform": {"scale": [2, 2, 2], "translation": [1, 2, 3]}}]})")
        .string();
  }
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"convert", scene_, "-o", native_, "--match-mass", fine_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Returns the mass properties of the body as it is placed: eight times the volume, moved.
  MassProperties target() const {
    MassProperties fine = mass_properties_of_tets(fine_mesh_.vertices, fine_mesh_.tets);
    fine.measure *= 8.0 * 500.0;
    fine.center = 2.0 * fine.center + Vec<3>(1, 2, 3);
    fine.second_moment *= 32.0 * 500.0;
    return fine;
  }

  Mesh fine_mesh_;
  std::string fine_, scene_, native_;
};

TEST_F(MatchMassCommand, WritesDensitiesThatGiveMassAndCenter) {
  for (const bool has_inertia : {false, true}) {
    std::vector<std::string> more = {"--json", "--overwrite"};
    if (has_inertia) more.emplace_back("--inertia");
    const ProcessResult made = clearance(words(more));
    ASSERT_EQ(made.status, 0) << made.errors << made.output;
    const Json report = Json::parse(made.output);
    EXPECT_NEAR(report.at("mass").get<double>(), target().measure, 1e-9 * target().measure);

    // Check the written scene by the test's own sums.
    const Json body = Json::parse(read_text(native_)).at("bodies").at(0);
    const std::vector<double> densities = body.at("element_densities");
    const Mesh mesh = *read_mesh(folder_ / "coarse.msh");
    ASSERT_EQ(densities.size(), mesh.tets.size());
    MassProperties sum;
    for (std::size_t e = 0; e < densities.size(); ++e) {
      EXPECT_GE(densities[e], 0.01 * 500.0 * 0.5);
      MassProperties element = mass_properties_of_tets(mesh.vertices, {mesh.tets[e]});
      element.measure *= 8.0 * densities[e];
      element.center = 2.0 * element.center + Vec<3>(1, 2, 3);
      element.second_moment *= 32.0 * densities[e];
      sum = combine(sum, element);
    }
    // (A mesh file has 16 digits.)
    EXPECT_NEAR(sum.measure, target().measure, 1e-10 * target().measure);
    EXPECT_LE((sum.center - target().center).norm(), 1e-10);
    const double off = (sum.inertia() - target().inertia()).norm() / target().inertia().norm();
    if (has_inertia) {
      EXPECT_LE(off, 1e-10);
    } else {
      EXPECT_GE(off, 1e-3);
    }
    const ProcessResult checked = clearance({"check", native_, "--json"});
    ASSERT_EQ(checked.status, 0) << checked.errors;
    EXPECT_NEAR(Json::parse(checked.output).at("table").at(0).at("mass").get<double>(), target().measure,
                1e-6 * target().measure);
  }
}

TEST_F(MatchMassCommand, ElementsOfHigherOrderAndRefinementsToo) {
  scene_ = write("scene.json", R"({"bodies": [{"name": "ball", "order": 3, "generator": {"kind": "sphere",
    "size": [1.2], "resolution": [2]}, "material": {"density": 500}}]})")
               .string();
  const ProcessResult made = clearance(words());
  ASSERT_EQ(made.status, 0) << made.errors;
  EXPECT_NE(made.output.find("body 'ball': "), std::string::npos) << made.output;
  EXPECT_EQ(clearance({"check", native_}).status, 0);
  // The densities belong to the elements before they are refined.
  scene_ = scene_with("coarse.msh", R"("refinements": 1, )");
  ASSERT_EQ(clearance(words({"--overwrite"})).status, 0);
  const ProcessResult checked = clearance({"check", native_, "--json"});
  ASSERT_EQ(checked.status, 0) << checked.errors;
  EXPECT_NEAR(Json::parse(checked.output).at("table").at(0).at("mass").get<double>(), target().measure,
              1e-6 * target().measure);
}

/// A column with a thin belly [Fer23, fig. 5.12]: with two layers of cells it is all belly, and its centre of mass is
/// not above its foot.
TEST_F(MatchMassCommand, CoarseFigureStandsOnlyWithDensitiesOfTheFineOne) {
  const auto column = [](int layers) {
    Mesh mesh = make_box({0.4, 2.0, 0.4}, {2, layers, 2});
    for (Vec<3>& x : mesh.vertices) {
      x[1] += 1.0;
      const double off = (x[1] - 1.0) / 0.2;
      x[0] += 0.6 / (1.0 + off * off * off * off);
    }
    return mesh;
  };
  ASSERT_TRUE(write_mesh(fine_, column(24)));
  ASSERT_TRUE(write_mesh(folder_ / "coarse.msh", column(2)));
  const auto scene_of = [&](const std::string& mesh) {
    return write("scene.json", R"({"time": {"step": 0.02, "duration": 1.6}, "friction": {"coefficient": 0.5},
      "half_spaces": [{"point": [0, -0.001, 0]}], "output": {"probes": [{"name": "place", "body": "figure"}]},
      "bodies": [{"name": "figure", "mesh": ")" +
                                   mesh + R"(", "units": "m", "material": {"youngs_modulus": 1e9}}]})")
        .string();
  };
  const auto height_at_the_end = [&](const std::string& scene) {
    const fs::path out = folder_ / "out";
    const ProcessResult run = clearance({"run", scene, "-o", out.string(), "-q", "--overwrite", "--threads", "1"});
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(clearance({"verify", out.string()}).status, 0);
    const std::string text = read_text(out / "probes.csv"), line = text.substr(text.rfind('\n', text.size() - 2) + 1);
    return std::stod(line.substr(line.find(',', line.find(',', line.find(',') + 1) + 1) + 1));
  };
  EXPECT_GT(height_at_the_end(scene_of(fine_)), 0.9);
  scene_ = scene_of("coarse.msh");
  EXPECT_LT(height_at_the_end(scene_), 0.7);
  const ProcessResult made = clearance(words());
  ASSERT_EQ(made.status, 0) << made.errors;
  EXPECT_GT(height_at_the_end(native_), 0.9);
}

/// A mesh of eight times the volume was accepted without a word.
TEST_F(MatchMassCommand, MeshOfAnotherBodyIsWarnedOf) {
  const ProcessResult same = clearance(words());
  ASSERT_EQ(same.status, 0) << same.errors;
  EXPECT_EQ(same.errors.find("warning"), std::string::npos) << same.errors;
  for (Vec<3>& x : fine_mesh_.vertices) x *= 2.0;
  ASSERT_TRUE(write_mesh(fine_, fine_mesh_));
  const ProcessResult other = clearance(words({"--overwrite"}));
  EXPECT_EQ(other.status, 0);
  EXPECT_NE(other.errors.find("times the volume of the body's mesh"), std::string::npos) << other.errors;
  const Json report = Json::parse(clearance(words({"--overwrite", "--json"})).output);
  EXPECT_EQ(report.at("warnings").size(), 1U);
}

TEST_F(MatchMassCommand, WhatCannotBeMatchedIsToldAndNothingIsWritten) {
  const auto expect_refusal = [&](const std::vector<std::string>& arguments, const std::string& text) {
    const ProcessResult refused = clearance(arguments);
    EXPECT_EQ(refused.status, 2) << text;
    EXPECT_NE(refused.errors.find(text), std::string::npos) << refused.errors;
    EXPECT_FALSE(fs::exists(native_));
  };
  // The centre of mass lies outside the coarse body; the inertia is larger than that of any ball of this size.
  for (Vec<3>& x : fine_mesh_.vertices) x[1] += 5.0;
  ASSERT_TRUE(write_mesh(fine_, fine_mesh_));
  expect_refusal(words(), "make body 'ball' match: its centre of mass stays 8.");
  for (Vec<3>& x : fine_mesh_.vertices) x = Vec<3>(0.2 * x[0], 0.2 * (x[1] - 5.0), 20.0 * x[2]);
  ASSERT_TRUE(write_mesh(fine_, fine_mesh_));
  expect_refusal(words({"--inertia"}), "its moments of inertia stay up to ");
  EXPECT_EQ(clearance(words()).status, 0);
  fs::remove(native_);
  expect_refusal(words({"--least-density", "1.5"}), "its mass is at least ");

  expect_refusal(words({"--body", "cube"}), "--body: the scene has no deformable body with this name");
  expect_refusal({"convert", scene_, "-o", native_, "--inertia"}, "--match-mass");
  expect_refusal({"convert", scene_, "-o", native_, "--match-mass", (folder_ / "none.msh").string()}, "none.msh");
  scene_ = scene_with("coarse.msh", R"("material_parts": [{"elements": [1], "material": {"density": 3}}], )");
  expect_refusal(words(), "body 'ball' has parts of other materials, which the finer mesh does not have");
}

}  // namespace
}  // namespace clearance::cli
