// Regions that refer to groups of a mesh file.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clearance/simulation/load/region.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// Two unit cubes side by side along x, each of six tetrahedra: groups `left` (1) and `right` (2) of tetrahedra, `foot`
/// (1 of triangles) of the two faces at x = 0, `tip` (9) of one of the two triangles at x = 2, 5 of a point.
class MeshGroups : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("clearance_groups_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream file(folder_ / "bar.msh");
    file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n3 1 \"left\"\n3 2 \"right\"\n2 1 \"foot\"\n"
            "2 9 \"tip\"\n$EndPhysicalNames\n$Nodes\n12\n";
    for (int v = 0; v < 12; ++v) file << v + 1 << " " << v % 3 << " " << v / 3 % 2 << " " << v / 6 << "\n";
    file << "$EndNodes\n$Elements\n16\n1 2 2 1 0 1 4 10\n2 2 2 1 0 1 10 7\n3 2 2 9 0 3 6 12\n4 15 2 5 0 12\n";
    int number = 5;
    for (int cell = 0; cell < 2; ++cell) {
      // Paths from corner 0 to corner 7 of a cube along the three axes, in every order, are the six tetrahedra.
      std::array<int, 3> axes = {0, 1, 2};
      const std::array<int, 3> stride = {1, 3, 6};
      int turn = 0;
      const std::array<bool, 6> is_odd = {false, true, true, false, false, true};
      do {
        std::array<int, 4> v = {cell, 0, 0, 0};
        for (std::size_t r = 0; r < 3; ++r) v[r + 1] = v[r] + stride[axes[r]];
        if (is_odd[turn++]) std::swap(v[2], v[3]);
        file << number++ << " 4 2 " << cell + 1 << " 0";
        for (const int i : v) file << " " << i + 1;
        file << "\n";
      } while (std::next_permutation(axes.begin(), axes.end()));
    }
    file << "$EndElements\n";
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Result<LoadedScene> load(const std::string& body, const std::string& more = "") const {
    return load_scene_text(
        R"({"gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"}, "static": {"quadratic_elements": 0}, "bodies": [
      {"name": "bar", "mesh": "bar.msh", )" +
            body + "}]" + more + "}",
        "scene", folder_);
  }
  std::vector<int> nodes(const std::string& region, const std::string& more = "") const {
    const auto loaded = load(R"("motions": [{"region": )" + region + "}]" + more);
    EXPECT_TRUE(loaded) << (loaded.issues().empty() ? "" : to_string(loaded.issues().front()));
    const auto bodies = load_bodies(loaded->scene);
    EXPECT_TRUE(bodies) << (bodies.issues().empty() ? "" : to_string(bodies.issues().front()));
    const BodyDesc& desc = loaded->scene.bodies[0];
    return select_nodes(bodies->instances[0], desc.transform, desc.motions[0].region, 3);
  }
  std::string problem(const std::string& tags) const {
    const auto loaded = load(R"("motions": [{"region": {"tags": )" + tags + "}}]");
    if (!loaded) return to_string(loaded.issues().front());
    const auto bodies = load_bodies(loaded->scene);
    return bodies ? "" : to_string(bodies.issues().front());
  }

  std::filesystem::path folder_;
};

// Groups that attachments alone named were not kept, so that their regions selected nothing.
TEST_F(MeshGroups, AttachmentsAndSpringsSelectByGroups) {
  for (const std::string list : {"attachments", "springs"}) {
    const std::string connection = list == "springs"
                                       ? R"({"body": "bar", "region": {"tags": ["foot"]}, "stiffness": 10})"
                                       : R"({"body": "bar", "region": {"tags": ["foot"]}})";
    const auto loaded = load(R"("loads": [])", R"(, ")" + list + "\": [" + connection + "]");
    ASSERT_TRUE(loaded);
    auto bodies = load_bodies(loaded->scene);
    ASSERT_TRUE(bodies);
    ASSERT_TRUE(bodies->instances[0].groups);
    EXPECT_EQ(bodies->instances[0].groups->size(), 1u) << list;
    const auto unknown =
        load(R"("loads": [])", R"(, ")" + list + R"(": [{"body": "bar", "region": {"tags": ["nose"]}, )" +
                                   (list == "springs" ? R"("stiffness": 10}])" : R"("start": 0}])"));
    ASSERT_TRUE(unknown);
    const auto refused = load_bodies(unknown->scene);
    ASSERT_FALSE(refused);
    EXPECT_NE(to_string(refused.issues().front()).find(list + "[0].region"), std::string::npos);
  }
}

TEST_F(MeshGroups, NodesOfTheMeshBeforeItsRefinementsAreWarnedOf) {
  const auto warnings = [&](const std::string& region, const std::string& more) {
    const auto loaded = load(R"("motions": [{"region": )" + region + "}]" + more);
    const auto bodies = load_bodies(loaded->scene);
    std::string text;
    for (const Issue& warning : bodies->warnings) {
      if (to_string(warning).find("before its elements are refined") != std::string::npos) text += to_string(warning);
    }
    return text;
  };
  const std::string refined = R"(, "refinements": 1)";
  EXPECT_EQ(
      warnings(R"({"nodes": [0, 3, 6, 9]})", refined),
      "bodies[0].motions[0].region.nodes: warning: these nodes are numbered in the mesh of body 'bar' before its "
      "elements are refined or get a higher order, so that no new vertex between them is selected; select by boxes "
      "or tags, or list the new vertices as well (they come after all others)");
  EXPECT_EQ(warnings(R"({"nodes": [0, 3, 6, 9]})", ""), "");
  EXPECT_EQ(warnings(R"({"nodes": [0, 3, 6, 9, 12]})", refined), "");
  EXPECT_EQ(warnings(R"({"nodes": [0, 11]})", refined), "");
  EXPECT_EQ(warnings(R"({"tags": ["foot"]})", refined), "");
}

TEST_F(MeshGroups, NodesAreThoseOfTheGroupsElements) {
  const std::vector<int> foot = {0, 3, 6, 9}, left = {0, 1, 3, 4, 6, 7, 9, 10};
  EXPECT_EQ(nodes(R"({"tags": ["foot"]})"), foot);
  EXPECT_EQ(nodes(R"({"tags": ["triangles:1"]})"), foot);
  EXPECT_EQ(nodes(R"({"tags": ["tets:1"]})"), left);
  EXPECT_EQ(nodes(R"({"tags": ["left"]})"), left);
  EXPECT_EQ(nodes(R"({"tags": [5]})"), (std::vector<int>{11}));
  EXPECT_EQ(nodes(R"({"tags": ["foot", "5"]})"), (std::vector<int>{0, 3, 6, 9, 11}));
  EXPECT_EQ(nodes(R"({"tags": ["left"], "box": [[0, 0, 0], [1, 1, 0]]})"), (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(nodes(R"({"tags": ["left"], "nodes": [3, 5]})"), (std::vector<int>{3}));
}

TEST_F(MeshGroups, OfRefinedMeshesAreThePartsOfTheirElements) {
  EXPECT_EQ(nodes(R"({"tags": ["foot"]})", R"(, "refinements": 1)").size(), 9U);
  EXPECT_EQ(nodes(R"({"tags": ["left"]})", R"(, "refinements": 2)").size(), 125U);
}

TEST_F(MeshGroups, OfFacesMeanTheseAndNoOthersBetweenTheirNodes) {
  // The triangle at x = 2 has half a square metre; its nodes and the point 5 together also include those of the other
  // triangle.
  const auto loaded = load(R"("motions": [{"region": {"tags": ["foot"]}}], "loads": [
    {"kind": "traction", "value": [10, 0, 0], "region": {"tags": ["tip"]}},
    {"kind": "pressure", "pressure": -6, "region": {"tags": ["tip"]}}])",
                           R"(, "output": {"probes": [{"name": "hold", "kind": "reaction", "body": "bar",
                                "region": {"tags": ["foot"]}}]})");
  ASSERT_TRUE(loaded);
  ProbedScene bar(loaded);
  bar.step();
  EXPECT_LT((bar.probe_vector("hold.force", "N") - Vec<3>(-8, 0, 0)).norm(), 0.02);
}

TEST_F(MeshGroups, OfElementsAreMaterials) {
  for (const std::string region :
       {R"({"tags": ["right"]})", R"({"tags": [2]})", R"({"box": [[1, 0, 0], [2, 1, 1]]})"}) {
    const auto loaded = load(R"("material": {"density": 100}, "material_parts": [{"region": )" + region +
                             R"(, "material": {"density": 700}}])");
    ASSERT_TRUE(loaded);
    EXPECT_NEAR(RunningScene(loaded).total_mass(), 800, 1e-9) << region;
  }
}

TEST_F(MeshGroups, ThatAreNotThereOrAmbiguousAreNamed) {
  EXPECT_EQ(problem(R"(["foot"])"), "");
  const std::string unknown = problem(R"(["fot"])");
  EXPECT_NE(unknown.find("bodies[0].motions[0].region.tags[0]"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("points 5, tets `left` (1), tets `right` (2), triangles `foot` (1), triangles `tip` (9)"),
            std::string::npos)
      << unknown;
  EXPECT_NE(problem(R"(["1"])")
                .find("groups of triangles, tets have this name or number; choose one of them, as in `tets:1`"),
            std::string::npos)
      << problem(R"(["1"])");
  EXPECT_NE(problem(R"([true])").find("tags[0]"), std::string::npos);
  const auto generated = load_scene_text(
      R"({"bodies": [{"generator": {"kind": "box"}, "loads": [{"region": {"tags": ["a"]}}]}]})", "scene", ".");
  EXPECT_NE(to_string(load_bodies(generated->scene).issues().front()).find("the mesh has no groups"),
            std::string::npos);
}

/// The name could mean either group.
TEST_F(MeshGroups, NameOfOneThatIsTheNumberOfAnotherIsRefused) {
  std::ofstream(folder_ / "bar.msh")
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 3 \"4\"\n2 4 "
         "\"top\"\n$EndPhysicalNames\n$Nodes\n4\n"
         "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n3\n1 2 2 3 0 1 3 2\n2 2 2 4 0 1 2 4\n"
         "3 4 2 0 0 1 2 3 4\n$EndElements\n";
  const std::string both = problem(R"(["4"])");
  EXPECT_NE(both.find("the name of one group and the number of another"), std::string::npos) << both;
  EXPECT_EQ(problem(R"(["top", "3"])"), "");
}

/// A part whose region had no element changed nothing, without a message.
TEST_F(MeshGroups, OfFacesAreNoMaterial) {
  for (const std::string region : {R"({"tags": ["foot"]})", R"({"box": [[8, 8, 8], [9, 9, 9]]})"}) {
    const auto loaded = load(R"("material_parts": [{"region": )" + region + R"(, "material": {"density": 700}}])");
    ASSERT_TRUE(loaded);
    const auto bodies = load_bodies(loaded->scene);
    ASSERT_TRUE(bodies);
    ASSERT_EQ(bodies->warnings.size(), 1U);
    EXPECT_NE(to_string(bodies->warnings[0])
                  .find("bodies[0].material_parts[0].region: warning: the region does not contain all nodes"),
              std::string::npos)
        << to_string(bodies->warnings[0]);
  }
}

TEST_F(MeshGroups, OfStiffBodiesAreRefused) {
  const auto loaded = load(R"("kind": "rigid", "loads": [{"region": {"tags": ["tip"]}}])");
  ASSERT_FALSE(loaded);
  EXPECT_NE(to_string(loaded.issues().front()).find("remove the region"), std::string::npos);
}

}  // namespace
}  // namespace clearance
