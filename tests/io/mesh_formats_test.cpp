// Files as other programs write them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "io/mesh_test_support.h"

namespace clearance::test {
namespace {

Mesh read_as(const std::string& name, std::string_view text, int dim = 3) {
  const TemporaryFolder folder;
  write_text(folder / name, text);
  const auto mesh = read_mesh(folder / name, {dim});
  EXPECT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  return mesh.has_value() ? *mesh : Mesh{};
}

/// Collects the bytes of numbers, little endian unless asked otherwise.
class Bytes {
 public:
  explicit Bytes(std::string text = {}, bool is_big = false) : bytes_(std::move(text)), is_big_(is_big) {}
  template <class T>
  Bytes& add(std::initializer_list<T> values) {
    for (const T value : values) {
      char raw[sizeof(T)];
      std::memcpy(raw, &value, sizeof(T));
      if (is_big_) std::reverse(raw, raw + sizeof(T));
      bytes_.append(raw, sizeof(T));
    }
    return *this;
  }
  Bytes& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& get() const { return bytes_; }

 private:
  std::string bytes_;
  bool is_big_;
};

using Triangles = std::vector<std::array<int, 3>>;
using Edges = std::vector<std::array<int, 2>>;
using Tets = std::vector<std::array<int, 4>>;

TEST(ObjReader, TextureCoordinatesAsAMesh) {
  const TemporaryFolder folder;
  write_text(folder / "a.obj",
             "v 0 0 0\nv 1 0 0\nv 1 1 5\nv 0 1 5\nvt 0 0\nvt 2 0\nvt 2 3 9\nvt 0 3\nvt 7 7\n"
             "f 1/1 2/2 3/3 4/4\nf 1/-5/1 3/3 4/5\n");
  const auto mesh = read_mesh(folder / "a.obj", {.dim = 3, .reads_texture = true});
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  ASSERT_EQ(mesh->vertices.size(), 5u);
  EXPECT_EQ(mesh->vertices[2], Vec<3>(2, 3, 0));
  EXPECT_EQ(mesh->triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 2, 4}}));
  write_text(folder / "b.obj", "v 0 0 0\nv 1 0 0\nv 1 1 5\nvt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2 3/3\n");
  const auto missing = read_mesh(folder / "b.obj", {.dim = 3, .reads_texture = true});
  EXPECT_NE(all_issues(missing.issues()).find("line 7: expected a corner with texture coordinates"), std::string::npos)
      << all_issues(missing.issues());
}

TEST(ObjReader, AllKindsOfCornersPolygonsLinesAndPoints) {
  const Mesh mesh =
      read_as("a.obj",
              "# comment\r\nmtllib x.mtl\nv 0 0 0 1 0.5 0.5 0.5\nv 1 0 0\nv +1 1 0\nv 0 1 .0\nvn 0 0 1\nvt 0 0\n"
              "f 1/1/1 2//1 3/1 4\nf -4 -3 \\\n -2\nv 5 5 5\nv 6 6 6\nv 7 7 7\nl 5 6 7\nv 8 8 8\nv 9 9 9\np 8\ns off");
  EXPECT_EQ(mesh.vertices.size(), 9u);
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
  EXPECT_EQ(mesh.edges, (Edges{{4, 5}, {5, 6}}));
  EXPECT_EQ(mesh.points, (std::vector<int>{7, 8}));  // the last one is used by nothing
}

TEST(ObjReader, FacesMayStandBeforeTheirVertices) {
  EXPECT_EQ(read_as("a.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").triangles, (Triangles{{0, 1, 2}}));
}

TEST(ObjReader, PlaneVerticesMayHaveTwoCoordinates) {
  const Mesh mesh = read_as("a.obj", "v 1 2\nv 3 4\nl 1 2\n", 2);
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.vertices[1], Vec<3>(3, 4, 0));
}

TEST(OffReader, CountsOnTheFirstLineColoursAndPolygons) {
  const Mesh mesh =
      read_as("a.off", "OFF 4 2 0\n# c\n0 0 0 255 0 0\n\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 0.5 0.5 0.5\n2 0 2\n");
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_TRUE(mesh.edges.empty());  // an edge of a triangle
}

TEST(StlReader, BinaryCornersAreMergedByBits) {
  Bytes bytes(std::string("solid that is binary") + std::string(60, ' '));
  bytes.add<std::uint32_t>({2});
  for (const float y : {1.0F, -1.0F}) {
    bytes.add<float>({0, 0, 1, 0, 0, 0, 1, 0, 0, 0, y, 0.1F}).add<std::uint16_t>({0});
  }
  const Mesh mesh = read_as("a.stl", bytes.get());
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {0, 1, 3}}));
  EXPECT_EQ(mesh.vertices[2][2], static_cast<double>(0.1F));
}

TEST(StlReader, AsciiIgnoresNormalsAndCase) {
  const Mesh mesh = read_as("a.STL",
                            "solid name of it\n FACET NORMAL nan nan nan\n outer loop\nvertex 0 0 0\nvertex 1 0 0\n"
                            "VERTEX 0 1 0\nendloop\nendfacet\nendsolid\n");
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}}));
}

TEST(PlyReader, BinaryInBothByteOrders) {
  for (const bool is_big : {false, true}) {
    const std::string order = is_big ? "big" : "little";
    Bytes bytes("ply\nformat binary_" + order +
                    "_endian 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty uchar red\n" +
                    "property double y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n" +
                    "element other 1\nproperty list int double w\nelement edge 1\nproperty int vertex1\nproperty int "
                    "vertex2\n" +
                    "end_header\n",
                is_big);
    for (const float x : {0.0F, 1.0F, 2.0F, 0.25F})
      bytes.add({x}).add<std::uint8_t>({9}).add({0.1 * static_cast<double>(x)}).add({x});
    bytes.add<std::uint8_t>({3}).add({0, 1, 2}).add({2}).add({1.0, 2.0}).add({3, 2});
    const Mesh mesh = read_as("a.ply", bytes.get());
    EXPECT_EQ(mesh.vertices[3], Vec<3>(0.25, 0.1 * 0.25, 0.25));
    EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}}));
    EXPECT_EQ(mesh.edges, (Edges{{3, 2}}));
  }
}

TEST(GmshReader, TagsMayHaveGapsAndBoundaryElementsAreLeftOut) {
  const Mesh mesh =
      read_as("a.msh",
              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a\"\n$EndPhysicalNames\n$Nodes\n6\n"
              "10 0 0 0\n7 1 0 0\n3 0 1 0\n99 0 0 1\n100 5 5 5\n101 6 6 6\n$EndNodes\n$Elements\n6\n"
              "1 15 2 0 1 10\n2 1 2 0 1 10 7\n3 2 2 0 1 3 7 10\n4 4 2 0 1 10 7 3 99\n5 1 0 100 101\n6 2 2 0 1 7 3 100\n"
              "$EndElements\n");
  EXPECT_EQ(mesh.tets, (Tets{{0, 1, 2, 3}}));
  EXPECT_EQ(mesh.triangles, (Triangles{{1, 2, 4}}));
  EXPECT_EQ(mesh.edges, (Edges{{4, 5}}));
  EXPECT_TRUE(mesh.points.empty());
}

TEST(GmshReader, PhysicalGroupsOfElementsKeepFacesThatAreLeftOut) {
  const Mesh mesh =
      read_as("a.msh",
              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"the core\"\n2 7 \"foot\"\n"
              "$EndPhysicalNames\n$Nodes\n4\n10 0 0 0\n7 1 0 0\n3 0 1 0\n99 0 0 1\n$EndNodes\n$Elements\n5\n"
              "1 15 2 4 1 10\n2 1 2 0 1 10 7\n3 2 2 7 1 3 7 10\n4 4 2 1 10 10 7 3 99\n5 2 1 -7 7 3 99\n$EndElements\n");
  EXPECT_TRUE(mesh.triangles.empty());
  ASSERT_EQ(mesh.groups.size(), 3U);
  const auto expect = [&](std::size_t at, const std::string& name, int number, int dim,
                          const std::vector<std::array<int, 4>>& elements) {
    EXPECT_EQ(mesh.groups[at].name, name);
    EXPECT_EQ(mesh.groups[at].number, number);
    EXPECT_EQ(mesh.groups[at].dim, dim);
    EXPECT_EQ(mesh.groups[at].elements, elements);
  };
  expect(0, "", 4, 0, {{0, -1, -1, -1}});
  expect(1, "foot", 7, 2, {{2, 1, 0, -1}, {1, 2, 3, -1}});
  expect(2, "the core", 1, 3, {{0, 1, 2, 3}});
}

TEST(GmshReader, PhysicalGroupsOfEntities) {
  const std::string rest =
      "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
      "$Elements\n2 2 1 2\n2 5 2 1\n1 1 3 2\n3 1 4 1\n2 1 2 3 4\n$EndElements\n";
  const std::string start =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"foot\"\n$EndPhysicalNames\n$Entities\n";
  const Mesh mesh = read_as("a.msh", start +
                                         "1 0 1 1\n3 0 0 0 0\n5 0 0 0 1 1 0 2 7 8 0\n1 0 0 0 1 1 1 1 2 1 5\n"
                                         "$EndEntities\n" +
                                         rest);
  ASSERT_EQ(mesh.groups.size(), 3U);
  EXPECT_EQ(mesh.groups[0].name, "foot");
  EXPECT_EQ(mesh.groups[0].elements, (std::vector<std::array<int, 4>>{{0, 2, 1, -1}}));
  EXPECT_EQ(mesh.groups[1].number, 8);
  EXPECT_EQ(mesh.groups[2].dim, 3);
  EXPECT_EQ(mesh.groups[2].elements, (std::vector<std::array<int, 4>>{{0, 1, 2, 3}}));
  // Odd data there is no error, but then there are no groups.
  EXPECT_TRUE(read_as("a.msh", start + "1 0 1 many\n$EndEntities\n" + rest).groups.empty());
}

TEST(GmshReader, Version22BinaryInBothByteOrders) {
  for (const bool is_big : {false, true}) {
    Bytes bytes("$MeshFormat\n2.2 1 8\n", is_big);
    bytes.add({1}).text("\n$EndMeshFormat\n$Nodes\n4\n");
    for (int v = 0; v < 4; ++v) bytes.add({v + 1}).add({1.5 * v, v == 2 ? 1.0 : 0.0, v == 3 ? 1.0 : 0.0});
    bytes.text("\n$EndNodes\n$Elements\n2\n")
        .add({4, 1, 2, 1, 0, 0, 1, 2, 3, 4})
        .add({15, 1, 2, 2, 0, 0, 4})
        .text("\n$EndElements\n");
    const Mesh mesh = read_as("a.msh", bytes.get());
    EXPECT_EQ(mesh.tets, (Tets{{0, 1, 2, 3}}));
    EXPECT_EQ(mesh.vertices[3], Vec<3>(4.5, 0, 1));
    EXPECT_TRUE(mesh.groups.empty());  // their first tags are 0
  }
}

TEST(GmshReader, Version41BinaryWithParametricNodes) {
  Bytes bytes("$MeshFormat\n4.1 1 8\n");
  bytes.add({1}).text("\n$EndMeshFormat\n$Entities\nanything\n$EndEntities\n$Nodes\n");
  bytes.add<std::uint64_t>({2, 3, 1, 3}).add({2, 1, 1}).add<std::uint64_t>({2, 1, 2});
  bytes.add({0.0, 0.0, 0.0, 9.0, 9.0, 1.0, 0.0, 0.0, 9.0, 9.0});
  bytes.add({0, 1, 0}).add<std::uint64_t>({1, 3}).add({0.0, 1.0, 0.0});
  bytes.text("\n$EndNodes\n$Elements\n")
      .add<std::uint64_t>({1, 1, 1, 1})
      .add({2, 1, 2})
      .add<std::uint64_t>({1, 1, 1, 2, 3});
  bytes.text("\n$EndElements\n");
  const Mesh mesh = read_as("a.msh", bytes.get());
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}}));
  EXPECT_EQ(mesh.vertices[2], Vec<3>(0, 1, 0));
}

TEST(GmshReader, Version40AsciiAndBinary) {
  const std::string ascii =
      "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Nodes\n1 4\n1 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
      "$Elements\n1 1\n1 3 4 1\n1 1 2 3 4\n$EndElements\n";
  EXPECT_EQ(read_as("a.msh", ascii).tets, (Tets{{0, 1, 2, 3}}));
  Bytes bytes("$MeshFormat\n4.0 1 8\n");
  bytes.add({1}).text("\n$EndMeshFormat\n$Nodes\n").add<std::uint64_t>({1, 4}).add({1, 3, 0}).add<std::uint64_t>({4});
  for (int v = 0; v < 4; ++v) bytes.add({v + 1}).add({1.0 * v, v == 2 ? 1.0 : 0.0, v == 3 ? 1.0 : 0.0});
  bytes.text("\n$EndNodes\n$Elements\n")
      .add<std::uint64_t>({1, 1})
      .add({1, 3, 4})
      .add<std::uint64_t>({1})
      .add({1, 1, 2, 3, 4});
  bytes.text("\n$EndElements\n");
  EXPECT_EQ(read_as("a.msh", bytes.get()).tets, (Tets{{0, 1, 2, 3}}));
}

TEST(GmshReader, FilesOfTheIpcAuthorsWithoutFormatAndEntity) {
  const Mesh mesh =
      read_as("a.msh",
              "$Nodes\n1 4\n\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1 1\n\n1 1 2 3 4\n"
              "$EndElements\n$Surface\n4\n1 3 2\n1 2 4\n1 4 3\n2 3 4\n$EndSurface\n");
  EXPECT_EQ(mesh.tets, (Tets{{0, 1, 2, 3}}));
  EXPECT_TRUE(mesh.triangles.empty());
}

TEST(VtkReader, AsciiGridWithFieldAndMetadata) {
  const Mesh mesh = read_as(
      "a.vtk",
      "# vtk DataFile Version 4.2\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 1 double\n"
      "0.5\nPOINTS 7 float\n0 0 0 1 0 0\n0 1 0 0 0 1\n3 3 3 4 4 4 5 5 5\nMETADATA\nINFORMATION 0\n\n"
      "CELLS 3 10\n4 0 1 2 3\n2 4 5\n1 6\nCELL_TYPES 3\n10\n3\n1\nPOINT_DATA 7\nSCALARS x float\n");
  EXPECT_EQ(mesh.tets, (Tets{{0, 1, 2, 3}}));
  EXPECT_EQ(mesh.edges, (Edges{{4, 5}}));
  EXPECT_EQ(mesh.points, (std::vector<int>{6}));
}

TEST(VtkReader, BinaryGridOfVersion5AndPolyData) {
  Bytes bytes("# vtk DataFile Version 5.1\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n", true);
  bytes.add({0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}).text("\nCELLS 3 7\nOFFSETS vtktypeint64\n");
  bytes.add<std::int64_t>({0, 4, 7}).text("\nCONNECTIVITY vtktypeint64\n").add<std::int64_t>({0, 1, 2, 3, 0, 1, 2});
  bytes.text("\nCELL_TYPES 2\n").add({10, 5}).text("\n");
  EXPECT_EQ(read_as("a.vtk", bytes.get()).tets, (Tets{{0, 1, 2, 3}}));
  const Mesh poly =
      read_as("a.vtk",
              "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
              "POLYGONS 1 5\n4 0 1 2 3\n");
  EXPECT_EQ(poly.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
}

TEST(TetgenReader, PairWithNumbersFromZeroOrOne) {
  for (const int first : {0, 1}) {
    const TemporaryFolder folder;
    std::string nodes = "# nodes\n4 3 0 1\n";
    const char* coordinates[] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
    for (int v = 0; v < 4; ++v) nodes += std::to_string(v + first) + " " + coordinates[v] + " 7\n";
    write_text(folder / "a.node", nodes);
    std::string elements = "1 4 0\n" + std::to_string(first);
    for (int v = 0; v < 4; ++v) elements += " " + std::to_string(v + first);
    write_text(folder / "a.ele", elements);
    for (const char* name : {"a.node", "a.ele", "a"}) {
      const auto mesh = read_mesh(folder / name);
      ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
      EXPECT_EQ(mesh->tets, (Tets{{0, 1, 2, 3}}));
    }
  }
}

TEST(IpcReader, SegmentsAndPointsComeFromTheObjBesideThem) {
  const TemporaryFolder folder;
  write_text(folder / "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto segments = read_mesh(folder / "a.seg");
  ASSERT_TRUE(segments.has_value()) << all_issues(segments.issues());
  EXPECT_EQ(segments->edges, (Edges{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_TRUE(segments->triangles.empty());
  const auto points = read_mesh(folder / "a.pt");
  ASSERT_TRUE(points.has_value()) << all_issues(points.issues());
  EXPECT_EQ(points->points, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(points->triangles.empty() && points->edges.empty());
  write_text(folder / "a.seg", "v 0 0 0\nv 1 0 0\ns 2 1");
  EXPECT_EQ(read_mesh(folder / "a.seg")->edges, (Edges{{1, 0}}));
}

TEST(MeshReader, PlaneNeedsZeroHeightAndNoTets) {
  const TemporaryFolder folder;
  write_text(folder / "a.obj", "v 0 0 0\nv 1 0 1e-300\nv 0 1 0\nf 1 2 3\n");
  const auto mesh = read_mesh(folder / "a.obj", {2});
  ASSERT_EQ(mesh.issues().size(), 1u);
  EXPECT_EQ(mesh.issues()[0].place, "vertex 1");
  EXPECT_EQ(read_mesh(folder / "a.obj")->dim, 3);
}

}  // namespace
}  // namespace clearance::test
