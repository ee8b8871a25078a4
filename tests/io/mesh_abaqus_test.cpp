// Meshes of Abaqus and CalculiX: elements, order of nodes, sets and surfaces.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/geometry/lagrange.h"
#include "io/mesh_test_support.h"
#include "support/abaqus_deck.h"

namespace clearance {
namespace {

using test::all_issues;

Result<Mesh> read_deck(const std::string& text, int dim = 3) {
  test::TemporaryFolder folder;
  test::write_text(folder / "part.inp", text);
  MeshReadOptions options;
  options.dim = dim;
  return read_mesh(folder / "part.inp", options);
}

const MeshGroup* find_group(const Mesh& mesh, const std::string& name, int dim) {
  const auto found = std::find_if(mesh.groups.begin(), mesh.groups.end(),
                                  [&](const MeshGroup& group) { return group.name == name && group.dim == dim; });
  return found == mesh.groups.end() ? nullptr : &*found;
}

/// Two tetrahedra above and below a triangle, as Abaqus writes parts.
const std::string two_tets = R"(*Heading
** made by hand
*Part, name=Bolt
*Node
 10, 0., 0., 0.
 20, 1., 0., 0.
 30, 0., 1., 0.
 40, 0., 0., 1.
 50, 0., 0., -1.
*Element, type=C3D4,
 elset=Upper
1, 10, 20, 30, 40
*ELEMENT, TYPE=C3D4H, ELSET="Lower half"
7, 10, 30, 20,
50
*Nset, nset=Foot, generate
 10, 50, 20
*Nset, nset=All
 Foot, 20, 40
*Elset, elset=Both
 Upper, lower HALF
*Surface, type=ELEMENT, name=Skin
 Upper, S2
 7, S3
*End Part
*Instance, name=Bolt-1, part=Bolt
*End Instance
*Material, name=Steel
*Elastic
210000., 0.3
)";

TEST(MeshAbaqus, HasElementsSetsAndSurfaces) {
  const Result<Mesh> mesh = read_deck(two_tets);
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  EXPECT_EQ(mesh->vertices.size(), 5u);
  EXPECT_EQ(mesh->tets, (std::vector<std::array<int, 4>>{{0, 1, 2, 3}, {0, 2, 1, 4}}));
  ASSERT_NE(find_group(*mesh, "Upper", 3), nullptr);
  EXPECT_EQ(find_group(*mesh, "Upper", 3)->elements, (std::vector<std::array<int, 4>>{{0, 1, 2, 3}}));
  ASSERT_NE(find_group(*mesh, "Lower half", 3), nullptr);
  ASSERT_NE(find_group(*mesh, "Both", 3), nullptr);
  EXPECT_EQ(find_group(*mesh, "Both", 3)->elements.size(), 2u);
  // Nodes 10, 30, 50 by a range, and those with two more.
  ASSERT_NE(find_group(*mesh, "Foot", 0), nullptr);
  EXPECT_EQ(find_group(*mesh, "Foot", 0)->elements,
            (std::vector<std::array<int, 4>>{{0, -1, -1, -1}, {2, -1, -1, -1}, {4, -1, -1, -1}}));
  EXPECT_EQ(find_group(*mesh, "All", 0)->elements.size(), 5u);
  // S2 has the corners 1, 4, 2 and S3 the corners 2, 4, 3.
  EXPECT_EQ(find_group(*mesh, "Skin", 2)->elements, (std::vector<std::array<int, 4>>{{0, 3, 1, -1}, {2, 4, 1, -1}}));
}

TEST(MeshAbaqus, NodesOfOrderTwoLieBetweenTheirCorners) {
  const std::vector<Vec<3>> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // C3D10: edges 12, 23, 31, 14, 24, 34.
  const std::vector<std::array<int, 2>> edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  std::string deck = "*NODE, NSET=NALL\n";
  int number = 0;
  for (const Vec<3>& x : corners) deck += fmt::format("{}, {}, {}, {}\n", ++number, x[0], x[1], x[2]);
  for (const auto& [a, b] : edges) {
    const Vec<3> x = 0.5 * (corners[a] + corners[b]);
    deck += fmt::format("{}, {}, {}, {}\n", ++number, x[0], x[1], x[2]);
  }
  deck += "*ELEMENT, TYPE=C3D10M, ELSET=EALL\n1, 1, 2, 3, 4, 5, 6, 7, 8,\n 9, 10\n";
  const Result<Mesh> mesh = read_deck(deck);
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  ASSERT_EQ(mesh->tets.size(), 1u);
  ASSERT_EQ(mesh->order_of_cell(0), 2);
  const std::vector<NodeIndex>& places = lagrange_nodes(3, 2);
  for (std::size_t k = 0; k < 10; ++k) {
    Vec<3> x = Vec<3>::Zero();
    for (std::size_t c = 0; c < 4; ++c) x += 0.5 * places[k][c] * corners[c];
    EXPECT_LT((mesh->vertices[mesh->nodes_of_cell(0)[k]] - x).norm(), 1e-15) << k;
  }
}

TEST(MeshAbaqus, ReadsShellsBeamsAndPlanes) {
  const std::string nodes = "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n5, 2, 0\n";
  const Result<Mesh> shell = read_deck(nodes +
                                       "*ELEMENT, TYPE=S4R, ELSET=Q\n1, 1, 2, 3, 4\n*ELEMENT, TYPE=S3\n2, 2, 5, 3\n"
                                       "*ELEMENT, TYPE=B31\n3, 4, 5\n*SURFACE, NAME=TOP\nQ, SPOS\n");
  ASSERT_TRUE(shell.has_value()) << all_issues(shell.issues());
  EXPECT_EQ(shell->triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}, {1, 4, 2}}));
  EXPECT_EQ(shell->edges, (std::vector<std::array<int, 2>>{{3, 4}}));
  EXPECT_EQ(find_group(*shell, "TOP", 2)->elements.size(), 2u);
  // All outer edges of an element counted as its side.
  const Result<Mesh> plane = read_deck(nodes + "*ELEMENT, TYPE=CPE3\n1, 1, 2, 3\n*SURFACE, NAME=SIDE\n1, S3\n", 2);
  ASSERT_TRUE(plane.has_value()) << all_issues(plane.issues());
  EXPECT_EQ(plane->triangles.size(), 1u);
  EXPECT_EQ(find_group(*plane, "SIDE", 1)->elements, (std::vector<std::array<int, 4>>{{2, 0, -1, -1}}));
}

/// Abaqus/CAE writes the area of each node behind its set, which counted as the number of a node.
TEST(MeshAbaqus, SurfacesOfNodesMayHaveAreas) {
  const Result<Mesh> mesh = read_deck(
      "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n*NSET, NSET=EDGE\n2, 3\n"
      "*SURFACE, TYPE=NODE, NAME=SLAVE\nEDGE, 1.\n1, 0.5\n");
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
}

TEST(MeshAbaqus, HexahedraAndWedgesOfOrderTwoFitTogether) {
  // A block whose sides bulge. Every inner face has two tetrahedra with the same six nodes; the nodes that the division
  // adds are in the middle of sides and elements.
  const auto bulge = [](const Vec<3>& x) {
    const Vec<3> y = 2.0 * x - Vec<3>::Ones();
    return Vec<3>(y * (1.0 - 0.1 * y.squaredNorm()));
  };
  for (const std::string type : {"C3D20", "C3D15"}) {
    const Result<Mesh> mesh = read_deck(test::abaqus_quadratic_block(type, {2, 3, 2}, bulge));
    ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
    EXPECT_EQ(mesh->tets.size(), (type == "C3D20" ? 6u : 2u * 3u) * 12u);
    std::map<std::vector<int>, int> faces;  // corners, then the nodes between them
    const auto& places = lagrange_nodes(3, 2);
    for (std::size_t cell = 0; cell < mesh->tets.size(); ++cell) {
      ASSERT_EQ(mesh->order_of_cell(cell), 2);
      for (std::size_t left_out = 0; left_out < 4; ++left_out) {
        std::vector<int> face;
        for (std::size_t k = 0; k < 10; ++k) {
          if (places[k][left_out] == 0) face.push_back(mesh->nodes_of_cell(cell)[k]);
        }
        std::sort(face.begin(), face.end());
        ++faces[face];
      }
    }
    const auto num_outer = std::count_if(faces.begin(), faces.end(), [](const auto& face) { return face.second == 1; });
    EXPECT_EQ(num_outer, 2 * 2 * (2 * 3 + 3 * 2 + 2 * 2)) << type;
    EXPECT_TRUE(std::all_of(faces.begin(), faces.end(), [](const auto& face) { return face.second <= 2; })) << type;
  }
}

TEST(MeshAbaqus, ShellsPlanesAndBeamsOfOrderTwoKeepTheirNodes) {
  const std::string nodes =
      "*NODE\n1, 0, 0\n2, 2, 0\n3, 2, 2\n4, 0, 2\n5, 1, 0\n6, 2, 1\n7, 1, 2\n8, 0, 1\n"
      "9, 3, 0\n10, 4, 0\n";
  const Result<Mesh> shell = read_deck(nodes +
                                       "*ELEMENT, TYPE=S8R, ELSET=Q\n1, 1, 2, 3, 4, 5, 6, 7, 8\n"
                                       "*ELEMENT, TYPE=B32\n2, 2, 9, 10\n");
  ASSERT_TRUE(shell.has_value()) << all_issues(shell.issues());
  double area = 0.0;
  for (const auto& [a, b, c] : shell->triangles) {
    const auto& x = shell->vertices;
    area += 0.5 * (x[b] - x[a]).cross(x[c] - x[a])[2];
  }
  EXPECT_EQ(shell->triangles.size(), 6u);
  EXPECT_DOUBLE_EQ(area, 4.0);
  EXPECT_EQ(shell->edges, (std::vector<std::array<int, 2>>{{1, 8}, {8, 9}}));
  const Result<Mesh> plane = read_deck(nodes + "*ELEMENT, TYPE=CPS8\n1, 1, 2, 3, 4, 5, 6, 7, 8\n", 2);
  ASSERT_TRUE(plane.has_value()) << all_issues(plane.issues());
  ASSERT_EQ(plane->triangles.size(), 2u);
  EXPECT_EQ(plane->order_of_cell(0), 2);
  EXPECT_EQ(plane->vertices[10], Vec<3>(1, 1, 0));
}

TEST(MeshAbaqus, InstancesArePlacedCopiesOfTheirParts) {
  // The second instance moves by 5 along x and then turns by 90 degrees about the z axis.
  const Result<Mesh> mesh = read_deck(R"(*Part, name=P
*Node
1, 1., 0., 0.
2, 2., 0., 0.
3, 1., 1., 0.
4, 1., 0., 1.
*Element, type=C3D4, elset=Body
1, 1, 2, 3, 4
*Nset, nset=Tip
2
*End Part
*Assembly, name=A
*Instance, name=P-1, part=P
*End Instance
*Instance, name=P-2, part=P
5., 0., 0.
0., 0., 0., 0., 0., 1., 90.
*End Instance
*Node
1, 9., 9., 9.
*Nset, nset=Tip, instance=P-2
2, 3
*Nset, nset=Both
P-1.Tip, P-2.4
*Elset, elset=_S_S1, internal, instance=P-2
1
*Surface, type=ELEMENT, name=S
_S_S1, S1
*End Assembly
)");
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  ASSERT_EQ(mesh->tets.size(), 2u);
  EXPECT_EQ(mesh->vertices[1], Vec<3>(2, 0, 0));
  EXPECT_LT((mesh->vertices[5] - Vec<3>(0, 7, 0)).norm(), 1e-14);
  using Elements = std::vector<std::array<int, 4>>;
  ASSERT_NE(find_group(*mesh, "P-2.Body", 3), nullptr);
  EXPECT_EQ(find_group(*mesh, "P-2.Body", 3)->elements, (Elements{{4, 5, 6, 7}}));
  EXPECT_EQ(find_group(*mesh, "P-1.Tip", 0)->elements, (Elements{{1, -1, -1, -1}}));
  EXPECT_EQ(find_group(*mesh, "Tip", 0)->elements, (Elements{{5, -1, -1, -1}, {6, -1, -1, -1}}));
  EXPECT_EQ(find_group(*mesh, "Both", 0)->elements, (Elements{{1, -1, -1, -1}, {7, -1, -1, -1}}));
  EXPECT_EQ(find_group(*mesh, "S", 2)->elements, (Elements{{4, 5, 6, -1}}));
}

TEST(MeshAbaqus, NamesLineAndRemedyOfMistakes) {
  struct Case {
    std::string text, place, message;
  };
  const std::string nodes = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n";
  const std::vector<Case> cases = {
      {nodes + "*ELEMENT, TYPE=C3D27\n", "line 6", "this is type C3D27"},
      {nodes + "*ELEMENT, TYPE=CAX3\n", "line 6", "expected solids"},
      {nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 9\n", "line 7", "expected the number of a node above"},
      {nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n*STEP\n", "line 7", "expected 4 nodes of this element, found 3"},
      {nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 1\n", "line 7", "expected 4 nodes of an element"},
      {nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n1, 1, 2, 3, 4\n", "line 8", "that no other element has"},
      {nodes + "4, 1, 1, 1\n", "line 6", "that no other node has"},
      {nodes + "5, 1, one, 1\n", "line 6", "expected a finite coordinate"},
      {nodes + "*NSET\n1\n", "line 6", "expected the name of a set"},
      {nodes + "*NSET, NSET=A\n1, B\n", "line 7", "the name of a set above"},
      {nodes + "*NSET, NSET=A, GENERATE\n5, 9, 1\n", "line 7", "expected a range of numbers that are in the file"},
      {nodes + "*INCLUDE, INPUT=nowhere.inp\n", "line 6", "cannot include it: file not found"},
      {nodes + "*NGEN\n1, 4, 1\n", "line 6", "expected nodes and elements in full"},
      {"*PART, NAME=A\n*END PART\n*PART, NAME=B\n" + nodes, "line 3", "expected one part"},
      {nodes + "*INSTANCE, NAME=I, PART=P\n0, 0, 5\n", "line 6", "expected the name of a *PART"},
      {"*HEADING\nnothing\n", "", "expected the keyword *NODE"},
  };
  for (const Case& each : cases) {
    const Result<Mesh> mesh = read_deck(each.text);
    ASSERT_FALSE(mesh.has_value()) << each.text;
    EXPECT_NE(to_string(mesh.issues()[0]).find(each.message), std::string::npos) << to_string(mesh.issues()[0]);
    EXPECT_NE(to_string(mesh.issues()[0]).find(each.place), std::string::npos) << to_string(mesh.issues()[0]);
  }
}

}  // namespace
}  // namespace clearance
