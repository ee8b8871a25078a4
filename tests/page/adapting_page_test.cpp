// Pages of runs whose elements change from frame to frame, read back as the viewer does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>

#include "clearance/io/result/pvd.h"
#include "clearance/page/packed_run.h"
#include "clearance/page/page.h"
#include "support/adapting_frames.h"

namespace clearance::page {
namespace {

namespace fs = std::filesystem;

/// Reads numbers from bytes, one array after the other.
class Bytes {
 public:
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}
  template <class Number>
  std::vector<Number> take(std::size_t count) {
    std::vector<Number> numbers(count);
    EXPECT_LE(at_ + count * sizeof(Number), bytes_.size());
    if (at_ + count * sizeof(Number) <= bytes_.size())
      std::memcpy(numbers.data(), bytes_.data() + at_, count * sizeof(Number));
    at_ += count * sizeof(Number);
    return numbers;
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// The parts of a frame that the viewer draws.
struct Drawn {
  std::vector<std::uint32_t> triangles, edges, nodes;
  std::vector<Vec<3>> rest, places;
};

class AdaptingRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("clearance_adapting_{}", testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "frames");
    std::ofstream(folder_ / "bodies.json") << R"([{"name": "soft", "entry": 0}, {"name": "stiff", "entry": 1}])";
    std::ofstream(folder_ / "stats.jsonl")
        << R"({"step":1,"time":0.1,"status":"converged"})"
        << "\n"
        << R"({"step":2,"time":0.2,"status":"converged","remesh":{"elements":5,"splits":1,"collapses":0}})"
        << "\n";
    for (int i = 0; i < 5; ++i) add(adapting_frame(i));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void add(const Frame& frame) {
    const std::string file = fmt::format("frames/frame_{:06}.vtu", entries_.size());
    ASSERT_TRUE(write_frame(folder_ / file, frame).has_value());
    entries_.push_back({frame.time, file});
    ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", entries_).has_value());
  }
  PackedRun open() const {
    Result<RunFiles> files = read_run_files(folder_);
    EXPECT_TRUE(files.has_value());
    Result<PackedRun> run = PackedRun::open(std::move(*files));
    EXPECT_TRUE(run.has_value());
    return std::move(*run);
  }

  /// Returns what is drawn of a run whose numbers are in single precision.
  static Drawn drawn(const PackedRun& run, std::size_t index) {
    const auto head = run.head();
    const Result<Packer> topology = run.topology(run.topology_of(index));
    const Result<Packer> frame = run.frame(index);
    EXPECT_TRUE(topology.has_value() && frame.has_value());
    Bytes of_topology(topology->bytes()), of_frame(frame->bytes());
    const auto counts = of_topology.take<std::uint32_t>(4);
    const std::size_t num_vertices = counts[0], num_moving = counts[1];
    std::vector<std::vector<std::uint32_t>> bodies;
    for (std::size_t b = 0; b < head["bodies"].size(); ++b) bodies.push_back(of_topology.take<std::uint32_t>(6));
    Drawn drawn;
    drawn.triangles = of_topology.take<std::uint32_t>(3 * counts[2]);
    drawn.edges = of_topology.take<std::uint32_t>(2 * counts[3]);
    drawn.nodes = of_topology.take<std::uint32_t>(num_vertices);
    const auto rest = of_topology.take<float>(3 * num_vertices);
    EXPECT_TRUE(of_topology.is_at_end());
    const Vec<3> origin(head["origin"][0], head["origin"][1], head["origin"][2]);
    for (std::size_t v = 0; v < num_vertices; ++v)
      drawn.rest.emplace_back(rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]);
    drawn.places = drawn.rest;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (!head["bodies"][b]["stiff"]) continue;
      const auto pose = of_frame.take<float>(12);
      for (std::size_t v = bodies[b][0]; v < bodies[b][0] + bodies[b][1]; ++v) {
        for (int k = 0; k < 3; ++k) {
          double x = pose[9 + k];
          for (int j = 0; j < 3; ++j) x += pose[3 * j + k] * drawn.rest[v][j];
          drawn.places[v][k] = x;
        }
      }
    }
    for (int k = 0; k < 3; ++k) {
      const auto axis = of_frame.take<float>(num_moving);
      for (std::size_t v = 0; v < num_moving; ++v) drawn.places[v][k] = axis[v];
    }
    (void)of_frame.take<float>(head["fields"].size() * num_vertices);
    EXPECT_TRUE(of_frame.is_at_end());
    for (std::size_t v = 0; v < num_vertices; ++v) {
      drawn.places[v] += origin;
      drawn.rest[v] += origin;
    }
    return drawn;
  }
  static void expect_places(const Drawn& drawn, const Frame& frame) {
    ASSERT_EQ(drawn.nodes.size(), frame.mesh.vertices.size());
    for (std::size_t v = 0; v < drawn.nodes.size(); ++v) {
      EXPECT_LT((drawn.places[v] - frame.mesh.vertices[drawn.nodes[v]]).norm(), 1e-6) << v;
      const double* rest = frame.point_arrays[0].values.data() + 3 * drawn.nodes[v];
      EXPECT_LT((drawn.rest[v] - Vec<3>(rest[0], rest[1], rest[2])).norm(), 1e-6) << v;
    }
    // Triangles by the numbers of the frame, in any order.
    std::set<std::set<std::uint32_t>> expected, found;
    for (const auto& t : frame.mesh.triangles) expected.insert({t.begin(), t.end()});
    for (std::size_t t = 0; t < drawn.triangles.size(); t += 3) {
      found.insert(
          {drawn.nodes[drawn.triangles[t]], drawn.nodes[drawn.triangles[t + 1]], drawn.nodes[drawn.triangles[t + 2]]});
    }
    EXPECT_EQ(found, expected);
  }

  fs::path folder_;
  std::vector<PvdEntry> entries_;
};

TEST_F(AdaptingRun, ATopologyIsThereOncePerChange) {
  PackedRun run = open();
  EXPECT_TRUE(run.adapts());
  ASSERT_TRUE(run.measure({0, 1, 2, 3, 4}, true).has_value());
  const std::vector<std::size_t> expected = {0, 0, 2, 2, 4};
  const auto head = run.head();
  EXPECT_TRUE(head["adapts"]);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(run.topology_of(i), expected[i]);
    EXPECT_EQ(head["frames"][i]["topology"], expected[i]);
    expect_places(drawn(run, i), adapting_frame(static_cast<int>(i)));
  }
  ASSERT_EQ(head["bodies"].size(), 2u);
  EXPECT_EQ(head["bodies"][0]["name"], "soft");
  EXPECT_FALSE(head["bodies"][0]["stiff"]);
  EXPECT_TRUE(head["bodies"][1]["stiff"]) << "other numbers of its vertices are not other elements";
  EXPECT_EQ(head["stats"]["elements"].dump(), "[null,5]");
}

TEST_F(AdaptingRun, FramesThatAreLeftOutLeaveNoTopology) {
  PackedRun run = open();
  ASSERT_TRUE(run.measure({0, 3, 4}, true).has_value());
  EXPECT_EQ(run.topology_of(1), 1u);
  EXPECT_EQ(run.topology_of(2), 2u);
  expect_places(drawn(run, 1), adapting_frame(3));
}

TEST_F(AdaptingRun, ARunUnderWayHasATopologyForEveryFrame) {
  PackedRun run = open();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(run.topology_of(i), i);
    expect_places(drawn(run, i), adapting_frame(static_cast<int>(i)));
  }
}

TEST_F(AdaptingRun, OtherPlacesAtRestAreAnotherTopology) {
  Frame smoothed = adapting_frame(3);
  smoothed.time = 0.5;
  add(smoothed);
  smoothed.point_arrays[0].values[3 * 4] = 0.4;
  smoothed.time = 0.6;
  add(smoothed);
  PackedRun run = open();
  ASSERT_TRUE(run.measure({0, 5, 6}, true).has_value());
  EXPECT_EQ(run.topology_of(2), 2u);
  const Drawn last = drawn(run, 2);
  for (std::size_t v = 0; v < last.nodes.size(); ++v) {
    const bool is_middle = last.nodes[v] == 4;
    EXPECT_NEAR(last.rest[v][0], is_middle ? 0.4 : last.rest[v][0], 1e-6);
  }
}

TEST_F(AdaptingRun, IsAPage) {
  PageOptions options;
  options.folder = folder_;
  options.output = folder_ / "page.html";
  std::ofstream(folder_ / "viewer.html") << "before<!--policy--><!--run-->after";
  const Result<PageReport> report = write_page(options, folder_ / "viewer.html");
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(report->num_kept, 5u);
  // The numbers are those of the frames with a vertex in the middle.
  EXPECT_TRUE(report->adapts);
  EXPECT_EQ(report->num_triangles, 5u);
  EXPECT_EQ(report->num_vertices, 8u);
  std::ifstream file(options.output);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const char* id : {"\"topology\"", "\"topology2\"", "\"topology4\"", "\"frame4\""}) {
    EXPECT_NE(text.find(fmt::format("<script id={}", id)), std::string::npos) << id;
  }
  for (const char* id : {"\"topology0\"", "\"topology1\"", "\"topology3\""}) {
    EXPECT_EQ(text.find(fmt::format("<script id={}", id)), std::string::npos) << id;
  }
}

TEST_F(AdaptingRun, OtherBodiesAreRefused) {
  Frame other = adapting_frame(0);
  other.cell_body = {0, 0, 2};
  other.time = 0.5;
  add(other);
  PackedRun run = open();
  const Result<Done> measured = run.measure({0, 5}, true);
  ASSERT_FALSE(measured.has_value());
  EXPECT_NE(measured.issues()[0].message.find("has other bodies"), std::string::npos);
}

}  // namespace
}  // namespace clearance::page
