// Meshes of Universal Scene Description in text: shapes, places, units, times, and what is refused.
#include <fmt/format.h>

#include "clearance/io/mesh/stage.h"
#include "io/mesh_test_support.h"

namespace clearance {
namespace {

using test::all_issues;

constexpr const char* in_metres = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n";

Result<Mesh> read_stage(const std::string& text, const std::string& prim = "", int dim = 3) {
  test::TemporaryFolder folder;
  test::write_text(folder / "stage.usda", text);
  MeshReadOptions options;
  options.dim = dim;
  return read_mesh((folder / "stage.usda").string() + (prim.empty() ? "" : "<" + prim + ">"), options);
}

/// Returns the only problem of a stage, without its folder.
std::string problem_of(const std::string& text, const std::string& prim = "") {
  const Result<Mesh> mesh = read_stage(text, prim);
  const std::string all = all_issues(mesh.issues());
  const std::size_t name = all.find("stage.usda");
  return name == std::string::npos ? all : all.substr(name);
}

std::string mesh_prim(const std::string& name, const std::string& more = "") {
  return "def Mesh \"" + name +
         "\"\n{\n    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
         "    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n" +
         more + "}\n";
}

void expect_near(const Vec<3>& found, const Vec<3>& wanted) {
  EXPECT_LT((found - wanted).norm(), 1e-12) << found.transpose() << " instead of " << wanted.transpose();
}

TEST(MeshUsd, PolygonsTetrahedraCurvesAndPointsAreReadWithTheirPathsAsGroups) {
  const Result<Mesh> mesh = read_stage(std::string(in_metres) + R"(
def Xform "World" (
    kind = "group"
    customData = { string note = "braces } and (" }
)
{
    # A square and a triangle; the second is a hole.
    def Mesh "plate" (prepend apiSchemas = ["MaterialBindingAPI"])
    {
        rel material:binding = </World/Looks/steel>
        float3[] extent = [(0, 0, 0), (1, 1, 0)]
        int[] faceVertexCounts = [4, 3, 3]
        int[] faceVertexIndices = [0, 1, 2, 3, 0, 1, 2, 2, 3, 0]
        int[] holeIndices = [1]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)] (
            interpolation = "vertex"
        )
        texCoord2f[] primvars:st = [(0, 0), (1, 0)] (interpolation = "faceVarying")
        uniform token subdivisionScheme = "none"
        custom string note = """three " quotes"""
        asset picture = @folder/picture [1].png@
    }
    def TetMesh "solid"
    {
        point3d[] points = [(0, 0, 2), (1, 0, 2), (0, 1, 2), (0, 0, 3)]
        int4[] tetVertexIndices = [(0, 2, 1, 3)]
    }
    def BasisCurves "ring"
    {
        int[] curveVertexCounts = [3, 2]
        point3f[] points = [(0, 0, 5), (1, 0, 5), (0, 1, 5), (0, 0, 6), (0, 0, 7)]
        uniform token type = "linear"
        uniform token wrap = "periodic"
    }
    def Points "dust" { point3f[] points = [(9, 9, 9)] float[] widths = [0.1] }
    def Camera "eye" { float focalLength = 50 }
    def Scope "Looks" { def Material "steel" { token outputs:surface.connect = </World/Looks/steel/s.outputs:surface> } }
}
)");
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  EXPECT_EQ(test::find_fault(*mesh), "");
  EXPECT_EQ(mesh->vertices.size(), 14u);
  // A fan of the square, then the face behind the hole.
  EXPECT_EQ(mesh->triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}, {2, 3, 0}}));
  // It was left-handed.
  EXPECT_EQ(mesh->tets, (std::vector<std::array<int, 4>>{{4, 6, 7, 5}}));
  EXPECT_EQ(mesh->edges, (std::vector<std::array<int, 2>>{{8, 9}, {9, 10}, {10, 8}, {11, 12}}));
  EXPECT_EQ(mesh->points, std::vector<int>{13});
  std::vector<std::string> names;
  for (const MeshGroup& group : mesh->groups)
    names.push_back(fmt::format("{} {} {}", group.name, group.dim, group.elements.size()));
  EXPECT_EQ(names,
            (std::vector<std::string>{"/World/plate 2 3", "/World/solid 3 1", "/World/ring 1 4", "/World/dust 0 1"}));
}

TEST(MeshUsd, UnitsAndUpAxisOfTheStageBecomeMetresAndY) {
  const Result<Mesh> tall = read_stage("#usda 1.0\n(\n metersPerUnit = 0.001\n upAxis = \"Z\"\n)\n" +
                                       mesh_prim("a",
                                                 "    double3 xformOp:translate = (0, 0, 500)\n    uniform token[] "
                                                 "xformOpOrder = [\"xformOp:translate\"]\n"));
  ASSERT_TRUE(tall.has_value()) << all_issues(tall.issues());
  expect_near(tall->vertices[0], {0, 0.5, 0});
  expect_near(tall->vertices[1], {0.001, 0.5, 0});
  expect_near(tall->vertices[2], {0, 0.5, -0.001});
  // A stage that does not say so is in centimetres.
  const Result<Mesh> silent = read_stage("#usda 1.0\n" + mesh_prim("a"));
  ASSERT_TRUE(silent.has_value());
  expect_near(silent->vertices[1], {0.01, 0, 0});
}

TEST(MeshUsd, OperationsActFromTheLastToTheFirstAndOnChildren) {
  const std::string parent = R"(
def Xform "arm"
{
    double3 xformOp:translate = (10, 0, 0)
    float xformOp:rotateZ = 90
    float3 xformOp:scale = (2, 1, 1)
    double3 xformOp:translate:pivot = (0, 3, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:translate:pivot", "xformOp:scale", "!invert!xformOp:translate:pivot"]
    )" + mesh_prim("hand") + "}\n";
  const Result<Mesh> mesh = read_stage(in_metres + parent);
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  expect_near(mesh->vertices[0], {10, 0, 0});
  expect_near(mesh->vertices[1], {10, 2, 0});
  expect_near(mesh->vertices[2], {9, 0, 0});

  // A rotation about all axes is that of its name: X first. A matrix multiplies rows.
  const auto corner = [&](const std::string& attribute, const std::string& name) {
    const Result<Mesh> turned =
        read_stage(in_metres + mesh_prim("a", attribute + "\n    uniform token[] xformOpOrder = [\"" + name + "\"]\n"));
    EXPECT_TRUE(turned.has_value()) << all_issues(turned.issues());
    return turned ? turned->vertices[2] : Vec<3>(Vec<3>::Zero());
  };
  expect_near(corner("    float3 xformOp:rotateXYZ = (90, 0, 90)", "xformOp:rotateXYZ"), {0, 0, 1});
  expect_near(corner("    float3 xformOp:rotateZYX = (90, 0, 90)", "xformOp:rotateZYX"), {-1, 0, 0});
  expect_near(corner("    quatf xformOp:orient = (0.70710678118654752, 0, 0, 0.70710678118654752)", "xformOp:orient"),
              {-1, 0, 0});
  expect_near(corner("    matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (4, 5, 6, 1) )",
                     "xformOp:transform"),
              {4, 5, 7});
  // A prim that resets the places above it stands in the stage.
  const Result<Mesh> reset =
      read_stage(in_metres +
                 std::string("def Xform \"p\" {\n double3 xformOp:translate = (7, 0, 0)\n uniform token[] "
                             "xformOpOrder = [\"xformOp:translate\"]\n") +
                 mesh_prim("a", "    uniform token[] xformOpOrder = [\"!resetXformStack!\"]\n") + "}\n");
  ASSERT_TRUE(reset.has_value()) << all_issues(reset.issues());
  expect_near(reset->vertices[0], {0, 0, 0});
}

TEST(MeshUsd, MirroredAndLeftHandedFacesPointOutwards) {
  const auto triangle = [](const std::string& more) {
    const Result<Mesh> mesh = read_stage(in_metres + mesh_prim("a", more));
    EXPECT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
    return mesh ? mesh->triangles[0] : std::array<int, 3>{};
  };
  const std::string mirror =
      "    float3 xformOp:scale = (-1, 1, 1)\n    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n";
  const std::string left = "    uniform token orientation = \"leftHanded\"\n";
  EXPECT_EQ(triangle(""), (std::array<int, 3>{0, 1, 2}));
  EXPECT_EQ(triangle(left), (std::array<int, 3>{2, 1, 0}));
  EXPECT_EQ(triangle(mirror), (std::array<int, 3>{2, 1, 0}));
  EXPECT_EQ(triangle(mirror + left), (std::array<int, 3>{0, 1, 2}));
}

TEST(MeshUsd, APrimMayBeSelectedAndHiddenOnesAreLeftOut) {
  const std::string stage =
      in_metres +
      std::string(
          "def Xform \"A\" {\n double3 xformOp:translate = (7, 0, 0)\n uniform token[] xformOpOrder "
          "= [\"xformOp:translate\"]\n") +
      mesh_prim("one") + "}\n" + mesh_prim("two") + mesh_prim("hidden", "    token visibility = \"invisible\"\n") +
      "def Mesh \"off\" (active = false) {}\nover \"Other\" {}\nclass \"_Base\" { def Cube \"c\" {} }\n";
  EXPECT_EQ(read_stage(stage)->vertices.size(), 6u);
  const Result<Mesh> one = read_stage(stage, "/A");
  ASSERT_TRUE(one.has_value()) << all_issues(one.issues());
  EXPECT_EQ(one->vertices.size(), 3u);
  expect_near(one->vertices[0], {7, 0, 0});
  EXPECT_EQ(read_stage(stage, "/A/one")->vertices.size(), 3u);
  EXPECT_EQ(problem_of(stage, "/A/on"),
            "stage.usda: expected the path of a prim with a Mesh, TetMesh, BasisCurves or Points (got /A/on)\n");
}

TEST(MeshUsd, SamplesFollowOneAnotherAtTheSmallestDistanceWithStraightLinesBetween) {
  test::TemporaryFolder folder;
  test::write_text(folder / "run.usda", in_metres + mesh_prim("a", R"(
    point3f[] points.timeSamples = {
        0: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
        4: [(0, 0, 4), (1, 0, 4), (0, 1, 8)],
    }
    double3 xformOp:translate.timeSamples = { 3: (0, 0, 0), 4 : (2, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
)"));
  const auto samples = read_stage_samples(folder / "run.usda");
  ASSERT_TRUE(samples.has_value()) << all_issues(samples.issues());
  ASSERT_EQ(samples->size(), 5u);
  for (int i = 0; i < 5; ++i) expect_near((*samples)[i][2], {i == 4 ? 2.0 : 0.0, 1, 2.0 * i});
  // Without a time the defaults hold, or else the first sample.
  const Result<Mesh> mesh = read_mesh(folder / "run.usda");
  ASSERT_TRUE(mesh.has_value());
  expect_near(mesh->vertices[2], {0, 1, 0});
  test::write_text(folder / "uneven.usda", in_metres + mesh_prim("a", R"(
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 1e-6: (0, 0, 0), 100: (2, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
)"));
  EXPECT_NE(all_issues(read_stage_samples(folder / "uneven.usda").issues()).find("uneven distances"),
            std::string::npos);
}

TEST(MeshUsd, WhatCannotBeReadIsToldWithItsLine) {
  EXPECT_EQ(problem_of("PXR-USDC binary"),
            "stage.usda: line 1: expected `#usda 1.0`; a binary stage becomes text by `usdcat stage.usd -o stage.usda` "
            "(got PXR-USDC binary)\n");
  const std::string flatten =
      "expected a stage of one file without references, payloads, classes and variants; `usdcat --flatten` writes one";
  EXPECT_EQ(problem_of("#usda 1.0\n(\n    subLayers = [@other.usda@]\n)\n"),
            "stage.usda: line 3: " + flatten + " (got subLayers)\n");
  EXPECT_EQ(problem_of("#usda 1.0\ndef \"a\" (\n    prepend references = @other.usda@</b>\n)\n{\n}\n"),
            "stage.usda: line 3: " + flatten + " (got prepend)\n");
  EXPECT_EQ(problem_of("#usda 1.0\ndef \"a\"\n{\n    variantSet \"look\" = {\n    }\n}\n"),
            "stage.usda: line 4: " + flatten + " (got variantSet)\n");
  EXPECT_EQ(problem_of("#usda 1.0\ndef Xform \"a\"\n{\n    def Sphere \"ball\"\n    {\n    }\n}\n"),
            "stage.usda: line 4: /a/ball: expected Mesh, TetMesh, BasisCurves or Points; make a mesh of it, hide it, "
            "or select a prim with "
            "`file.usda</path>` (got Sphere)\n");
  EXPECT_EQ(problem_of("#usda 1.0\ndef Xform \"a\"\n{\n}\n"),
            "stage.usda: expected a prim of type Mesh, TetMesh, BasisCurves or Points\n");
  const auto mesh = [](const std::string& counts, const std::string& indices, const std::string& points) {
    return "#usda 1.0\ndef Mesh \"a\"\n{\n    int[] faceVertexCounts = " + counts +
           "\n    int[] faceVertexIndices = " + indices + "\n    point3f[] points = " + points + "\n}\n";
  };
  const std::string three = "[(0, 0, 0), (1, 0, 0), (0, 1, 0)]";
  EXPECT_EQ(problem_of(mesh("[3]", "[0, 1, 3]", three)),
            "stage.usda: line 5: /a.faceVertexIndices: expected indices of points, 0 to 2 (got 3)\n");
  EXPECT_EQ(problem_of(mesh("[4]", "[0, 1, 2]", three)),
            "stage.usda: line 4: /a.faceVertexCounts: expected whole numbers from 3 on (got 4)\n");
  EXPECT_EQ(problem_of(mesh("[3, 3]", "[0, 1, 2]", three)),
            "stage.usda: line 4: /a.faceVertexCounts: expected counts with the sum 3 (got 6)\n");
  EXPECT_EQ(problem_of(mesh("[3]", "[0, 1, 2]", "[(0, 0), (1, 0)]")),
            "stage.usda: line 6: /a.points: expected three numbers a point (got 4 numbers)\n");
  EXPECT_EQ(problem_of(mesh("[3]", "[0, 1, 2]", "[(0, 0, 0), (1")),
            "stage.usda: line 7: expected a number or a word (got })\n");
  EXPECT_EQ(
      problem_of(
          "#usda 1.0\n" +
          mesh_prim("a", "    float xformOp:shear = 1\n    uniform token[] xformOpOrder = [\"xformOp:shear\"]\n")),
      "stage.usda: line 8: /a.xformOpOrder: expected transform, translate, scale, orient, rotateX, ..., rotateXYZ, ... "
      "(got "
      "xformOp:shear)\n");
}

}  // namespace
}  // namespace clearance
