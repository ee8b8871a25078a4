// Meshes that are written come back bit for bit, in every format.
#include <gtest/gtest.h>

#include "clearance/io/mesh/mesh_writer.h"
#include "io/mesh_test_support.h"

namespace clearance::test {
namespace {

Mesh round_trip(const std::string& name, const Mesh& mesh, const MeshWriteOptions& options = {}) {
  const TemporaryFolder folder;
  const auto written = write_mesh(folder / name, mesh, options);
  EXPECT_TRUE(written.has_value()) << all_issues(written.issues());
  const auto read = read_mesh(folder / name, {mesh.dim});
  EXPECT_TRUE(read.has_value()) << all_issues(read.issues());
  return read.has_value() ? *read : Mesh{};
}

TEST(MeshRoundTrip, GmshKeepsEveryBitInBothVersions) {
  const Mesh mesh = make_mesh(true, true);
  expect_same(round_trip("a.msh", mesh, {GmshVersion::v2_2}), mesh);
  expect_same(round_trip("a.msh", mesh, {GmshVersion::v4_1}), mesh);
}

TEST(MeshRoundTrip, VtuKeepsEveryBit) {
  expect_same(round_trip("a.vtu", make_mesh(true, true)), make_mesh(true, true));
}

TEST(MeshRoundTrip, SurfaceFormatsKeepEveryBit) {
  for (const char* name : {"a.obj", "a.ply", "a.off"}) {
    SCOPED_TRACE(name);
    expect_same(round_trip(name, make_mesh(false, true)), make_mesh(false, true));
  }
}

TEST(MeshRoundTrip, StlKeepsEveryBitOfUsedVerticesInOrderOfUse) {
  Mesh mesh = make_mesh(false, false);
  mesh.vertices.resize(8);
  mesh.vertices[2][2] = 0.0;  // the two zeros are one place to an STL reader
  expect_same(round_trip("a.stl", mesh), mesh);
}

TEST(MeshRoundTrip, PointsAloneStayPoints) {
  Mesh mesh;
  mesh.vertices = {{1, 2, 3}, {4, 5, 6}};
  mesh.points = {0, 1};
  for (const char* name : {"a.msh", "a.obj", "a.ply", "a.off", "a.vtu"}) {
    SCOPED_TRACE(name);
    expect_same(round_trip(name, mesh), mesh);
  }
}

TEST(MeshRoundTrip, PlaneMeshesStayPlane) {
  Mesh mesh;
  mesh.dim = 2;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {3, 3, 0}, {4, 3, 0}};
  mesh.triangles = {{0, 1, 2}};
  mesh.edges = {{3, 4}};
  for (const char* name : {"a.msh", "a.obj", "a.ply", "a.off", "a.vtu"}) {
    SCOPED_TRACE(name);
    expect_same(round_trip(name, mesh), mesh);
  }
}

TEST(MeshRoundTrip, InvertedTetsAreKeptAsTheyAre) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 2, 1, 3}};
  for (const char* name : {"a.msh", "a.vtu"}) EXPECT_EQ(round_trip(name, mesh).tets, mesh.tets) << name;
}

TEST(MeshRoundTrip, WriterRefusesWhatTheFormatCannotHold) {
  const TemporaryFolder folder;
  for (const char* name : {"a.obj", "a.ply", "a.off", "a.stl", "a.xyz"}) {
    const auto written = write_mesh(folder / name, make_mesh(true, true));
    ASSERT_FALSE(written.has_value()) << name;
    EXPECT_NE(written.issues()[0].message.find("expected"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
  EXPECT_FALSE(write_mesh(folder / "a.stl", make_mesh(false, true)).has_value());
}

TEST(MeshRoundTrip, WriterNamesBadIndicesAndCoordinates) {
  const TemporaryFolder folder;
  Mesh mesh = make_mesh(false, false);
  mesh.triangles[1][2] = 10;
  mesh.vertices[3][0] = infinity;
  const auto written = write_mesh(folder / "a.obj", mesh);
  ASSERT_EQ(written.issues().size(), 2u);
  EXPECT_EQ(written.issues()[0].place, "vertex 3");
  EXPECT_EQ(written.issues()[1].place, "triangle 1");
}

TEST(MeshRoundTrip, FailedWriteLeavesTheOldFileAndNoTemporaryOne) {
  const TemporaryFolder folder;
  // A folder with the name of the target makes the rename fail.
  std::filesystem::create_directories(folder / "a.obj" / "inside");
  EXPECT_FALSE(write_mesh(folder / "a.obj", make_mesh(false, false)).has_value());
  EXPECT_TRUE(std::filesystem::exists(folder / "a.obj" / "inside"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.obj.tmp"));
  EXPECT_FALSE(write_mesh(folder / "missing" / "a.obj", make_mesh(false, false)).has_value());
}

}  // namespace
}  // namespace clearance::test
