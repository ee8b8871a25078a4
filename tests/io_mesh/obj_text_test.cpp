// .obj: no line that could be geometry is dropped.
#include <gtest/gtest.h>

#include "io_mesh/text_samples.h"

namespace clearance::test {
namespace {

std::string cube(const std::string& before = "", const std::string& between = "") {
  return before + rows(cube_vertices, "v ") + between + rows(cube_triangles, "f ", 1);
}

TEST(ObjText, AMarkAndAVertexMoreThanFacesUseShiftNothing) {
  const Mesh mesh = expect_mesh("a.obj", "\xEF\xBB\xBF" + cube("", "v 0.9 0.9 0.9\n"));
  ASSERT_EQ(mesh.vertices.size(), 9u);
  EXPECT_EQ(mesh.triangles, (std::vector<std::array<int, 3>>(cube_triangles.begin(), cube_triangles.end())));
  EXPECT_EQ(mesh.vertices[0], Vec<3>(0, 0, 0));
}

TEST(ObjText, KeywordsMayBeLargeLetters) {
  std::string text = cube("", "VN 0 0 1\nG a\n");
  for (const char* keyword : {"v ", "f "}) {
    text = replace_all(text, std::string("\n") + keyword, std::string("\n") + (keyword[0] == 'v' ? "V " : "F "));
  }
  expect_cube(expect_mesh("a.obj", text));
}

TEST(ObjText, LinesGoOnAfterABackslashThatBlanksFollow) {
  for (const char* joint : {" \\\n", "\\\n", " \\ \n", " \\\t \r\n", " \\\r", " \\ \r ", " \\\n\\\n"}) {
    SCOPED_TRACE(joint);
    std::string text = rows(cube_vertices, "v ");
    for (const auto& [a, b, c] : cube_triangles) {
      text += "f " + std::to_string(a + 1) + joint + " " + std::to_string(b + 1) + " " + std::to_string(c + 1) + "\n";
    }
    expect_cube(expect_mesh("a.obj", text));
  }
}

TEST(ObjText, VerticesGoOnAfterABackslash) {
  expect_cube(expect_mesh("a.obj", replace_all(cube(), "v 1 0 1\n", "v 1 \\ \n0 \\\r\n 1\n")));
}

TEST(ObjText, ABackslashAtTheEndOfTheFileIsAnError) {
  expect_refused("a.obj", cube() + "f 1 2 \\", "expected a vertex number");
  expect_refused("a.obj", cube() + "f 1 2 \\\n", "at least 3 vertices");
}

TEST(ObjText, NamesMayEndWithABackslash) {
  // The path of a folder does not swallow the first vertex; names over two lines are no keyword.
  expect_cube(expect_mesh("a.obj", cube("mtllib C:\\textures\\\n")));
  expect_cube(expect_mesh("a.obj", cube("g one two \\\n three four\n")));
}

TEST(ObjText, UnknownKeywordsAreAllNamed) {
  const auto mesh = read_text_mesh("a.obj", cube("x v 0 0 0\n", "vertex 1 2 3\nface 1 2 3\n"));
  ASSERT_FALSE(mesh.has_value());
  ASSERT_EQ(mesh.issues().size(), 3u);
  EXPECT_EQ(mesh.issues()[0].value, "x");
  EXPECT_EQ(mesh.issues()[1].value, "vertex");
  EXPECT_EQ(mesh.issues()[2].value, "face");
  EXPECT_EQ(mesh.issues()[0].place, "line 1");
}

TEST(ObjText, KnownKeywordsThatShapeNothingArePassedOver) {
  expect_cube(expect_mesh("a.obj", cube("o v\ng f 1\nusemtl l\nmtllib p\ns off\nlod 3\nbevel on\n",
                                        "vn nan -nan(ind) 1.#QNAN\nvt 0 1 0\nvp 0.1\ns 1\nend\n")));
}

TEST(ObjText, CurvedSurfacesAndOtherFilesAreRefusedByName) {
  for (const char* line : {"surf 0 1 0 1 1 2 3", "curv 0 1 1 2 3", "bsp 1 2 3 4", "call other.obj"}) {
    expect_refused("a.obj", cube() + line, "not supported");
  }
}

TEST(ObjText, GeometryThatLostItsLineBreakIsAnError) {
  expect_refused("a.obj", replace_all(cube(), "v 0 0 0\nv", "v 0 0 0 v"), "expected the end of the line");
  expect_refused("a.obj", replace_all(cube(), "f 1 4 2\nf", "f 1 4 2 f"), "expected a vertex number");
  expect_refused("a.obj", cube("", "vn 0 0 1 f 1 2 3\n"), "line break");
  expect_refused("a.obj", cube("", "vt 0 0 v 1 2 3\n"), "line break");
  expect_refused("a.obj", cube("s off v 1 2 3\n"), "line break");
}

TEST(ObjText, WeightsAndColoursOfVerticesAreRead) {
  for (const char* columns : {" 1\n", " 0.5 0.5 0.5\n", " 1 0.5 0.5 0.5\n", " 1 0.5 0.5 0.5 1\n"}) {
    std::string text;
    for (const auto& vertex : cube_vertices) {
      text += row_text(vertex, "v ");
      text.pop_back();
      text += columns;
    }
    expect_cube(expect_mesh("a.obj", text + rows(cube_triangles, "f ", 1)));
  }
}

TEST(ObjText, TheOldOutlineOfAFaceIsAFace) {
  expect_cube(expect_mesh("a.obj", rows(cube_vertices, "v ") + rows(cube_triangles, "fo ", 1)));
}

TEST(SegText, UnknownLinesAndFurtherWordsAreErrors) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 2 0 0\n";
  EXPECT_EQ(expect_mesh("a.seg", vertices + "S 1 2\nl 2 3\n").edges.size(), 2u);
  expect_refused("a.seg", vertices + "segment 1 2\n", "expected v");
  expect_refused("a.seg", vertices + "s 1 2 3\n", "end of the line");
  expect_refused("a.seg", vertices + "s 1 2 s 2 3\n", "end of the line");
  expect_refused("a.seg", "v 0 0 0 v 1 0 0\n" + vertices + "s 1 2\n", "end of the line");
}

}  // namespace
}  // namespace clearance::test
