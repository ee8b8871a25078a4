// .stl: text is read by its words, binary files may hold more than triangles, and counts must hold.
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <initializer_list>

#include "io_mesh/text_samples.h"

namespace clearance::test {
namespace {

const std::string facets = stl_facets();

std::string one_line(const std::string& text) {
  return replace_all(text, "\n", " ");
}

TEST(StlText, AllInOneLine) {
  for (const char* name : {"", "cube", "a b  facet", "my solid part"}) {
    SCOPED_TRACE(name);
    expect_cube(expect_mesh("a.stl", "solid " + std::string(name) + " " + one_line(facets) + "endsolid"));
    expect_cube(expect_mesh("a.stl", "solid " + std::string(name) + " " + one_line(facets) + "endsolid " + name));
  }
}

TEST(StlText, AWordALine) {
  expect_cube(expect_mesh("a.stl", "solid\n" + replace_all(one_line(facets), " ", "\n") + "endsolid\n"));
}

TEST(StlText, FacetsThatShareALineWithWhatIsBeforeThem) {
  expect_cube(expect_mesh("a.stl", "solid a\n" + replace_all(facets, "endfacet\n", "endfacet") + "\nendsolid a\n"));
  expect_cube(expect_mesh("a.stl", "solid a" + facets + "endsolid a\n"));
  expect_cube(expect_mesh("a.stl", "solid a\n" + replace_all(facets, "outer loop\n", "outer loop") + "endsolid a\n"));
  const std::size_t last = facets.rfind(" facet");
  expect_cube(expect_mesh("a.stl", "solid a\n" + facets.substr(0, last) + one_line(facets.substr(last)) + "endsolid"));
}

TEST(StlText, LettersBlanksAndMarksBeforeSolid) {
  std::string large = "solid a\n" + facets + "endsolid a\n";
  for (char& c : large) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  expect_cube(expect_mesh("a.stl", large));
  expect_cube(expect_mesh("a.stl", "\n \r\n\tsolid a\n" + facets + "endsolid a\n"));
  expect_cube(expect_mesh("a.stl", "\xEF\xBB\xBFsolid a\n" + facets + "endsolid a\n"));
  expect_cube(expect_mesh("a.stl", "\xEF\xBB\xBF\n\nsolid w\xC3\xBCrfel\n" + facets + "endsolid w\xC3\xBCrfel\n"));
}

TEST(StlText, SeveralSolidsAndWordsApart) {
  const std::size_t half = facets.find(" facet", facets.size() / 2);
  const std::string first = facets.substr(0, half), second = facets.substr(half);
  expect_cube(expect_mesh("a.stl", "solid a\n" + first + "endsolid a\nsolid b\n" + second + "endsolid b\n"));
  expect_cube(
      expect_mesh("a.stl", "solid a " + one_line(first) + "endsolid a solid b " + one_line(second) + "endsolid"));
  std::string apart = replace_all(replace_all(facets, "endloop", "end loop"), "endfacet", "end facet");
  expect_cube(expect_mesh("a.stl", "solid a\n" + apart + "end solid\n"));
}

TEST(StlText, WithoutEndsolidOnlyAClosedSurfaceIsWhole) {
  expect_cube(expect_mesh("a.stl", "solid a\n" + facets));
  const std::string open = facets.substr(0, facets.rfind(" facet"));
  EXPECT_EQ(expect_mesh("a.stl", "solid a\n" + open + "endsolid\n").triangles.size(), 11u);
  expect_refused("a.stl", "solid a\n" + open, "seems to be cut off");
}

TEST(StlText, AFileThatEndsWithinAFacetIsCut) {
  const std::string text = "solid a\n" + facets;
  for (std::size_t length = text.rfind(" facet") + 7; length < text.rfind("endfacet") + 8; ++length) {
    const auto mesh = read_text_mesh("a.stl", text.substr(0, length));
    EXPECT_FALSE(mesh.has_value()) << text.substr(length);
  }
  expect_refused("a.stl", "solid a\n facet normal 0 0 0\r\n  outer loop\r", "cut off");
}

TEST(StlText, WhatIsNoFacetIsAnError) {
  expect_refused("a.stl", "solid a\n" + facets + "endsolid\n" + facets, "expected solid");
  expect_refused("a.stl", "solid a\n" + replace_all(facets, "endfacet", "") + "endsolid\n", "expected endfacet");
  expect_refused("a.stl", "solid a\n" + replace_all(facets, "normal", "") + "endsolid\n", "expected normal");
  expect_refused("a.stl", "solid a\n" + replace_all(facets, "0 0 1\n", "0 0\n") + "endsolid\n",
                 "expected a coordinate");
  expect_refused("a.stl", "solid a\n" + replace_all(facets, "0 0 1\n", "0 0 1 1\n") + "endsolid\n", "expected endloop");
  expect_refused("a.stl", "solid a vertex 0 0 0\n" + facets + "endsolid\n", "expected a line break");
}

TEST(StlText, ProblemsOfSeveralFacetsAreAllTold) {
  const auto mesh =
      read_text_mesh("a.stl", "solid a\n" + replace_all(facets, "vertex 0 0 1\n", "vertex 0 0 x\n") + "endsolid\n");
  ASSERT_FALSE(mesh.has_value());
  // Four facets have this corner.
  ASSERT_EQ(mesh.issues().size(), 3u);
  EXPECT_NE(mesh.issues()[2].message.find("there is 1 more like this"), std::string::npos) << mesh.issues()[2].message;
}

// ---- binary files

class BinaryStl {
 public:
  explicit BinaryStl(std::string header = "binary cube", std::uint32_t count = 12) {
    header.resize(80, ' ');
    bytes = header;
    add(count);
  }
  template <class T>
  BinaryStl& add(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
    return *this;
  }
  BinaryStl& add_cube(std::uint16_t attribute = 0, const std::string& payload = "", float normal = 0.0F) {
    for (const auto& triangle : cube_triangles) {
      for (const float n : {0.0F, 0.0F, normal}) add(n);
      for (const int v : triangle) {
        for (const int c : cube_vertices[v]) add(static_cast<float>(c));
      }
      add(attribute);
      bytes += payload;
    }
    return *this;
  }
  std::string with(const std::string& behind) const { return bytes + behind; }

  std::string bytes;
};

TEST(StlBinary, BytesBehindTheTrianglesAreNoGeometry) {
  std::string noise;
  for (int i = 0; i < 300; ++i) noise += static_cast<char>(i * 37 + 11);
  for (const std::string& behind :
       {std::string(1, '\n'), std::string("\r\n"), std::string(512, '\0'), std::string(100, '\0'), std::string(50, ' '),
        std::string(60, '\xFF'), noise, "made by a program that adds a note of its own: colour=1, unit=mm\n" + noise}) {
    for (const char* header : {"binary", "solid cube", "solid"}) {
      expect_cube(expect_mesh("a.stl", BinaryStl(header).add_cube().with(behind)));
    }
  }
}

TEST(StlBinary, HeadersMayStartWithSolid) {
  for (const char* header : {"solid", "SOLID a", "solid facet normal 0 0 0", "\xEF\xBB\xBFsolid", "\nsolid"}) {
    expect_cube(expect_mesh("a.stl", BinaryStl(header).add_cube().bytes));
  }
}

TEST(StlBinary, AttributesAreLengthsOnlyWhereTheyFit) {
  expect_cube(expect_mesh("a.stl", BinaryStl().add_cube(4, "abcd").bytes));
  expect_cube(expect_mesh("a.stl", BinaryStl("solid").add_cube(1, "x").bytes));
  expect_cube(expect_mesh("a.stl", BinaryStl().add_cube(50, std::string(50, 'y')).bytes));
  expect_cube(expect_mesh("a.stl", BinaryStl("COLOR=red").add_cube(0x8123).bytes));  // a colour
  expect_cube(expect_mesh("a.stl", BinaryStl().add_cube(0x7FFF).with(std::string(7, '\0'))));
}

TEST(StlBinary, CountsTooSmallAreErrors) {
  for (const std::uint32_t count : {0U, 1U, 10U, 11U}) {
    for (const float normal : {0.0F, 1.0F}) {
      expect_refused("a.stl", BinaryStl("x", count).add_cube(0, "", normal).bytes,
                     std::to_string(12 - count) + " more");
    }
  }
  expect_refused("a.stl", BinaryStl("solid", 11).add_cube().with("\n"), "1 more");
}

TEST(StlBinary, CutFilesAreErrors) {
  for (const char* header : {"binary", "solid"}) {
    const std::string bytes = BinaryStl(header).add_cube(4, "abcd").bytes;
    for (const std::size_t length : {84UL, 100UL, 384UL, 634UL, 683UL}) {
      const auto mesh = read_text_mesh("a.stl", bytes.substr(0, length));
      ASSERT_FALSE(mesh.has_value()) << length;
      EXPECT_NE(all_issues(mesh.issues()).find("cut off"), std::string::npos) << all_issues(mesh.issues());
    }
  }
  // Attributes are lengths here: the remaining bytes are not taken for triangles in other places.
  const std::string bytes = BinaryStl().add_cube(4, "abcd").bytes;
  for (std::size_t length = 684; length < bytes.size(); ++length) {
    expect_refused("a.stl", bytes.substr(0, length), "cut off");
  }
  expect_refused("a.stl", BinaryStl("x", 13).add_cube().bytes, "734 bytes");
}

TEST(StlBinary, ASecondFileBehindTheFirstIsAnError) {
  const std::string one = BinaryStl().add_cube().bytes;
  expect_refused("a.stl", one + one, "a second one");
}

}  // namespace
}  // namespace clearance::test
