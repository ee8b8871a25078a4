// .off: headers of all kinds, words on any lines, counts that hold.
#include <gtest/gtest.h>

#include "io_mesh/text_samples.h"

namespace clearance::test {
namespace {

const std::string vertices = rows(cube_vertices, "");
const std::string faces = rows(cube_triangles, "3 ");
const std::string body = vertices + faces;

std::string one_line(const std::string& text) {
  return replace_all(text, "\n", " ");
}

/// Returns the vertices with so many numbers behind each.
std::string vertices_with(const std::string& columns) {
  return replace_all(vertices, "\n", " " + columns + "\n");
}

TEST(OffHeader, AllCountsMayBeJoinedToTheWord) {
  for (const char* header : {"OFF8 12 0\n", "OFF8 12\n", "off8 12 0\n", "OFF8\n12\n0\n", "\t  OFF8 12 18 # or nah\n"}) {
    SCOPED_TRACE(header);
    expect_cube(expect_mesh("a.off", header + body));
  }
}

TEST(OffHeader, WordsInAnyCase) {
  for (const char* word : {"OFF", "off", "Off", "COFF", "coff", "NOFF", "noff", "STOFF", "CNOFF", "STCNOFF"}) {
    SCOPED_TRACE(word);
    expect_cube(expect_mesh("a.off", word + ("\n8 12 0\n" + body)));
    expect_cube(expect_mesh("a.off", word + ("8 12 0\n" + body)));
  }
}

TEST(OffHeader, AMarkCommentsAndNoWordAtAll) {
  expect_cube(expect_mesh("a.off", "\xEF\xBB\xBFOFF\n8 12 0\n" + body));
  expect_cube(expect_mesh("a.off", "# made by hand\n\nOFF # word\n# counts\n8 12 0 # edges\n\n" + body + "# end\n"));
  expect_cube(expect_mesh("a.off", "8 12 0\n" + body));
  expect_cube(expect_mesh("a.off", "8 12\n" + body));
}

TEST(OffHeader, OtherVariantsAreRefusedByName) {
  for (const char* word : {"4OFF", "nOFF", "4nOFF", "C4OFF", "STN4OFF"}) {
    const auto mesh = read_text_mesh("a.off", word + ("\n8 12 0\n" + body));
    ASSERT_FALSE(mesh.has_value());
    EXPECT_EQ(mesh.issues()[0].value, word);
    EXPECT_NE(mesh.issues()[0].message.find("three dimensions"), std::string::npos);
  }
  expect_refused("a.off", "OFF BINARY\n8 12 0\n" + body, "ASCII");
  expect_refused("a.off", "off binary\n8 12 0\n" + body, "ASCII");
  expect_refused("a.off", "OFFSET\n8 12 0\n" + body, "numbers of vertices and faces");
  expect_refused("a.off", "hello\n8 12 0\n" + body, "expected OFF");
}

TEST(OffText, AllInOneLine) {
  expect_cube(expect_mesh("a.off", one_line("OFF\n8 12 0\n" + body)));
  expect_cube(expect_mesh("a.off", one_line("OFF8 12 18\n" + body)));
  expect_cube(expect_mesh("a.off", "OFF\n8 12\n" + one_line(body)));  // without the number of edges
  expect_cube(expect_mesh("a.off", one_line("OFF\n8 12\n" + body)));
  expect_cube(expect_mesh("a.off", "OFF\n8 12 0\n" + one_line(body)));
  expect_cube(expect_mesh("a.off", "OFF\n8 12 0\n" + one_line(vertices) + "\n" + one_line(faces)));
}

TEST(OffText, AWordALine) {
  expect_cube(expect_mesh("a.off", replace_all(one_line("OFF\n8 12 0\n" + body), " ", "\n")));
  expect_cube(expect_mesh("a.off", replace_all(one_line("OFF8 12 0\n" + body), " ", "\r")));
}

TEST(OffText, FurtherColumnsOfVerticesInLinesAndInWords) {
  expect_cube(expect_mesh("a.off", "COFF\n8 12 0\n" + vertices_with("1 0 0") + faces));
  expect_cube(expect_mesh("a.off", "COFF\n8 12 0\n" + vertices_with("255 0 0 255") + faces));
  expect_cube(expect_mesh("a.off", "OFF\n8 12 0\n" + vertices_with("0.1 0.2 0.3") + faces));
  expect_cube(expect_mesh("a.off", one_line("COFF\n8 12 0\n" + vertices_with("1 0 0") + faces)));
  expect_cube(expect_mesh("a.off", one_line("COFF\n8 12 0\n" + vertices_with("1 0 0 1") + faces)));
  expect_cube(expect_mesh("a.off", one_line("NOFF\n8 12 0\n" + vertices_with("0 0 1") + faces)));
  expect_cube(expect_mesh("a.off", one_line("STNOFF\n8 12 0\n" + vertices_with("0 0 1 0.5 0.5") + faces)));
}

TEST(OffText, ColoursOfFacesInLines) {
  for (const char* colour : {"7", "1 0 0", "0.1 0.2 0.3 1"}) {
    const std::string coloured = replace_all(faces, "\n", " " + std::string(colour) + "\n");
    expect_cube(expect_mesh("a.off", "OFF\n8 12 0\n" + vertices + coloured));
  }
}

TEST(OffText, CountsMustHold) {
  expect_refused("a.off", "OFF\n8 11 0\n" + body, "end of the file after 8 vertices and 11 faces");
  expect_refused("a.off", "OFF\n8 13 0\n" + body, "expected 13 faces, found 12");
  expect_refused("a.off", "OFF\n7 12 0\n" + body, "");
  expect_refused("a.off", "OFF\n9 12 0\n" + body, "");
  expect_refused("a.off", "OFF\n8 6 0\n" + vertices + one_line(faces), "");
  // Two faces on a line are words, and none is lost.
  const std::string joined = replace_all(body, "3 0 3 1\n3 1 3 7\n", "3 0 3 1 3 1 3 7\n");
  expect_cube(expect_mesh("a.off", "OFF\n8 12 0\n" + joined));
}

TEST(OffText, WordsThatAreNoNumbersAreErrors) {
  expect_refused("a.off", "OFF\n8 12 0\n" + vertices_with("red") + faces, "end of the line");
  expect_refused("a.off", "OFF\n8 12 0\n" + replace_all(body, "3 0 3 1\n", "3 0 3 1 red\n"), "end of the line");
  expect_refused("a.off", "OFF\n8 12 0\n" + replace_all(body, "3 0 3 1\n", "3 0 3 8\n"), "below 8");
}

}  // namespace
}  // namespace clearance::test
