// Every number of vertices and elements that a file declares is compared with its content; words may be on any lines if
// the format does not depend on lines.
#include <gtest/gtest.h>

#include "io_mesh/text_samples.h"

namespace clearance::test {
namespace {

std::string sample_text(const std::string& name) {
  for (const TextSample& sample : text_samples()) {
    if (sample.name == name) return sample.text;
  }
  return {};
}

/// Returns the sample with its first `from` replaced, which must occur.
std::string changed(const std::string& name, const std::string& from, const std::string& to) {
  std::string text = sample_text(name);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// Returns the sample with all line breaks behind `start` replaced by blanks.
std::string joined_behind(const std::string& name, const std::string& start) {
  const std::string text = sample_text(name);
  const std::size_t at = text.find(start) + start.size();
  return text.substr(0, at) + replace_all(text.substr(at), "\n", " ");
}

std::string split_behind(const std::string& name, const std::string& start) {
  const std::string text = sample_text(name);
  const std::size_t at = text.find(start) + start.size();
  return text.substr(0, at) + replace_all(text.substr(at), " ", "\n");
}

TEST(PlyText, DataAreWordsOnAnyLines) {
  expect_cube(expect_mesh("a.ply", joined_behind("ply", "end_header\n")));
  expect_cube(expect_mesh("a.ply", split_behind("ply", "end_header\n")));
}

TEST(PlyText, CountsMustHold) {
  expect_refused("a.ply", changed("ply", "face 12", "face 11"), "expected the end of the file");
  expect_refused("a.ply", changed("ply", "face 12", "face 13"), "ends before its last element");
  expect_refused("a.ply", changed("ply", "vertex 8", "vertex 7"), "");
  expect_refused("a.ply", changed("ply", "vertex 8", "vertex 9"), "");
  expect_refused("a.ply", changed("ply", "element face 12\n", ""), "");
}

TEST(PlyText, WhatTheHeaderDoesNotSayInKnownWordsIsAnError) {
  expect_refused("a.ply", changed("ply", "element face", "elment face"), "expected format, comment, element");
  expect_refused("a.ply", changed("ply", "element face", "element faces"), "are not understood");
  expect_refused("a.ply", changed("ply", "element face", "element tristrips"), "are not understood");
  expect_refused("a.ply", changed("ply", "vertex_indices", "corners"), "vertex_indices");
  expect_refused("a.ply", changed("ply", "float x\n", "float a\n"), "properties x, y and z");
  expect_refused("a.ply", changed("ply", "float x\nproperty", "float x property"), "end of the line");
}

TEST(PlyBinary, TheHeaderMayEndLikeItsFirstLine) {
  for (const char* end : {"\n", "\r", "\r\n"}) {
    std::string bytes = replace_all(
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\nelement face 1\n"
        "property list uchar uchar vertex_index\nend_header\n",
        "\n", end);
    // The first byte looks like the second half of a line break.
    bytes += std::string("\n\0\r\n\0\n", 6) + std::string("\3\0\1\2", 4);
    const Mesh mesh = expect_mesh("a.ply", bytes);
    ASSERT_EQ(mesh.triangles.size(), 1u);
    EXPECT_EQ(mesh.vertices[0], Vec<3>(10, 0, 0));
    EXPECT_EQ(mesh.vertices[1], Vec<3>(13, 10, 0));
    EXPECT_EQ(expect_mesh("a.ply", bytes + "\r\n").triangles.size(), 1u);
    expect_refused("a.ply", bytes + std::string("\3\0\1\2", 4), "expected the end of the file");
    expect_refused("a.ply", bytes.substr(0, bytes.size() - 1), "ends before its last element");
  }
}

TEST(GmshText, DataAreWordsOnAnyLines) {
  for (const char* name : {"msh 2.2", "msh 4.1"}) {
    expect_cube(expect_mesh("a.msh", joined_behind(name, "$EndMeshFormat\n")));
    expect_cube(expect_mesh("a.msh", split_behind(name, "$Nodes\n")));
    expect_cube(expect_mesh("a.msh", joined_behind(name, "$EndNodes\n")));
  }
  expect_cube(expect_mesh("a.msh", replace_all(sample_text("msh 4.1"), "\n", " ")));
}

TEST(GmshText, NamesOfGroupsSurviveEveryLineEnd) {
  for (const char* end : {"\n", "\r", "\r\n"}) {
    const Mesh mesh = expect_mesh("a.msh", replace_all(sample_text("msh 2.2"), "\n", end));
    ASSERT_EQ(mesh.groups.size(), 1u);
    EXPECT_EQ(mesh.groups[0].name, "skin");
    EXPECT_EQ(mesh.groups[0].elements.size(), 12u);
  }
}

TEST(GmshText, CountsMustHold) {
  for (const char* name : {"msh 2.2", "msh 4.1"}) {
    const bool is_old = std::string(name) == "msh 2.2";
    for (const char* wrong : {"11", "13", "1"}) {
      const std::string count = wrong;
      expect_refused("a.msh",
                     is_old ? changed(name, "$Elements\n12\n", "$Elements\n" + count + "\n")
                            : changed(name, "2 1 2 12\n", "2 1 2 " + count + "\n"),
                     "");
    }
    expect_refused("a.msh", changed(name, is_old ? "$Nodes\n8" : "$Nodes\n1 8", is_old ? "$Nodes\n7" : "$Nodes\n1 7"),
                   "");
  }
  expect_refused("a.msh", changed("msh 4.1", "1 12 1 12", "1 13 1 12"), "expected 13 elements");
}

TEST(GmshText, AFileThatEndsBeforeItsElementsIsCut) {
  for (const char* name : {"msh 2.2", "msh 4.1"}) {
    const std::string text = sample_text(name);
    expect_refused("a.msh", text.substr(0, text.find("$Elements")), "cut off");
    expect_refused("a.msh", replace_all(text, "Elements", "Elments"), "$Elements section");
  }
}

TEST(VtkText, DataAreWordsOnAnyLines) {
  for (const char* name : {"vtk grid", "vtk polygons"}) {
    const Mesh expected = expect_mesh("a.vtk", sample_text(name));
    expect_same(expect_mesh("a.vtk", split_behind(name, "8 float\n")), expected);
  }
  const Mesh expected = expect_mesh("a.vtk", sample_text("vtk grid"));
  expect_same(expect_mesh("a.vtk", joined_behind("vtk grid", "ASCII\n")), expected);
}

TEST(VtkText, CountsMustHold) {
  expect_refused("a.vtk", changed("vtk grid", "CELLS 2 10", "CELLS 1 10"), "expected 1 cells");
  expect_refused("a.vtk", changed("vtk grid", "CELLS 2 10", "CELLS 1 5"), "");
  expect_refused("a.vtk", changed("vtk grid", "CELL_TYPES 2\n10\n10\n", "CELL_TYPES 3\n10\n10\n10\n"), "of 2 cells");
  expect_refused("a.vtk", changed("vtk grid", "CELL_TYPES 2\n10\n10\n", "CELL_TYPES 1\n10\n"), "of 2 cells");
  expect_refused("a.vtk", changed("vtk grid", "POINT_DATA 8", "POINT_DATA 9"), "expected the number before it, 8");
  expect_refused("a.vtk", changed("vtk grid", "POINT_DATA 8", "CELL_DATA 3"), "expected the number before it, 2");
  expect_refused("a.vtk", changed("vtk polygons", "POLYGONS 12 48", "POLYGONS 11 44"), "");
}

TEST(VtkText, AFileThatEndsBeforeItsCellsIsCut) {
  for (const char* name : {"vtk grid", "vtk polygons"}) {
    const std::string text = sample_text(name);
    const std::size_t cells = std::min(text.find("CELLS"), text.find("POLYGONS"));
    expect_refused("a.vtk", text.substr(0, cells), "cut off");
  }
}

TEST(VtkText, MetadataWithoutAnEmptyLineTakeNoCells) {
  const Mesh expected = expect_mesh("a.vtk", sample_text("vtk polygons"));
  expect_same(expect_mesh("a.vtk", changed("vtk polygons", "INFORMATION 0\n\n", "INFORMATION 0\n")), expected);
}

TEST(VtkText, ASectionTwiceIsAnError) {
  expect_refused("a.vtk", changed("vtk grid", "CELL_TYPES", "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES"), "section once");
  expect_refused("a.vtk", changed("vtk grid", "POINT_DATA", "CELL_TYPES 2\n5\n5\nPOINT_DATA"), "section once");
}

TEST(VtuText, CountsMustHold) {
  expect_refused("a.vtu", changed("vtu", "NumberOfCells=\"2\"", "NumberOfCells=\"1\""), "");
  expect_refused("a.vtu", changed("vtu", "NumberOfCells=\"2\"", "NumberOfCells=\"0\""), "");
  expect_refused("a.vtu", changed("vtu", "NumberOfPoints=\"8\"", "NumberOfPoints=\"0\""), "");
  expect_refused("a.vtu", changed("vtu", "4 8<", "4 4<"), "");
  expect_refused("a.vtu",
                 changed("vtu", "4 8</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\">10 10",
                         "4</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\">10"),
                 "");
  expect_refused("a.vtu", changed("vtu", "</VTKFile>", ""), "cut off");
}

TEST(TetGenText, RecordsInLinesMayHaveFurtherColumnsAndWordsMayStandAnywhere) {
  const std::string rows_of_nodes = numbered_rows(cube_vertices, "");
  const std::string tail = "\n# end\n";
  EXPECT_EQ(expect_mesh("a.node", "8 3\n" + replace_all(rows_of_nodes, "\n", " 0.5 1\n")).vertices.size(), 8u);
  EXPECT_EQ(expect_mesh("a.node", "8 3 0 0\n" + replace_all(rows_of_nodes, "\n", " ") + tail).vertices.size(), 8u);
  EXPECT_EQ(expect_mesh("a.node", "8 3 0 0 " + replace_all(rows_of_nodes, "\n", " ") + tail).vertices.size(), 8u);
  EXPECT_EQ(expect_mesh("a.node", "8 3 1 1\n" + replace_all(rows_of_nodes, "\n", " 7 1 ") + tail).vertices.size(), 8u);
  EXPECT_EQ(expect_mesh("a.node", "8 3 0 0\n" + replace_all(rows_of_nodes, " ", "\n") + tail).vertices.size(), 8u);
}

TEST(TetGenText, CountsMustHold) {
  const std::string nodes = numbered_rows(cube_vertices, "");
  expect_refused("a.node", "7 3 0 0\n" + nodes, "expected the end of the file after 7 nodes");
  expect_refused("a.node", "9 3 0 0\n" + nodes, "expected 9 nodes, found 8");
  // Two records on a line are words, and none is lost.
  EXPECT_EQ(expect_mesh("a.node", "8 3 0 0\n" + replace_all(nodes, "0 0\n2", "0 0 2")).vertices.size(), 8u);
  expect_refused("a.node", "7 3 0 0\n" + replace_all(nodes, "0 0\n2", "0 0 2"), "");
  expect_refused("a.node", "8 3 0 0\n" + replace_all(nodes, "\n", " red\n"), "end of the line");
}

}  // namespace
}  // namespace clearance::test
