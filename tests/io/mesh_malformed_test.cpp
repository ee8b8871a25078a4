// Broken files: each problem is found and its place is right.
#include <gtest/gtest.h>
#include <algorithm>

#include <limits>

#include "clearance/io/mesh/mesh_file.h"
#include "io/mesh_test_support.h"

namespace clearance::test {
namespace {

struct Broken {
  const char* name;
  const char* text;
  const char* place;
  const char* value;
  const char* message;  ///< part of it
};

const Broken broken_files[] = {
    {"a.obj", "v 0 0 0\nv 0 nan 0\n", "line 2", "nan", "finite coordinate"},
    {"a.obj", "v 0 0 0\nv 0 1 1e999\n", "line 2", "1e999", "finite coordinate"},
    {"a.obj", "v 0 x 0\n", "line 1", "x", "expected a coordinate"},
    {"a.obj", "v 0\n", "line 1", "", "expected a coordinate"},
    {"a.obj", "v 0 0 0\nf 1 1 2\n", "line 2", "2", "between 1 and 1"},
    {"a.obj", "v 0 0 0\nf 1 1 0\n", "line 2", "0", "between 1 and 1"},
    {"a.obj", "v 0 0 0\nf 1 1 -2\n", "line 2", "-2", "between 1 and 1"},
    {"a.obj", "v 0 0 0\nf 1 1 99999999999\n", "line 2", "99999999999", "between 1 and 1"},
    {"a.obj", "v 0 0 0\nf 1 1\n", "line 2", "2", "at least 3 vertices"},
    {"a.obj", "v 0 0 0\nf 1 a 1\n", "line 2", "a", "vertex number"},
    {"a.obj", "", "", "", "no vertices"},
    {"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6", "3", "below 3"},
    {"a.off", "OFF\n999999999 1 0\n0 0 0\n", "line 2", "999999999", "numbers of vertices and faces"},
    {"a.off", "OFF\n2 0 0\n0 0 0\n", "line 4", "", "expected 2 vertices, found 1"},
    {"a.off", "4OFF\n2 0 0\n0 0 0\n", "line 1", "4OFF", "three dimensions"},
    {"a.off", "OFF\n1 1 0\n0 0 0\n4000000 1 2\n", "line 4", "4000000", "number of corners"},
    {"a.ply", "plx\n", "line 1", "", "`ply`"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nend_header\n1\n",
     "line 3", "4000000000", "fits the file"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\ninf 0\n",
     "line 7", "inf", "finite"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n1\n", "line 4", "quad",
     "number type"},
    {"a.ply", "ply\nelement vertex 1\nproperty float x\nend_header\n1\n", "line 4", "", "format line"},
    {"a.ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nelement face 1\nproperty list int "
     "int vertex_index\nend_header\n1 0\n3 0 0 1\n",
     "line 10", "1", "below 1"},
    {"a.ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nelement face 1\nproperty list int "
     "int vertex_index\nend_header\n1 0\n-3 0 0 1\n",
     "line 10", "-3", "length of a list"},
    {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "line 6", "2",
     "three vertices"},
    {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "line 5", "", "expected a coordinate"},
    {"a.stl", "solid a\nfoo\n", "line 2", "foo", "expected facet"},
    {"a.stl", "sol", "line 1", "sol", "binary STL"},
    {"a.msh", "$MeshFormat\n3.1 0 8\n$EndMeshFormat\n", "line 2", "3.1", "2.x, 4.0 or 4.1"},
    {"a.msh", "$NOD\n", "line 1", "$NOD", "this file has format 1"},
    {"a.msh", "hello", "line 1", "hello", "expected a section"},
    {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2000000000\n1 0 0 0\n$EndNodes\n", "line 5", "2000000000",
     "fits the file"},
    {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "line 4", "1",
     "every node tag once"},
    {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 -inf 0\n$EndNodes\n", "line 6", "-inf",
     "finite coordinate"},
    {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n", "line 7", "", "expected $EndNodes"},
    {"a.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", "line 8", "1",
     "expected 2 nodes"},
    {"a.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 5 0 1 1 1 1 1 1 1 1\n"
     "$EndElements\n",
     "line 10", "type 5: hexahedron", "of order 1 to 4 with all nodes"},
    {"a.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 2 0 1 1 7\n$EndElements\n",
     "line 10", "7", "tag of a node"},
    {"a.msh", "$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n", "byte 20", "1684234849", "either byte order"},
    {"a.vtk", "nothing", "line 1", "nothing", "vtk DataFile"},
    {"a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 inf\n", "line 6",
     "inf", "finite"},
    {"a.vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 2\n1 "
     "5\nCELL_TYPES 1\n1\n",
     "line 7", "5", "below 1"},
    {"a.vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 9\n8 0 0 0 0 0 0 "
     "0 0\nCELL_TYPES 1\n12\n",
     "line 7", "", "VTK cells of type 12"},
    {"a.vtk", "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 700000000 float\n0 0 0\n", "",
     "700000000", "fits the file"},
    {"a.seg", "v 0 0 0\ns 1 2\n", "line 2", "2", "between 1 and 1"},
    {"a.seg", "v 0 0 0\ns 1\n", "line 2", "", "two vertex numbers"},
    {"a.node", "2 3 0 0\n0 0 0 0\n2 0 0 0\n", "line 3", "2", "expected node 1"},
    {"a.xyz", "", "", ".xyz", ".msh, .obj"},
};

TEST(MalformedMesh, EachProblemIsNamedWithItsPlace) {
  const TemporaryFolder folder;
  for (const Broken& broken : broken_files) {
    SCOPED_TRACE(broken.text);
    write_text(folder / broken.name, broken.text);
    const auto mesh = read_mesh(folder / broken.name);
    ASSERT_FALSE(mesh.has_value());
    const Issue& issue = mesh.issues()[0];
    EXPECT_EQ(issue.file, (folder / broken.name).string());
    EXPECT_EQ(issue.value, broken.value);
    EXPECT_NE(issue.message.find(broken.message), std::string::npos) << to_string(issue);
    if (*broken.place != '\0') {
      EXPECT_EQ(issue.place, broken.place) << to_string(issue);
    }
  }
}

TEST(MalformedMesh, AllProblemsAreReported) {
  const TemporaryFolder folder;
  write_text(folder / "a.obj", "v 0 0 0\nv nan 0 0\nv 0 a 0\nf 1 2 9\n");
  EXPECT_EQ(read_mesh(folder / "a.obj").issues().size(), 3u);
}

/// A wrong number of vertices brought twenty lines that said the same.
TEST(MalformedMesh, ProblemsThatAreAlikeAreCounted) {
  const TemporaryFolder folder;
  std::string many = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (int i = 0; i < 100; ++i) many += "f 1 2 9\n";
  write_text(folder / "a.obj", many + "f 1 2 0\n");
  const Issues issues = read_mesh(folder / "a.obj").issues();
  ASSERT_LE(issues.size(), 4u);
  EXPECT_TRUE(std::any_of(issues.begin(), issues.end(), [](const Issue& issue) { return issue.place == "line 4"; }));
  int told = static_cast<int>(issues.size());
  for (const Issue& issue : issues) {
    const std::size_t at = issue.message.find("there are ");
    if (at != std::string::npos) told += std::stoi(issue.message.substr(at + 10));
  }
  EXPECT_EQ(told, 101);
}

TEST(MalformedMesh, ReadingStopsAtTheLimit) {
  const TemporaryFolder folder;
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "v nan 0 0\n";
  write_text(folder / "a.obj", many);
  const Issues issues = read_mesh(folder / "a.obj").issues();
  ASSERT_EQ(issues.size(), 3u);
  EXPECT_NE(issues[2].message.find("at least 9997 more"), std::string::npos) << to_string(issues[2]);
}

TEST(MalformedMesh, MissingFilesFoldersAndPairsAreNamed) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_mesh(folder / "a.obj").issues()[0].message, "file not found");
  EXPECT_EQ(read_mesh(folder / "a.vtu").issues()[0].message, "file not found");
  std::filesystem::create_directories(folder / "b.obj");
  EXPECT_EQ(read_mesh(folder / "b.obj").issues()[0].message, "expected a regular file");
  write_text(folder / "c.node", "1 3 0 0\n0 0 0 0\n");
  EXPECT_EQ(read_mesh(folder / "c.ele").issues()[0].file, (folder / "c.ele").string());
  EXPECT_TRUE(read_mesh(folder / "c.node").has_value());
}

TEST(MalformedMesh, BinaryFilesNameTheByte) {
  const TemporaryFolder folder;
  std::string stl(84 + 50, '\0');
  stl[80] = 1;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  stl.replace(84 + 12 + 4, 4, reinterpret_cast<const char*>(&nan), 4);
  write_text(folder / "a.stl", stl);
  EXPECT_EQ(read_mesh(folder / "a.stl").issues()[0].place, "byte 100");
  stl[80] = 2;
  write_text(folder / "a.stl", stl);
  EXPECT_EQ(read_mesh(folder / "a.stl").issues()[0].place, "byte 80");
}

TEST(MalformedMesh, ValuesArePrintable) {
  const TemporaryFolder folder;
  write_text(folder / "a.obj", "v \xff\x01" + std::string(100, 'y') + " 0 0\n");
  const auto mesh = read_mesh(folder / "a.obj");
  ASSERT_FALSE(mesh.has_value());
  EXPECT_EQ(mesh.issues()[0].value, "??" + std::string(38, 'y') + "...");
}

}  // namespace
}  // namespace clearance::test
