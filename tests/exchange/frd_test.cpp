// Result files of CalculiX, read back by their columns.
#include "clearance/exchange/frd.h"

#include <map>
#include <sstream>

#include "exchange/small_run.h"

namespace clearance::exchange {
namespace {

/// The content of a file, read by the columns that the manual of cgx gives.
struct FrdFile {
  std::vector<Vec<3>> nodes;
  std::vector<std::array<int, 2>> elements;  ///< type and material
  std::vector<std::vector<int>> element_nodes;
  struct Block {
    double time = 0.0;
    int frame = 0;
    std::vector<std::string> components;
    std::vector<std::vector<double>> values;
  };
  std::map<std::string, std::vector<Block>> blocks;
};

double number(const std::string& line, std::size_t column) {
  return std::stod(line.substr(column, 12));
}
std::string word(const std::string& line, std::size_t column) {
  const std::string text = line.substr(column, 8);
  return text.substr(0, text.find(' '));
}

FrdFile read(const std::string& text) {
  FrdFile file;
  std::istringstream lines(text);
  std::string line, last;
  enum class Part { none, nodes, elements, values } part = Part::none;
  FrdFile::Block block;
  std::string name;
  while (std::getline(lines, line)) {
    if (line.starts_with("    2C")) part = Part::nodes;
    if (line.starts_with("    3C")) part = Part::elements;
    // Readers take the format from the last column of these lines; 1 is that of long numbers.
    if (line.starts_with("    2C") || line.starts_with("    3C")) {
      EXPECT_EQ(line.size(), 74u);
      EXPECT_EQ(line.back(), '1');
    }
    if (line.starts_with("  100C")) {
      part = Part::values;
      block = {number(line, 12), std::stoi(line.substr(58, 5)), {}, {}};
      EXPECT_EQ(std::stoul(line.substr(24, 12)), file.nodes.size());
      EXPECT_EQ(line.size(), 75u);
    }
    const std::string key = line.substr(0, 3);
    if (key == " -4") name = word(line, 5);
    if (key == " -5" && word(line, 5) != "ALL") block.components.push_back(word(line, 5));
    if (key == " -1" && part == Part::nodes) {
      EXPECT_EQ(std::stoul(line.substr(3, 10)), file.nodes.size() + 1);
      file.nodes.emplace_back(number(line, 13), number(line, 25), number(line, 37));
    }
    if (key == " -1" && part == Part::elements) {
      file.elements.push_back({std::stoi(line.substr(13, 5)), std::stoi(line.substr(23, 5))});
    }
    if (key == " -2" && part == Part::elements) {
      std::vector<int>& nodes = file.element_nodes.emplace_back();
      for (std::size_t c = 3; c < line.size(); c += 10) nodes.push_back(std::stoi(line.substr(c, 10)));
    }
    if (key == " -1" && part == Part::values) {
      std::vector<double>& values = block.values.emplace_back();
      for (std::size_t c = 13; c < line.size(); c += 12) values.push_back(number(line, c));
    }
    if (key == " -3" && part == Part::values) file.blocks[name].push_back(block);
    last = line;
  }
  EXPECT_EQ(last, " 9999");
  return file;
}

class Frd : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    job_.output = folder_ / "out/run.frd";
  }
  FrdFile written() const { return read(bytes_of(job_.output)); }
};

TEST_F(Frd, HasTheMeshOfTheStartAndDisplacementsFromIt) {
  write_frames(4);
  job_.frames.first = 1;
  const Result<ExportReport> report = write_frd(job_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(files(), std::vector<std::string>{"run.frd"});
  const FrdFile file = written();
  const Frame start = frame(0);
  ASSERT_EQ(file.nodes.size(), start.mesh.vertices.size());
  for (std::size_t v = 0; v < file.nodes.size(); ++v) {
    EXPECT_NEAR((file.nodes[v] - start.mesh.vertices[v]).norm(), 0.0, 1e-5);
  }
  // Tetrahedra and lines by body; the two lone points have no elements.
  EXPECT_EQ(file.elements, (std::vector<std::array<int, 2>>{{3, 1}, {3, 1}, {3, 2}, {3, 3}, {3, 4}, {11, 5}, {11, 5}}));
  EXPECT_EQ(file.element_nodes[1], (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(file.element_nodes[6], (std::vector<int>{19, 20}));
  EXPECT_EQ(file.blocks.at("DISP").size(), 3u);
  for (int i = 1; i < 4; ++i) {
    const Frame exact = frame(i);
    const FrdFile::Block& moved = file.blocks.at("DISP")[i - 1];
    EXPECT_EQ(moved.components, (std::vector<std::string>{"D1", "D2", "D3"}));
    EXPECT_EQ(moved.time, 0.25 * i);
    EXPECT_EQ(moved.frame, i);
    for (std::size_t v = 0; v < exact.mesh.vertices.size(); ++v) {
      const Vec<3> displacement = exact.mesh.vertices[v] - start.mesh.vertices[v];
      for (int k = 0; k < 3; ++k) {
        const std::size_t column = k;
        EXPECT_NEAR(moved.values[v][column], displacement[k], 1e-5 * (1e-10 + std::abs(displacement[k])));
      }
      EXPECT_NEAR(file.blocks.at("VELO")[i - 1].values[v][0], i, 1e-5);
      EXPECT_NEAR(file.blocks.at("HEAT")[i - 1].values[v][0], exact.point_arrays[0].values[v], 1e-4);
    }
  }
}

TEST_F(Frd, NumbersOfCellsAreMeansAtTheirNodes) {
  write_frames(1);
  const Result<ExportReport> report = write_frd(job_);
  ASSERT_TRUE(report.has_value());
  // Cells 0 and 1 have 1 and 2; they share the nodes 1, 2 and 3.
  const FrdFile file = written();
  const auto& values = file.blocks.at("MISES")[0].values;
  const std::vector<double> expected = {1, 1.5, 1.5, 1.5, 2, 3, 3, 3, 3};
  for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_EQ(values[v][0], expected[v]) << v;
  EXPECT_EQ(report->notes.size(), 2u);
}

TEST_F(Frd, StressesAreOneTensorInTheOrderOfTheFormat) {
  write_frames(1);
  Frame stressed = frame(0);
  stressed.point_arrays.clear();
  int number = 0;
  for (const char* name :
       {"stress_von_mises", "stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_yz", "stress_xz"}) {
    stressed.point_arrays.push_back({name, 1, std::vector<double>(stressed.mesh.vertices.size(), -1e7 * number++)});
  }
  ASSERT_TRUE(write_frame(job_.folder / "frames/frame_000000.vtu", stressed).has_value());
  ASSERT_TRUE(write_frd(job_).has_value());
  const FrdFile file = written();
  EXPECT_EQ(file.blocks.at("STRESS")[0].components,
            (std::vector<std::string>{"SXX", "SYY", "SZZ", "SXY", "SYZ", "SZX"}));
  EXPECT_EQ(file.blocks.at("STRESS")[0].values[3], (std::vector<double>{-1e7, -2e7, -3e7, -4e7, -5e7, -6e7}));
  EXPECT_EQ(file.blocks.at("SMISES")[0].values[3], std::vector<double>{0.0});
  EXPECT_EQ(file.blocks.count("STRESS_X"), 0u);
}

TEST_F(Frd, NumbersBeyondTheColumnsOfTheFormatKeepThem) {
  write_frames(1);
  Frame extreme = frame(0);
  for (double& value : extreme.point_arrays[0].values) value = 1e-200;
  extreme.point_arrays[0].values[1] = -1e300;
  ASSERT_TRUE(write_frame(job_.folder / "frames/frame_000000.vtu", extreme).has_value());
  ASSERT_TRUE(write_frd(job_).has_value());
  const FrdFile file = written();
  EXPECT_EQ(file.blocks.at("HEAT")[0].values[0], std::vector<double>{0.0});
  EXPECT_EQ(file.blocks.at("HEAT")[0].values[1], std::vector<double>{-9.99999e99});
}

TEST_F(Frd, OtherElementsInALaterFrameAreRefusedAndNothingIsLeft) {
  write_frames(3);
  Frame other = frame(2);
  other.mesh.tets.pop_back();
  other.cell_body.erase(other.cell_body.begin() + 4);
  other.cell_is_obstacle.erase(other.cell_is_obstacle.begin() + 4);
  other.cell_arrays.clear();
  ASSERT_TRUE(write_frame(job_.folder / "frames/frame_000002.vtu", other).has_value());
  const Result<ExportReport> refused = write_frd(job_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.issues()[0].message.find("elements differ"), std::string::npos) << to_string(refused.issues()[0]);
  EXPECT_TRUE(files().empty());
  job_.frames = {0, 1, 1};
  EXPECT_TRUE(write_frd(job_).has_value());
}

}  // namespace
}  // namespace clearance::exchange
