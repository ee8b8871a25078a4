// Frames: ours bit for bit, those of other programs in all encodings, broken ones with a reason.
#include "clearance/io/mesh/vtu.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <cmath>

#include <algorithm>
#include <cstring>

#include "clearance/io/result/pvd.h"
#include "io/mesh_test_support.h"

namespace clearance::test {
namespace {

Frame make_frame() {
  Frame frame;
  frame.mesh = make_mesh(true, true);
  for (std::size_t v = 0; v < frame.mesh.vertices.size(); ++v) {
    frame.velocity.emplace_back(0.1 * static_cast<double>(v), -0.0, 1e-310);
    frame.contact_force.emplace_back(1.0, 2.0 / 3.0, static_cast<double>(v));
  }
  frame.cell_body = {0, 1, 2, 3, 4, 5};
  frame.cell_is_obstacle = {0, 1, 0, 1, 0, 1};
  frame.time = 0.1 + 0.2;
  return frame;
}

void expect_same_frame(const Frame& a, const Frame& b) {
  expect_same(a.mesh, b.mesh);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.contact_force, b.contact_force);
  EXPECT_EQ(a.cell_body, b.cell_body);
  EXPECT_EQ(a.cell_is_obstacle, b.cell_is_obstacle);
  EXPECT_EQ(a.time, b.time);
}

Frame read_good(const std::filesystem::path& path) {
  auto frame = read_frame(path);
  EXPECT_TRUE(frame.has_value()) << all_issues(frame.issues());
  return frame.has_value() ? *frame : Frame{};
}

TEST(Frame, ComesBackBitForBit) {
  const TemporaryFolder folder;
  const Frame frame = make_frame();
  ASSERT_TRUE(write_frame(folder / "a.vtu", frame).has_value());
  expect_same_frame(read_good(folder / "a.vtu"), frame);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.vtu.tmp"));
}

TEST(Frame, OptionalArraysMayBeLeftOut) {
  const TemporaryFolder folder;
  Frame frame = make_frame();
  frame.contact_force.clear();
  frame.cell_body.clear();
  frame.mesh.dim = 2;
  ASSERT_TRUE(write_frame(folder / "a.vtu", frame).has_value());
  expect_same_frame(read_good(folder / "a.vtu"), frame);
}

TEST(Frame, EmptyFrameComesBackEmpty) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_frame(folder / "a.vtu", Frame{}).has_value());
  EXPECT_TRUE(read_good(folder / "a.vtu").mesh.vertices.empty());
}

TEST(Frame, WriterNamesWrongLengthsAndNumbers) {
  const TemporaryFolder folder;
  Frame frame = make_frame();
  frame.velocity.pop_back();
  frame.cell_body.push_back(0);
  frame.mesh.tets[0][1] = 77;
  frame.contact_force[0][0] = infinity;
  const auto written = write_frame(folder / "a.vtu", frame);
  ASSERT_EQ(written.issues().size(), 4u) << all_issues(written.issues());
  EXPECT_FALSE(std::filesystem::exists(folder / "a.vtu"));
}

// ---- grids of other programs
// ----------------------------------------------------------------------------------------------

std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

struct Encoding {
  bool is_appended = false;
  bool is_base64 = true;
  bool is_compressed = false;
  bool is_big = false;
  bool has_wide_header = false;
  bool has_separate_header = false;  ///< encoded apart from the data
};

/// Makes a grid with one tet, one line and one quad from arrays in an encoding.
class GridMaker {
 public:
  explicit GridMaker(const Encoding& encoding) : encoding_(encoding) {}

  std::string make() {
    const std::string points =
        add<float>("Points", "Float32", 3, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5, 6, 5, 5, 6, 6, 5, 5, 6, 5});
    const std::string velocity = add<double>("velocity", "Float64", 3, std::vector<double>(24, 0.1));
    const std::string cells = add<std::int64_t>("connectivity", "Int64", 1, {3, 4, 4, 5, 6, 7, 0, 1, 2, 3}) +
                              add<std::uint16_t>("offsets", "UInt16", 1, {2, 6, 10}) +
                              add<std::int8_t>("types", "Int8", 1, {3, 9, 10});
    const std::string body = add<std::int32_t>("body", "Int32", 1, {7, 8, 9});
    std::string text =
        "<?xml version=\"1.0\"?>\n<!-- <Piece> -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"";
    text += encoding_.is_big ? "BigEndian\"" : "LittleEndian\"";
    text += encoding_.has_wide_header ? " header_type=\"UInt64\"" : "";
    text += encoding_.is_compressed ? " compressor=\"vtkZLibDataCompressor\"" : "";
    text += ">\n<UnstructuredGrid>\n<Piece NumberOfPoints='8' NumberOfCells='3'>\n<PointData Vectors=\"velocity\">\n" +
            velocity;
    text += "</PointData>\n<CellData>" + body + "</CellData><Points>" + points + "</Points>\n<Cells>" + cells;
    text += "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
    if (encoding_.is_appended) {
      text += std::string("<AppendedData encoding=\"") + (encoding_.is_base64 ? "base64" : "raw") + "\">\n   _" +
              appended_ + "\n</AppendedData>\n";
    }
    return text + "</VTKFile>\n";
  }

 private:
  template <class T>
  std::string bytes_of(const std::vector<T>& values) const {
    std::string bytes;
    for (const T value : values) {
      char raw[sizeof(T)];
      std::memcpy(raw, &value, sizeof(T));
      if (encoding_.is_big) std::reverse(raw, raw + sizeof(T));
      bytes.append(raw, sizeof(T));
    }
    return bytes;
  }
  std::string lengths(const std::vector<std::uint64_t>& values) const {
    if (encoding_.has_wide_header) return bytes_of(values);
    return bytes_of(std::vector<std::uint32_t>(values.begin(), values.end()));
  }

  std::string compress_block(const std::string& block) const {
    std::string packed(compressBound(block.size()), '\0');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(block.data()),
             block.size());
    packed.resize(size);
    return packed;
  }

  template <class T>
  std::string add(const char* name, const char* type, int components, const std::vector<T>& values) {
    std::string data = bytes_of(values);
    std::string header = lengths({data.size()});
    if (encoding_.is_compressed) {
      // Blocks have 16 bytes, so that there are several; the last one may be shorter.
      std::vector<std::uint64_t> sizes{(data.size() + 15) / 16, 16, data.size() % 16};
      std::string packed;
      for (std::size_t i = 0; i < data.size(); i += 16) {
        const std::string block = compress_block(data.substr(i, 16));
        sizes.push_back(block.size());
        packed += block;
      }
      header = lengths(sizes);
      data = packed;
    }
    std::string content = header + data;
    if (encoding_.is_base64) {
      const bool is_apart = encoding_.has_separate_header || encoding_.is_compressed;
      content = is_apart ? base64(header) + base64(data) : base64(content);
    }
    std::string element = std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
                          std::to_string(components) + "\" format=\"";
    if (!encoding_.is_appended) return element + "binary\">\n" + content + "\n</DataArray>\n";
    element += "appended\" offset=\"" + std::to_string(appended_.size()) + "\"/>\n";
    appended_ += content;
    return element;
  }

  Encoding encoding_;
  std::string appended_;
};

void expect_grid(const Frame& frame) {
  EXPECT_EQ(frame.mesh.vertices.size(), 8u);
  EXPECT_EQ(frame.mesh.tets, (std::vector<std::array<int, 4>>{{0, 1, 2, 3}}));
  EXPECT_EQ(frame.mesh.triangles, (std::vector<std::array<int, 3>>{{4, 5, 6}, {4, 6, 7}}));
  EXPECT_EQ(frame.mesh.edges, (std::vector<std::array<int, 2>>{{3, 4}}));
  EXPECT_EQ(frame.cell_body, (std::vector<int>{9, 8, 8, 7}));  // in the order of simplices
  EXPECT_EQ(frame.velocity, std::vector<Vec<3>>(8, Vec<3>::Constant(0.1)));
}

TEST(Frame, GridsOfOtherProgramsInEveryBinaryEncoding) {
  const TemporaryFolder folder;
  for (int bits = 0; bits < 64; ++bits) {
    SCOPED_TRACE(bits);
    const Encoding encoding{(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                            (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0};
    if (!encoding.is_appended && !encoding.is_base64) continue;  // raw bytes between tags do not exist
    write_text(folder / "a.vtu", GridMaker(encoding).make());
    expect_grid(read_good(folder / "a.vtu"));
  }
}

const std::string ascii_begin =
    "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n<Points>"
    "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0\n1 0 0\n0 1 "
    "0\n</DataArray></Points>\n<Cells>"
    "<DataArray type=\"Int32\" Name=\"connectivity\">0 1 2</DataArray>\n<DataArray type=\"Int32\" "
    "Name=\"offsets\">3</DataArray>\n";
const std::string ascii_end = "</Cells></Piece></UnstructuredGrid></VTKFile>\n";
const std::string ascii_grid = ascii_begin + "<DataArray type=\"UInt8\" Name=\"types\">5</DataArray>\n" + ascii_end;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Frame, AsciiAndSeveralPieces) {
  const TemporaryFolder folder;
  write_text(folder / "a.vtu", ascii_grid);
  EXPECT_EQ(read_good(folder / "a.vtu").mesh.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}}));
  const std::size_t begin = ascii_grid.find("<Piece");
  const std::size_t end = ascii_grid.find("</UnstructuredGrid>");
  std::string two = ascii_grid;
  two.insert(end, ascii_grid.substr(begin, end - begin));
  write_text(folder / "a.vtu", two);
  EXPECT_EQ(read_good(folder / "a.vtu").mesh.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {3, 4, 5}}));
}

TEST(Frame, FurtherArraysComeBackWhereAllAreAskedFor) {
  const TemporaryFolder folder;
  Frame frame = make_frame();
  frame.point_arrays.push_back({"heat", 1, std::vector<double>(frame.mesh.vertices.size(), 0.1)});
  frame.cell_arrays.push_back({"flux", 3, {}});
  for (int i = 0; i < 18; ++i) frame.cell_arrays[0].values.push_back(1.0 / (i + 3));
  ASSERT_TRUE(write_frame(folder / "a.vtu", frame).has_value());
  const auto read = read_whole_frame(folder / "a.vtu");
  ASSERT_TRUE(read.has_value()) << all_issues(read.issues());
  expect_same_frame(*read, frame);
  ASSERT_EQ(read->point_arrays.size(), 1u);
  EXPECT_EQ(read->point_arrays[0].name, "heat");
  EXPECT_EQ(read->point_arrays[0].values, frame.point_arrays[0].values);
  ASSERT_EQ(read->cell_arrays.size(), 1u);
  EXPECT_EQ(read->cell_arrays[0].num_components, 3);
  EXPECT_EQ(read->cell_arrays[0].values, frame.cell_arrays[0].values);
  EXPECT_TRUE(read_good(folder / "a.vtu").cell_arrays.empty());

  // The cells are in another order than frames have them, some pieces lack arrays, and some lengths are wrong.
  const std::string piece =
      "<Piece NumberOfPoints=\"3\" NumberOfCells=\"2\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
      "format=\"ascii\">0 0 0 1 0 0 0 1 0</DataArray></Points><Cells><DataArray type=\"Int32\" "
      "Name=\"connectivity\">0 0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\">1 4</DataArray><DataArray "
      "type=\"UInt8\" Name=\"types\">1 5</DataArray></Cells><CellData><DataArray type=\"Float32\" Name=\"T\">7 8"
      "</DataArray></CellData></Piece>";
  const std::string other = replaced(piece, "Name=\"T\">7 8", "Name=\"T\">nan 9");
  const std::string begin = "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>",
                    end = "</UnstructuredGrid></VTKFile>";
  write_text(folder / "b.vtu", begin + piece + other + end);
  const auto pieces = read_whole_frame(folder / "b.vtu");
  ASSERT_TRUE(pieces.has_value()) << all_issues(pieces.issues());
  ASSERT_EQ(pieces->cell_arrays.size(), 1u);
  const std::vector<double>& values = pieces->cell_arrays[0].values;
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ((std::vector<double>{values[0], values[1], values[2]}), (std::vector<double>{8, 9, 7}));
  EXPECT_TRUE(std::isnan(values[3]));
  write_text(folder / "b.vtu", begin + piece + replaced(other, "\"T\"", "\"U\"") + end);
  EXPECT_TRUE(read_whole_frame(folder / "b.vtu")->cell_arrays.empty());
  write_text(folder / "b.vtu", begin + replaced(piece, "7 8", "7") + end);
  const auto wrong = read_whole_frame(folder / "b.vtu");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.issues()[0].message.find("array `T`: expected 1 for each of 2"), std::string::npos);
}

TEST(Frame, BrokenGridsNameTheLineAndTheReason) {
  struct Case {
    std::string text;
    const char* place;
    const char* message;
  };
  const Case cases[] = {
      {"", "line 1", "VTKFile element"},
      {"<VTKFile type=\"PolyData\">", "line 1", "UnstructuredGrid"},
      {"<VTKFile type=\"UnstructuredGrid\"", "line 1", "complete XML tag"},
      {"<VTKFile type=\"UnstructuredGrid\">", "line 1", "Piece element"},
      {replaced(ascii_grid, "<VTKFile", "<VTKFile compressor=\"vtkLZ4DataCompressor\""), "line 1",
       "vtkZLibDataCompressor"},
      {replaced(ascii_grid, "\"3\" Number", "\"-3\" Number"), "line 2", "NumberOfPoints"},
      {replaced(ascii_grid, "\"3\" Number", "\"2000000000\" Number"), "line 3", "each of 2000000000 points"},
      {replaced(ascii_grid, "1 0 0\n", "1 0 nan\n"), "line 3", "finite number at point 1"},
      {replaced(ascii_grid, "1 0 0\n", "1 0 x\n"), "line 5", "expected a number"},
      {replaced(ascii_grid, "0 1 2<", "0 1 3<"), "line 2", "point index"},
      {replaced(ascii_grid, ">3<", ">4<"), "line 2", "offset between"},
      {replaced(ascii_grid, ">5<", ">12<"), "line 2", "VTK cells of type 12"},
      {replaced(ascii_grid, ">5<", "><"), "line 2", "offsets and types"},
      {ascii_begin + ascii_end, "line 2", "`types`"},
      {replaced(ascii_grid, "Name=\"offsets\"", "Name=\"offsets\" format=\"appended\" offset=\"0\""), "line 9",
       "AppendedData"},
      {replaced(ascii_grid, "Name=\"offsets\"", "Name=\"offsets\" format=\"binary\""), "line 9", "base64"},
  };
  const TemporaryFolder folder;
  for (const Case& broken : cases) {
    SCOPED_TRACE(broken.text);
    write_text(folder / "a.vtu", broken.text);
    const auto frame = read_frame(folder / "a.vtu");
    ASSERT_FALSE(frame.has_value());
    EXPECT_EQ(frame.issues()[0].place, broken.place) << to_string(frame.issues()[0]);
    EXPECT_NE(frame.issues()[0].message.find(broken.message), std::string::npos) << to_string(frame.issues()[0]);
  }
}

TEST(Frame, PromisedSizesBeyondTheFileTakeNoMemory) {
  const TemporaryFolder folder;
  // One block claims 2^60 bytes, and so does a raw array.
  const std::uint64_t compressed[] = {1, std::uint64_t{1} << 60, 0, 8, 0};
  const std::uint64_t raw[] = {std::uint64_t{1} << 60, 0};
  const std::string texts[] = {base64({reinterpret_cast<const char*>(compressed), sizeof(compressed)}),
                               base64({reinterpret_cast<const char*>(raw), sizeof(raw)})};
  for (int k = 0; k < 2; ++k) {
    std::string text =
        replaced(ascii_grid, "format=\"ascii\">\n0 0 0\n1 0 0\n0 1 0\n", "format=\"binary\">" + texts[k]);
    text = replaced(text, "<VTKFile",
                    k == 0 ? "<VTKFile header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\""
                           : "<VTKFile header_type=\"UInt64\"");
    write_text(folder / "a.vtu", text);
    EXPECT_FALSE(read_frame(folder / "a.vtu").has_value()) << k;
  }
}

// ---- the list of frames
// ---------------------------------------------------------------------------------------------------

TEST(Pvd, ComesBackWithExactTimesAndAnyName) {
  const TemporaryFolder folder;
  const std::vector<PvdEntry> entries{{0.0, "frames/0.vtu"}, {0.1 + 0.2, "a & \"b\" <c>'.vtu"}, {1e-300, "x"}};
  ASSERT_TRUE(write_pvd(folder / "frames.pvd", entries).has_value());
  const auto read = read_pvd(folder / "frames.pvd");
  ASSERT_TRUE(read.has_value()) << all_issues(read.issues());
  ASSERT_EQ(read->size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ((*read)[i].time, entries[i].time);
    EXPECT_EQ((*read)[i].file, entries[i].file);
  }
}

TEST(Pvd, ProblemsAreNamedByLine) {
  const TemporaryFolder folder;
  write_text(folder / "a.pvd",
             "<VTKFile>\n<Collection>\n<DataSet timestep=\"nan\" file=\"a\"/>\n<DataSet timestep=\"1\"/>\n");
  const auto read = read_pvd(folder / "a.pvd");
  ASSERT_EQ(read.issues().size(), 2u);
  EXPECT_EQ(read.issues()[0].place, "line 3");
  EXPECT_EQ(read.issues()[1].place, "line 4");
  write_text(folder / "a.pvd", "<VTKFile>\n");
  EXPECT_FALSE(read_pvd(folder / "a.pvd").has_value());
  EXPECT_FALSE(read_pvd(folder / "missing.pvd").has_value());
}

}  // namespace
}  // namespace clearance::test
