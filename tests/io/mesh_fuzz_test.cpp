// Damaged files end in a valid mesh or in issues, never in a crash, a hang or a broken mesh.
#include <gtest/gtest.h>

#include <random>

#include "clearance/io/mesh/mesh_file.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/pvd.h"
#include "io/mesh_test_support.h"

namespace clearance::test {
namespace {

struct Seed {
  std::string extension;
  std::string bytes;
};

template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(T)};
}

/// Returns files that the writer makes of several meshes, and files in the binary formats made by hand.
std::vector<Seed> make_seeds() {
  const TemporaryFolder folder;
  std::vector<Seed> seeds;
  const auto add_written = [&](const std::string& extension, const Mesh& mesh, const MeshWriteOptions& options) {
    const auto path = folder / ("a" + extension);
    if (write_mesh(path, mesh, options).has_value()) seeds.push_back({extension, read_text(path)});
  };
  for (const bool has_tets : {false, true}) {
    for (const bool has_edges : {false, true}) {
      const Mesh mesh = make_mesh(has_tets, has_edges);
      for (const char* extension : {".msh", ".obj", ".ply", ".stl", ".off", ".vtu"}) add_written(extension, mesh, {});
      add_written(".msh", mesh, {GmshVersion::v2_2});
    }
  }
  for (const char* extension : {".msh", ".vtu"}) add_written(extension, make_curved_mesh(3, {2, 1}), {});
  add_written(".msh", make_curved_mesh(3, {1, 3}), {GmshVersion::v2_2});
  seeds.push_back({".obj", "v 0 0\nv 1 0 0 1\nv 0 1 0\nv 0 0 1\nf 1/1 2//1 3/1/1 -1\nl 1 2 \\\n 3\np 4\n"});
  seeds.push_back({".seg", "v 0 0 0\nv 1 0 0\nv 0 1 0\ns 1 2\ns 2 3\n"});
  seeds.push_back({".pt", "v 0 0 0\nv 1 0 0\n"});
  seeds.push_back({".off", "COFF 3 1 0\n0 0 0 1 1 1\n1 0 0 1 1 1\n0 1 0 1 1 1\n# c\n3 0 1 2 255 0 0\n"});
  seeds.push_back({".node", "3 2 0 1\n1 0 0 1\n2 1 0 1\n3 0 1 1\n"});
  seeds.push_back(
      {".inp",
       "*NODE, NSET=N\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2,\n"
       "3, 4\n*ELSET, ELSET=F\nE\n*NSET, NSET=M, GENERATE\n1, 3, 2\n*SURFACE, NAME=S, TYPE=ELEMENT\nE, S1\n"});
  seeds.push_back(
      {".usda",
       "#usda 1.0\n(\n metersPerUnit = 1\n)\ndef Xform \"a\" (kind = \"b\")\n{\n double3 xformOp:translate = (1, 2, "
       "3)\n"
       " uniform token[] xformOpOrder = [\"xformOp:translate\"]\n def Mesh \"m\" {\n  int[] faceVertexCounts = [3, 4]\n"
       "  int[] faceVertexIndices = [0, 1, 2, 0, 1, 3, 2]\n  point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, "
       "0, 1)]\n"
       "  point3f[] points.timeSamples = { 0: [(0, 0, 0)], }\n }\n def TetMesh \"t\" { int4[] tetVertexIndices = [(0, "
       "1, 2, 3)]\n"
       "  point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)] }\n}\n"});
  std::string stl(80, ' ');
  stl += raw<std::uint32_t>({1}) + raw<float>({0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}) + raw<std::uint16_t>({0});
  seeds.push_back({".stl", stl});
  for (const char* order : {"little", "big"}) {
    std::string ply = std::string("ply\nformat binary_") + order +
                      "_endian 1.0\nelement vertex 3\nproperty double x\nproperty float y\n" +
                      "element face 1\nproperty list uchar uchar vertex_indices\nelement edge 1\nproperty uchar "
                      "vertex1\nproperty uchar vertex2\nend_header\n";
    for (int v = 0; v < 3; ++v) ply += std::string(12, static_cast<char>(v));
    seeds.push_back({".ply", ply + raw<std::uint8_t>({3, 0, 1, 2, 0, 1})});
  }
  const std::string tet_points = raw<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  seeds.push_back({".msh", "$MeshFormat\n4.1 1 8\n" + raw({1}) + "\n$EndMeshFormat\n$Nodes\n" +
                               raw<std::uint64_t>({1, 4, 1, 4}) + raw({3, 1, 0}) + raw<std::uint64_t>({4, 1, 2, 3, 4}) +
                               tet_points + "\n$EndNodes\n$Elements\n" + raw<std::uint64_t>({1, 1, 1, 1}) +
                               raw({3, 1, 4}) + raw<std::uint64_t>({1, 1, 1, 2, 3, 4}) + "\n$EndElements\n"});
  std::string gmsh = "$MeshFormat\n2.2 1 8\n" + raw({1}) + "\n$EndMeshFormat\n$Nodes\n2\n";
  for (int v = 1; v < 3; ++v) gmsh += raw({v}) + raw<double>({1.0 * v, 0, 0});
  seeds.push_back({".msh", gmsh + "\n$EndNodes\n$Elements\n1\n" + raw({1, 1, 2, 1, 0, 0, 1, 2}) + "\n$EndElements\n"});
  seeds.push_back(
      {".msh",
       "$Nodes\n1 4\n\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1 1\n\n1 1 2 3 4\n$EndElements\n"});
  const std::string vtk = "# vtk DataFile Version 4.2\nt\n";
  seeds.push_back(
      {".vtk",
       vtk +
           "ASCII\nDATASET UNSTRUCTURED_GRID\nFIELD F 1\nT 1 1 double\n0.5\nPOINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\n"
           "CELLS 2 7\n4 0 1 2 3\n1 0\nCELL_TYPES 2\n10\n1\n"});
  seeds.push_back({".vtk", vtk + "BINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 2 float\n" + std::string(24, '\0') +
                               "\nCELLS 2 2\nOFFSETS vtktypeint64\n" + std::string(15, '\0') +
                               "\2\nCONNECTIVITY vtktypeint64\n" + std::string(15, '\0') + "\1\nCELL_TYPES 1\n" +
                               std::string(3, '\0') + "\3"});
  const std::string arrays =
      "<VTKFile type=\"UnstructuredGrid\" compressor=\"\"><UnstructuredGrid><Piece NumberOfPoints=\"2\" "
      "NumberOfCells=\"1\"><Points>"
      "<DataArray type=\"Float32\" NumberOfComponents=\"3\" "
      "format=\"binary\">GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==</DataArray></Points><Cells>"
      "<DataArray type=\"Int32\" Name=\"connectivity\">0 1</DataArray><DataArray type=\"Int32\" "
      "Name=\"offsets\">2</DataArray>"
      "<DataArray type=\"UInt8\" Name=\"types\">3</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
  seeds.push_back({".vtu", arrays});
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string bytes) {
    for (std::size_t k = pick(4) + 1; k > 0; --k) mutate_once(bytes);
    return bytes;
  }

 private:
  std::size_t pick(std::size_t below) { return below == 0 ? 0 : random_() % below; }

  void mutate_once(std::string& bytes) {
    static const char* const words[] = {"-1",         "0",          "1e999", "nan",     "99999999999999999999",
                                        "4294967295", "2147483648", "$End",  "\n",      "</>",
                                        "<",          "\"",         "\\\n",  "3000000", " ",
                                        "-"};
    const std::size_t at = pick(bytes.size() + 1);
    const std::size_t length = std::min(pick(20), bytes.size() - at);
    switch (pick(7)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.insert(at, 1, static_cast<char>(random_()));
        break;
      case 2:
        bytes.insert(at, words[pick(std::size(words))]);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(pick(bytes.size() + 1), bytes.substr(at, length));
        break;
      case 5:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
        break;
      default:
        replace_number(bytes, at, words[pick(8)]);
        break;
    }
  }

  /// Replaces the next digits in the text by another number.
  static void replace_number(std::string& bytes, std::size_t at, const char* word) {
    const std::size_t begin = bytes.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(bytes.find_first_not_of("0123456789", begin), bytes.size());
    bytes.replace(begin, end - begin, word);
  }

  std::mt19937 random_;
};

unsigned num_rounds() {
  const char* text = std::getenv("CLEARANCE_FUZZ_SEEDS");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 40;
}

template <class T>
void expect_reasons(const Result<T>& result, const std::filesystem::path& path) {
  EXPECT_LE(result.issues().size(), max_mesh_issues);
  EXPECT_FALSE(result.issues().empty());
  for (const Issue& issue : result.issues()) {
    EXPECT_EQ(issue.file, path.string());
    EXPECT_FALSE(issue.message.empty());
  }
}

TEST(MeshFuzz, SeedsAreGoodFiles) {
  const TemporaryFolder folder;
  for (const Seed& seed : make_seeds()) {
    const auto path = folder / ("a" + seed.extension);
    write_text(path, seed.bytes);
    const auto mesh = read_mesh(path);
    ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues()) << seed.bytes;
    EXPECT_EQ(find_fault(*mesh), "");
  }
}

TEST(MeshFuzz, DamagedFilesEndInAValidMeshOrInIssues) {
  const TemporaryFolder folder;
  const std::vector<Seed> seeds = make_seeds();
  int num_valid = 0;
  int num_refused = 0;
  for (unsigned round = 0; round < num_rounds(); ++round) {
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      SCOPED_TRACE("round " + std::to_string(round) + " seed " + std::to_string(s) + " " + seeds[s].extension);
      const auto path = folder / ("a" + seeds[s].extension);
      write_text(path, Mutator(1000 * round + static_cast<unsigned>(s)).mutate(seeds[s].bytes));
      const auto mesh = read_mesh(path);
      if (mesh.has_value()) {
        ASSERT_EQ(find_fault(*mesh), "");
      } else {
        expect_reasons(mesh, path);
      }
      ++(mesh.has_value() ? num_valid : num_refused);
    }
  }
  // Valid and refused files must both be common, or the damage tests nothing.
  EXPECT_GT(num_valid, num_refused / 20);
  EXPECT_GT(num_refused, num_valid / 20);
}

TEST(MeshFuzz, DamagedFramesAndListsEndInAResult) {
  const TemporaryFolder folder;
  Frame frame;
  frame.mesh = make_mesh(true, true);
  frame.velocity.resize(frame.mesh.vertices.size(), Vec<3>::Ones());
  frame.cell_body = {0, 1, 2, 3, 4, 5};
  frame.cell_is_obstacle = {0, 1, 0, 1, 0, 1};
  ASSERT_TRUE(write_frame(folder / "a.vtu", frame).has_value());
  ASSERT_TRUE(write_pvd(folder / "a.pvd", {{0.0, "a"}, {0.5, "b&c"}}).has_value());
  const std::string frame_bytes = read_text(folder / "a.vtu");
  const std::string list_bytes = read_text(folder / "a.pvd");
  for (unsigned round = 0; round < 5 * num_rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Mutator mutator(round);
    write_text(folder / "a.vtu", mutator.mutate(frame_bytes));
    const auto read = read_frame(folder / "a.vtu");
    if (!read.has_value()) {
      expect_reasons(read, folder / "a.vtu");
    } else {
      const auto num_cells =
          read->mesh.tets.size() + read->mesh.triangles.size() + read->mesh.edges.size() + read->mesh.points.size();
      if (!read->mesh.vertices.empty()) {
        EXPECT_EQ(find_fault(read->mesh), "");
      }
      if (!read->velocity.empty()) {
        EXPECT_EQ(read->velocity.size(), read->mesh.vertices.size());
      }
      if (!read->cell_body.empty()) {
        EXPECT_EQ(read->cell_body.size(), num_cells);
      }
    }
    write_text(folder / "a.pvd", mutator.mutate(list_bytes));
    const auto list = read_pvd(folder / "a.pvd");
    if (!list.has_value()) expect_reasons(list, folder / "a.pvd");
  }
}

}  // namespace
}  // namespace clearance::test
