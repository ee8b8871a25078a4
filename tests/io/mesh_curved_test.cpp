// Curved cells in and out: all formats and orders bit for bit, boundaries left out, broken files reported.
#include <gtest/gtest.h>

#include <cstring>

#include "clearance/geometry/curved_cells.h"
#include "clearance/io/mesh/gmsh_elements.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/io/mesh/vtu.h"
#include "geometry/curved_cell_support.h"
#include "io/mesh_test_support.h"

namespace clearance::test {
namespace {

Mesh read_good(const std::filesystem::path& path, int dim = 3) {
  const auto read = read_mesh(path, {dim});
  EXPECT_TRUE(read.has_value()) << all_issues(read.issues());
  return read.has_value() ? *read : Mesh{};
}

Mesh round_trip(const std::string& name, const Mesh& mesh, const MeshWriteOptions& options = {}) {
  const TemporaryFolder folder;
  const auto written = write_mesh(folder / name, mesh, options);
  EXPECT_TRUE(written.has_value()) << all_issues(written.issues());
  return read_good(folder / name, mesh.dim);
}

/// Returns meshes of one order, and of any two.
std::vector<Mesh> all_curved_meshes(int dim) {
  std::vector<Mesh> meshes;
  for (int first = 1; first <= max_order; ++first) {
    for (int second = 1; second <= max_order; ++second) meshes.push_back(make_curved_mesh(dim, {first, second}));
  }
  return meshes;
}

TEST(CurvedMesh, ComesBackBitForBitInOrder) {
  for (const int dim : {2, 3}) {
    for (const Mesh& mesh : all_curved_meshes(dim)) {
      SCOPED_TRACE(testing::Message() << dim << "D, orders " << mesh.order_of_cell(0) << " " << mesh.order_of_cell(1));
      EXPECT_EQ(find_fault(mesh), "");
      expect_same(round_trip("a.msh", mesh, {GmshVersion::v2_2}), mesh);
      expect_same(round_trip("a.msh", mesh, {GmshVersion::v4_1}), mesh);
      expect_same(round_trip("a.vtu", mesh), mesh);
    }
  }
}

TEST(CurvedMesh, BesideSurfacesSegmentsAndPointsComesBack) {
  Mesh mesh = make_curved_mesh(3, {4, 1});
  const int first = static_cast<int>(mesh.vertices.size());
  for (int k = 0; k < 6; ++k) mesh.vertices.emplace_back(10.0 + k, k * k, 0.5);
  mesh.triangles = {{first, first + 1, first + 2}};
  mesh.edges = {{first + 3, first + 4}};
  mesh.points = {first + 5};
  for (const char* name : {"a.msh", "a.vtu"}) expect_same(round_trip(name, mesh), mesh);
  expect_same(round_trip("a.msh", mesh, {GmshVersion::v2_2}), mesh);
}

TEST(CurvedMesh, OtherFormatsRefuseCurvedTriangles) {
  const TemporaryFolder folder;
  for (const char* name : {"a.obj", "a.ply", "a.off", "a.stl"}) {
    const auto written = write_mesh(folder / name, make_curved_mesh(2, {1, 3}));
    ASSERT_FALSE(written.has_value()) << name;
    EXPECT_EQ(written.issues()[0].message, "expected linear triangles: write curved ones to .msh or .vtu");
    EXPECT_FALSE(std::filesystem::exists(folder / name));
    EXPECT_FALSE(write_mesh(folder / name, make_curved_mesh(3, {2, 2})).has_value());
  }
}

TEST(CurvedMesh, WriterNamesWrongNodes) {
  const TemporaryFolder folder;
  Mesh mesh = make_curved_mesh(3, {2, 3});
  mesh.cell_nodes[12] = 1000;
  for (const char* name : {"a.msh", "a.vtu"}) {
    const auto written = write_mesh(folder / name, mesh);
    ASSERT_FALSE(written.has_value()) << name;
    EXPECT_EQ(written.issues()[0].value, "element 1: other first nodes than corners");
  }
  mesh = make_curved_mesh(3, {2, 3});
  mesh.first_cell_node.pop_back();
  EXPECT_FALSE(write_mesh(folder / "a.msh", mesh).has_value());
  Frame frame;
  frame.mesh = mesh;
  EXPECT_FALSE(write_frame(folder / "a.vtu", frame).has_value());
}

// ---- Gmsh, by an encoder of the test's own

/// Gmsh's numbers of order 2 follow its manual; those of higher orders are checked by the peers' meshes.
TEST(CurvedMesh, GmshNumbersOfKnownElements) {
  EXPECT_EQ(gmsh_nodes(3, 1), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(gmsh_nodes(3, 2), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 9, 8}));
  for (int order = 1; order <= max_order; ++order) {
    for (int a = 0; a < num_lagrange_nodes(2, order); ++a) {
      EXPECT_EQ(gmsh_nodes(2, order)[a], a);
    }
    std::vector<int> all = gmsh_nodes(3, order);
    std::sort(all.begin(), all.end());
    for (int a = 0; a < num_lagrange_nodes(3, order); ++a) EXPECT_EQ(all[a], a);
  }
  EXPECT_EQ(gmsh_type(3, 2), 11);
  EXPECT_EQ(gmsh_type(3, 3), 29);
  EXPECT_EQ(gmsh_type(3, 4), 30);
  EXPECT_EQ(gmsh_type(2, 2), 9);
  EXPECT_EQ(gmsh_type(2, 3), 21);
  EXPECT_EQ(gmsh_type(2, 4), 23);
  EXPECT_EQ(gmsh_element(30).num_nodes, 35);
}

struct GmshElements {
  int type, dim;
  std::vector<std::vector<int>> nodes;  ///< from 0, in Gmsh's order
};

class GmshText {
 public:
  GmshText(const char* version, bool is_binary, bool is_swapped)
      : version_(version),
        is_v2_(version[0] == '2'),
        is_v41_(version == std::string("4.1")),
        is_binary_(is_binary),
        is_swapped_(is_swapped) {}

  std::string write(const std::vector<Vec<3>>& vertices, const std::vector<GmshElements>& all) {
    bytes_ = "$MeshFormat\n" + version_ + (is_binary_ ? " 1 8\n" : " 0 8\n");
    if (is_binary_) put_int(1);
    bytes_ += "\n$EndMeshFormat\n";
    bytes_ += "$Nodes\n";
    is_v2_ ? put_count(vertices.size()) : put_header(1, vertices.size());
    if (!is_v2_) put_entity(3, 0, vertices.size());
    for (std::size_t v = 0; v < vertices.size() && is_v41_; ++v) put_tag(static_cast<int>(v));
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (!is_v41_) put_tag(static_cast<int>(v));
      for (const double x : vertices[v]) put_real(x);
      end_line();
    }
    bytes_ += "\n$EndNodes\n$Elements\n";
    std::size_t num_elements = 0;
    for (const GmshElements& some : all) num_elements += some.nodes.size();
    is_v2_ ? put_count(num_elements) : put_header(all.size(), num_elements);
    int number = 0;
    for (const GmshElements& some : all) {
      if (!is_v2_) put_entity(some.dim, some.type, some.nodes.size());
      for (const auto& nodes : some.nodes) {
        if (is_v2_ && is_binary_) put_ints({some.type, 1, 2});
        is_v41_ ? put_tag(number++) : put_int(++number);
        if (is_v2_ && !is_binary_) put_ints({some.type, 2});
        if (is_v2_) put_ints({7, 1});
        for (const int v : nodes) put_tag(v);
        end_line();
      }
    }
    return bytes_ + "\n$EndElements\n";
  }

 private:
  template <class T>
  void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (is_swapped_) std::reverse(std::begin(raw), std::end(raw));
    bytes_.append(raw, sizeof(T));
  }
  void put_int(int value) { is_binary_ ? put(value) : static_cast<void>(bytes_ += std::to_string(value) + " "); }
  void put_ints(std::initializer_list<int> values) {
    for (const int value : values) put_int(value);
  }
  void put_size(std::size_t value) {
    is_binary_ ? put(static_cast<std::uint64_t>(value)) : static_cast<void>(bytes_ += std::to_string(value) + " ");
  }
  void put_real(double value) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g ", value);
    is_binary_ ? put(value) : static_cast<void>(bytes_ += text);
  }
  /// Tags of vertices start at 11.
  void put_tag(int v) { is_v41_ ? put_size(static_cast<std::size_t>(v) + 11) : put_int(v + 11); }
  void put_count(std::size_t count) { bytes_ += std::to_string(count) + "\n"; }
  void put_header(std::size_t num_blocks, std::size_t num_things) {
    put_size(num_blocks);
    put_size(num_things);
    if (is_v41_) put_size(11);
    if (is_v41_) put_size(10 + num_things);
    end_line();
  }
  void put_entity(int dim, int type, std::size_t count) {
    is_v41_ ? put_ints({dim, 1, type}) : put_ints({1, dim, type});
    put_size(count);
    end_line();
  }
  void end_line() {
    if (!is_binary_) bytes_ += "\n";
  }

  std::string version_;
  bool is_v2_, is_v41_, is_binary_, is_swapped_;
  std::string bytes_;
};

struct Encoding {
  const char* version;
  bool is_binary, is_swapped;
};
constexpr Encoding encodings[] = {{"2.2", false, false}, {"2.2", true, false}, {"2.2", true, true},
                                  {"4", false, false},   {"4", true, false},   {"4.1", false, false},
                                  {"4.1", true, false},  {"4.1", true, true}};

std::vector<GmshElements> gmsh_elements_of(const Mesh& mesh) {
  std::vector<GmshElements> all;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const std::vector<int> ours = nodes_or_corners(mesh, cell);
    const int order = mesh.order_of_cell(cell);
    std::vector<int> nodes;
    for (const int a : gmsh_nodes(mesh.dim, order)) nodes.push_back(ours[a]);
    all.push_back({gmsh_type(mesh.dim, order), mesh.dim, {nodes}});
  }
  return all;
}

TEST(CurvedMesh, AllGmshVersionsAndEncodingsAreRead) {
  const TemporaryFolder folder;
  for (const auto& [version, is_binary, is_swapped] : encodings) {
    for (const int dim : {2, 3}) {
      for (const Mesh& mesh : all_curved_meshes(dim)) {
        SCOPED_TRACE(testing::Message() << version << (is_binary ? " binary " : " text ") << dim << "D, orders "
                                        << mesh.order_of_cell(0) << " " << mesh.order_of_cell(1));
        write_text(folder / "a.msh",
                   GmshText(version, is_binary, is_swapped).write(mesh.vertices, gmsh_elements_of(mesh)));
        Mesh read = read_good(folder / "a.msh", dim);
        // Version 2 has physical groups.
        for (const MeshGroup& group : read.groups) {
          EXPECT_EQ(group.number, 7);
          ASSERT_EQ(group.elements.size(), 2u);
          const std::vector<int> corners = nodes_or_corners(mesh, 1);
          for (std::size_t k = 0; k < 4; ++k) {
            EXPECT_EQ(group.elements[1][k], k <= static_cast<std::size_t>(dim) ? corners[k] : -1);
          }
        }
        EXPECT_EQ(read.groups.size(), version[0] == '2' ? 1u : 0u);
        expect_same(read, mesh);
      }
    }
  }
}

/// Returns the nodes of a face or edge of a cell in Gmsh's order, which on triangles and lines is: corners, edges,
/// inside.
std::vector<int> gmsh_nodes_between(const Mesh& mesh, std::size_t cell, const std::vector<std::size_t>& corners) {
  const int order = mesh.order_of_cell(cell);
  std::vector<int> nodes;
  if (corners.size() == 3) {
    for (const NodeIndex& of_face : lagrange_nodes(2, order)) {
      NodeIndex index{};
      for (std::size_t i = 0; i < 3; ++i) index[corners[i]] = of_face[i];
      nodes.push_back(mesh.nodes_of_cell(cell)[lagrange_node(mesh.dim, order, index)]);
    }
    return nodes;
  }
  std::vector<int> steps = {0, order};
  for (int k = 1; k < order; ++k) steps.push_back(k);
  for (const int k : steps) {
    NodeIndex index{};
    index[corners[0]] = order - k;
    index[corners[1]] = k;
    nodes.push_back(mesh.nodes_of_cell(cell)[lagrange_node(mesh.dim, order, index)]);
  }
  return nodes;
}

TEST(CurvedMesh, DescribedBoundariesAreLeftOut) {
  const TemporaryFolder folder;
  const int line_types[] = {0, 1, 8, 26, 27};
  for (const auto& [version, is_binary, is_swapped] : encodings) {
    for (const int dim : {2, 3}) {
      for (int order = 2; order <= max_order; ++order) {
        SCOPED_TRACE(testing::Message() << version << " " << dim << "D, order " << order);
        const Mesh mesh = make_curved_mesh(dim, {order, order});
        std::vector<GmshElements> all = {{15, 0, {{0}, {1}, {mesh.cell_nodes[6]}}},
                                         {line_types[order], 1, {gmsh_nodes_between(mesh, 0, {2, 1})}}};
        if (dim == 3) {
          all.push_back({gmsh_type(2, order),
                         2,
                         {gmsh_nodes_between(mesh, 1, {3, 1, 0}), gmsh_nodes_between(mesh, 0, {0, 1, 2})}});
        }
        for (GmshElements& solid : gmsh_elements_of(mesh)) all.push_back(std::move(solid));
        write_text(folder / "a.msh", GmshText(version, is_binary, is_swapped).write(mesh.vertices, all));
        const Mesh read = read_good(folder / "a.msh", dim);
        expect_same(read, mesh);
        if (dim == 3 && version[0] == '2') {
          ASSERT_EQ(read.groups.size(), 4u);
          EXPECT_EQ(read.groups[2].dim, 2);
          const auto& tet = mesh.tets[1];
          EXPECT_EQ(read.groups[2].elements[0], (std::array<int, 4>{tet[3], tet[1], tet[0], -1}));
        }
      }
    }
  }
}

TEST(CurvedMesh, CurvedSurfacesIn3dAreRefused) {
  const TemporaryFolder folder;
  for (int order = 2; order <= max_order; ++order) {
    const Mesh plane = make_curved_mesh(2, {order, order});
    write_text(folder / "a.msh", GmshText("4.1", false, false).write(plane.vertices, gmsh_elements_of(plane)));
    ASSERT_TRUE(write_mesh(folder / "a.vtu", plane).has_value());
    for (const char* name : {"a.msh", "a.vtu"}) {
      const auto read = read_mesh(folder / name);
      ASSERT_FALSE(read.has_value()) << name;
      EXPECT_EQ(read.issues()[0].place, "triangle 0");
      EXPECT_EQ(read.issues()[0].value, "2 triangles of order 2 to 4");
      EXPECT_EQ(read.issues()[0].message,
                "expected faces of tetrahedra: surfaces in 3D have triangles of order 1 only");
    }
  }
}

TEST(CurvedMesh, TetrahedraInThePlaneAreRefused) {
  const TemporaryFolder folder;
  for (int order = 1; order <= max_order; ++order) {
    const Mesh solid = make_curved_mesh(3, {order, order});
    ASSERT_TRUE(write_mesh(folder / "a.msh", solid).has_value());
    ASSERT_TRUE(write_mesh(folder / "a.vtu", solid).has_value());
    for (const char* name : {"a.msh", "a.vtu"}) EXPECT_FALSE(read_mesh(folder / name, {2}).has_value()) << name;
  }
}

TEST(CurvedMesh, CurvedLinesAloneHaveTheirCorners) {
  const TemporaryFolder folder;
  const std::vector<Vec<3>> vertices = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.2, 0}, {2, 0, 0}, {1.5, 0.2, 0}};
  write_text(folder / "a.msh", GmshText("4.1", true, false).write(vertices, {{8, 1, {{0, 1, 2}, {1, 3, 4}}}}));
  EXPECT_EQ(read_good(folder / "a.msh").edges, (Edges{{0, 1}, {1, 3}}));
}

TEST(CurvedMesh, UnsupportedGmshElementsAreNamed) {
  const TemporaryFolder folder;
  const Mesh mesh = make_curved_mesh(3, {2, 2});
  const std::pair<int, const char*> types[] = {{24, "type 24: incomplete 15-node triangle"},
                                               {20, "type 20: incomplete 9-node triangle"},
                                               {18, "type 18: incomplete 15-node prism"},
                                               {31, "type 31: tetrahedron of order 5"},
                                               {32, "type 32: incomplete 22-node tetrahedron"},
                                               {137, "type 137: incomplete 16-node tetrahedron"},
                                               {999, "type 999: unknown element"}};
  for (const auto& [type, name] : types) {
    for (const auto& [version, is_binary, is_swapped] : encodings) {
      write_text(folder / "a.msh",
                 GmshText(version, is_binary, is_swapped).write(mesh.vertices, {{type, 3, {{0, 1, 2, 3, 4}}}}));
      const auto read = read_mesh(folder / "a.msh");
      ASSERT_FALSE(read.has_value());
      EXPECT_EQ(read.issues()[0].value, std::string(name).substr(0, 40));
      EXPECT_EQ(read.issues()[0].message,
                "not supported (docs/limits.md); expected points, lines, triangles or tetrahedra, of order 1 to 4 with "
                "all nodes");
    }
  }
}

TEST(CurvedMesh, BrokenNodesAreNamedAndTruncatedFilesRefused) {
  const TemporaryFolder folder;
  for (const auto& [version, is_binary, is_swapped] : encodings) {
    for (const int dim : {2, 3}) {
      for (int order = 2; order <= max_order; ++order) {
        SCOPED_TRACE(testing::Message() << version << (is_binary ? " binary " : " text ") << dim << " " << order);
        const Mesh mesh = make_curved_mesh(dim, {order, order});
        GmshText text(version, is_binary, is_swapped);
        auto elements = gmsh_elements_of(mesh);
        const std::string good = text.write(mesh.vertices, elements);

        auto twice = elements;
        twice[1].nodes[0].back() = twice[1].nodes[0][4];
        write_text(folder / "a.msh", text.write(mesh.vertices, twice));
        auto read = read_mesh(folder / "a.msh", {dim});
        ASSERT_EQ(read.issues().size(), 1u);
        EXPECT_EQ(read.issues()[0].message, "expected every node of an element once");

        auto missing = elements;
        missing[0].nodes[0][5] = 5000;
        write_text(folder / "a.msh", text.write(mesh.vertices, missing));
        read = read_mesh(folder / "a.msh", {dim});
        ASSERT_EQ(read.issues().size(), 1u);
        EXPECT_EQ(read.issues()[0].value, "5011");
        EXPECT_EQ(read.issues()[0].message, "expected the tag of a node");

        // With too few nodes, everything after them is read as something else.
        auto few = elements;
        few[0].nodes[0].pop_back();
        write_text(folder / "a.msh", text.write(mesh.vertices, few));
        EXPECT_FALSE(read_mesh(folder / "a.msh", {dim}).has_value());

        for (std::size_t length = 0; order == 3 && length < good.size() - 13; length += 1 + length / 20) {
          // A file of nodes alone is a set of points.
          if (length >= good.find("$EndNodes") + 9 && length <= good.find("$Elements")) continue;
          write_text(folder / "a.msh", good.substr(0, length));
          ASSERT_FALSE(read_mesh(folder / "a.msh", {dim}).has_value()) << length << " of " << good.size() << " bytes";
        }
      }
    }
  }
}

// ---- grids of VTK

struct VtkCell {
  int type;
  std::vector<int> nodes;
};

std::string legacy_grid(const std::vector<Vec<3>>& points, const std::vector<VtkCell>& cells) {
  std::string text = "# vtk DataFile Version 4.2\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " +
                     std::to_string(points.size()) + " double\n";
  char line[100];
  for (const Vec<3>& p : points) {
    std::snprintf(line, sizeof(line), "%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    text += line;
  }
  std::size_t size = 0;
  std::string body, types;
  for (const VtkCell& cell : cells) {
    size += 1 + cell.nodes.size();
    body += std::to_string(cell.nodes.size());
    for (const int v : cell.nodes) body += " " + std::to_string(v);
    body += "\n";
    types += std::to_string(cell.type) + "\n";
  }
  return text + "CELLS " + std::to_string(cells.size()) + " " + std::to_string(size) + "\n" + body + "CELL_TYPES " +
         std::to_string(cells.size()) + "\n" + types;
}

std::string xml_grid(const std::vector<Vec<3>>& points, const std::vector<VtkCell>& cells) {
  std::string text = "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"" +
                     std::to_string(points.size()) + "\" NumberOfCells=\"" + std::to_string(cells.size()) +
                     "\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">";
  char line[100];
  for (const Vec<3>& p : points) {
    std::snprintf(line, sizeof(line), "%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    text += line;
  }
  std::string nodes, offsets, types;
  std::size_t offset = 0;
  for (const VtkCell& cell : cells) {
    for (const int v : cell.nodes) nodes += std::to_string(v) + " ";
    offsets += std::to_string(offset += cell.nodes.size()) + " ";
    types += std::to_string(cell.type) + " ";
  }
  const auto array = [](const char* name, const std::string& values) {
    return std::string("<DataArray type=\"Int32\" Name=\"") + name + "\">" + values + "</DataArray>";
  };
  return text + "</DataArray></Points><Cells>" + array("connectivity", nodes) + array("offsets", offsets) +
         array("types", types) + "</Cells></Piece></UnstructuredGrid></VTKFile>";
}

Result<Mesh> read_grid(const char* name, const std::vector<Vec<3>>& points, const std::vector<VtkCell>& cells,
                       int dim) {
  const TemporaryFolder folder;
  write_text(folder / name, name == std::string("a.vtk") ? legacy_grid(points, cells) : xml_grid(points, cells));
  return read_mesh(folder / name, {dim});
}

TEST(CurvedMesh, GridsOfOtherProgramsAreRead) {
  for (const char* name : {"a.vtk", "a.vtu"}) {
    for (const int dim : {2, 3}) {
      for (const Mesh& mesh : all_curved_meshes(dim)) {
        SCOPED_TRACE(testing::Message() << name << " " << dim << "D, orders " << mesh.order_of_cell(0) << " "
                                        << mesh.order_of_cell(1));
        for (const bool is_lagrange : {true, false}) {
          std::vector<VtkCell> cells;
          for (std::size_t c = 0; c < 2; ++c) {
            const int order = mesh.order_of_cell(c);
            int type = dim == 3 ? 71 : 69;
            if (!is_lagrange && order == 1) type = dim == 3 ? 10 : 5;
            if (!is_lagrange && order == 2) type = dim == 3 ? 24 : 22;
            cells.push_back({type, nodes_or_corners(mesh, c)});
            // A boundary
            if (order > 1) cells.push_back({68, gmsh_nodes_between(mesh, c, {0, 1})});
            if (order == 2) cells.push_back({21, gmsh_nodes_between(mesh, c, {1, 2})});
            if (order > 1 && dim == 3) cells.push_back({69, gmsh_nodes_between(mesh, c, {0, 1, 2})});
            if (order == 2 && dim == 3) cells.push_back({22, gmsh_nodes_between(mesh, c, {0, 1, 3})});
          }
          const auto read = read_grid(name, mesh.vertices, cells, dim);
          ASSERT_TRUE(read.has_value()) << all_issues(read.issues());
          expect_same(*read, mesh);
        }
      }
    }
  }
}

TEST(CurvedMesh, BrokenCellsOfGridsAreNamed) {
  const Mesh mesh = make_curved_mesh(3, {3, 4});
  const std::vector<int> nodes = nodes_or_corners(mesh, 1);
  const auto first = [&](std::size_t count) {
    return std::vector<int>(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
  };
  std::vector<int> twice = first(20), outside = first(20);
  twice[19] = twice[11];
  outside[19] = 5000;
  const struct {
    VtkCell cell;
    const char* message;
  } broken[] = {{{71, first(34)}, "expected 4, 10, 20 or 35 nodes for VTK cell type 71, found 34"},
                {{71, {}}, "expected 4, 10, 20 or 35 nodes for VTK cell type 71, found 0"},
                {{24, first(20)}, "expected 10 nodes for VTK cell type 24, found 20"},
                {{22, first(7)}, "expected 6 nodes for VTK cell type 22, found 7"},
                {{69, first(12)}, "expected 3, 6, 10 or 15 nodes for VTK cell type 69, found 12"},
                {{68, first(6)}, "expected 2, 3, 4 or 5 nodes for VTK cell type 68, found 6"},
                {{34, first(7)}, "VTK cells of type 34 are not supported"},
                {{71, twice}, "expected every node of an element once"},
                {{71, outside}, "expected a point index from 0, below"},
                {{22, {nodes.begin() + 1, nodes.begin() + 7}}, "expected faces of tetrahedra"}};
  for (const char* name : {"a.vtk", "a.vtu"}) {
    for (const auto& [cell, message] : broken) {
      if (cell.nodes.empty() && name == std::string("a.vtk")) continue;  // refused by its length already
      const auto read = read_grid(name, mesh.vertices, {{71, nodes_or_corners(mesh, 0)}, cell}, 3);
      ASSERT_FALSE(read.has_value()) << message;
      EXPECT_NE(read.issues()[0].message.find(message), std::string::npos) << all_issues(read.issues());
    }
  }
}

// ---- frames

TEST(CurvedMesh, FramesOfLinearAndCurvedBodiesComeBack) {
  const TemporaryFolder folder;
  for (const int dim : {2, 3}) {
    Frame frame;
    frame.mesh = make_curved_mesh(dim, {1, 3});
    Mesh& mesh = frame.mesh;
    const int first = static_cast<int>(mesh.vertices.size());
    for (int k = 0; k < 10; ++k) mesh.vertices.emplace_back(10.0 + k, k * k, dim == 3 ? 0.1 * k : 0.0);
    add_cell(mesh,
             dim == 3 ? std::vector{first, first + 1, first + 2, first + 3} : std::vector{first, first + 1, first + 2});
    if (dim == 3) mesh.triangles = {{first + 4, first + 5, first + 6}};
    mesh.edges = {{first + 7, first + 8}};
    mesh.points = {first + 9};
    ASSERT_EQ(find_fault(mesh), "");
    frame.cell_body = {0, 0, 1, 2, 3};
    if (dim == 3) frame.cell_body.push_back(4);
    frame.cell_is_obstacle.assign(frame.cell_body.size(), 0);
    frame.cell_is_obstacle[1] = 1;
    frame.velocity.assign(mesh.vertices.size(), Vec<3>(1, 2, 3));
    ASSERT_TRUE(write_frame(folder / "a.vtu", frame).has_value());
    const auto read = read_frame(folder / "a.vtu");
    ASSERT_TRUE(read.has_value()) << all_issues(read.issues());
    expect_same(read->mesh, mesh);
    EXPECT_EQ(read->cell_body, frame.cell_body);
    EXPECT_EQ(read->cell_is_obstacle, frame.cell_is_obstacle);
    // Read the types of the cells as written.
    const std::string bytes = read_text(folder / "a.vtu");
    const std::string types = dim == 3 ? std::string("\x0a\x47\x0a\x05\x03\x01") : std::string("\x05\x45\x05\x03\x01");
    EXPECT_NE(bytes.find(std::string(1, static_cast<char>(types.size())) + std::string(7, '\0') + types),
              std::string::npos);
  }
}

TEST(CurvedMesh, TruncatedFramesAreRefused) {
  const TemporaryFolder folder;
  Frame frame;
  frame.mesh = make_curved_mesh(3, {2, 4});
  ASSERT_TRUE(write_frame(folder / "a.vtu", frame).has_value());
  const std::string good = read_text(folder / "a.vtu");
  const std::size_t data_end = good.rfind("\n</AppendedData>");
  for (std::size_t length = 0; length < data_end; length += 1 + length / 60) {
    write_text(folder / "a.vtu", good.substr(0, length));
    ASSERT_FALSE(read_frame(folder / "a.vtu").has_value()) << length << " of " << data_end << " bytes";
  }
}

}  // namespace
}  // namespace clearance::test
