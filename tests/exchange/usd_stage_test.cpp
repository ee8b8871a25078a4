// Stages of Universal Scene Description, read back: where vertices are in every frame.
#include "clearance/exchange/usd_stage.h"

#include <regex>
#include <set>

#include "clearance/exchange/polylines.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/stage.h"
#include "exchange/small_run.h"

namespace clearance::exchange {
namespace {

/// Returns all numbers of a text.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  static const std::regex number(R"(-?\d+(\.\d+)?(e[+-]?\d+)?)");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), number); at != std::sregex_iterator(); ++at) {
    numbers.push_back(std::stod(at->str()));
  }
  return numbers;
}

std::vector<Vec<3>> vectors_of(const std::vector<double>& numbers) {
  std::vector<Vec<3>> vectors;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
    vectors.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  return vectors;
}

/// A prim: the lines between its braces.
class Prim {
 public:
  explicit Prim(std::string text) : text_(std::move(text)) {}

  Prim child(const std::string& head) const {
    const std::size_t at = text_.find("def " + head);
    EXPECT_NE(at, std::string::npos) << head;
    if (at == std::string::npos) return Prim("");
    const std::size_t begin = text_.rfind('\n', at) + 1;
    const std::string indent(at - begin, ' ');
    return Prim(text_.substr(at, text_.find("\n" + indent + "}\n", at) - at));
  }
  bool has(const std::string& text) const { return text_.find(text) != std::string::npos; }
  /// Returns the numbers of an attribute's value.
  std::vector<double> value(const std::string& attribute) const {
    const std::size_t at = text_.find(" " + attribute + " = ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + attribute.size() + 4;
    return numbers_of(text_.substr(begin, text_.find('\n', begin) - begin));
  }
  /// Returns the numbers of an attribute by the codes of its times.
  std::map<double, std::vector<double>> samples(const std::string& attribute) const {
    std::map<double, std::vector<double>> result;
    std::size_t at = text_.find(" " + attribute + ".timeSamples = {\n");
    if (at == std::string::npos) return result;
    at = text_.find('\n', at) + 1;
    for (std::string line = line_at(at); line.find('}') == std::string::npos; line = line_at(at)) {
      const std::size_t colon = line.find(':');
      result[std::stod(line.substr(0, colon))] = numbers_of(line.substr(colon));
      at += line.size() + 1;
    }
    return result;
  }

 private:
  std::string line_at(std::size_t at) const { return text_.substr(at, text_.find('\n', at) - at); }

  std::string text_;
};

class UsdStage : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    options_.job = job_;
    options_.job.output = folder_ / "out/run.usda";
  }
  Prim stage() const { return Prim(bytes_of(options_.job.output)); }

  AnimationJob options_;
};

const std::vector<std::string> prims = {"bent____torn_", "die", "body_2", "floor", "___rod", "dust"};

TEST_F(UsdStage, HasTheVerticesOfEveryFrameWhereTheyAre) {
  write_frames(5);
  const Result<ExportReport> report = write_usd_stage(options_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(files(), std::vector<std::string>{"run.usda"});
  const Prim root = stage().child("Xform \"all_kinds\"");
  EXPECT_TRUE(stage().has("upAxis = \"Z\"\n"));
  EXPECT_TRUE(stage().has("    endTimeCode = 4\n"));
  EXPECT_TRUE(stage().has("    timeCodesPerSecond = 4\n"));
  for (std::size_t b = 0; b < prims.size(); ++b) {
    const Prim body = root.child("Xform \"" + prims[b] + "\"");
    const Prim piece = body.child(b == 4 ? "BasisCurves \"lines\"" : b == 5 ? "Points \"points\"" : "Mesh \"surface\"");
    const auto matrices = body.samples("xformOp:transform"), points = piece.samples("points");
    EXPECT_EQ(matrices.size(), b == 0 || b == 3 ? 0u : 5u);
    EXPECT_EQ(points.size(), b == 0 ? 5u : 0u);
    std::vector<int> vertices;
    for (int i = 0; i < 5; ++i) {
      std::vector<Vec<3>> found = vectors_of(b == 0 ? points.at(i) : piece.value("points"));
      for (Vec<3>& x : found) {
        if (matrices.empty()) {
          x += vectors_of(body.value("xformOp:translate"))[0];
        } else {
          const std::vector<double>& m = matrices.at(i);
          Vec<3> moved;
          for (int c = 0; c < 3; ++c) moved[c] = x[0] * m[c] + x[1] * m[4 + c] + x[2] * m[8 + c] + m[12 + c];
          x = moved;
        }
      }
      const Mesh mesh = frame(i).mesh;
      ASSERT_EQ(found.size(), vertices_of_bodies()[b].size());
      // The order of the vertices is that of the first frame.
      for (std::size_t k = 0; k < found.size(); ++k) {
        const auto distance = [&](int v) { return (found[k] - mesh.vertices[v]).norm(); };
        const auto& all = vertices_of_bodies()[b];
        if (i == 0) {
          vertices.push_back(
              *std::min_element(all.begin(), all.end(), [&](int v, int w) { return distance(v) < distance(w); }));
        }
        EXPECT_LT(distance(vertices[k]), 2e-6) << prims[b] << ' ' << i;
      }
    }
  }
  EXPECT_TRUE(root.child("Xform \"bent____torn_\"").has(R"(clearance:name = "bent & \"torn\"")"));
  EXPECT_TRUE(root.child("Xform \"floor\"").has("clearance:isObstacle = 1"));
  const Prim bent = root.child("Xform \"bent____torn_\"").child("Mesh \"surface\"");
  EXPECT_EQ(bent.value("int[] faceVertexIndices").size(), 18u);
  // Every corner has a normal, in every frame.
  const std::vector<double> corner_normals = bent.value("int[] primvars:normals:indices");
  EXPECT_EQ(corner_normals.size(), 18u);
  for (const auto& [code, normals] : bent.samples("primvars:normals")) {
    EXPECT_LT(*std::max_element(corner_normals.begin(), corner_normals.end()), normals.size() / 3);
  }
  // The box of a frame holds its points.
  const auto extents = bent.samples("extent"), points = bent.samples("points");
  for (const auto& [code, extent] : extents) {
    for (const Vec<3>& x : vectors_of(points.at(code))) {
      for (int c = 0; c < 3; ++c) {
        EXPECT_GE(x[c], extent[c]);
        EXPECT_LE(x[c], extent[3 + c]);
      }
    }
  }
}

TEST_F(UsdStage, IsReadBackAsMeshesWithTheVerticesOfEveryFrame) {
  write_frames(5);
  ASSERT_TRUE(write_usd_stage(options_).has_value());
  for (std::size_t b = 0; b < prims.size(); ++b) {
    const auto samples = read_stage_samples(options_.job.output.string() + "</all_kinds/" + prims[b] + ">");
    ASSERT_TRUE(samples.has_value()) << to_string(samples.issues().front());
    // The obstacle rests.
    ASSERT_EQ(samples->size(), b == 3 ? 1u : 5u) << prims[b];
    for (std::size_t i = 0; i < samples->size(); ++i) {
      const Mesh mesh = frame(static_cast<int>(i)).mesh;
      ASSERT_EQ((*samples)[i].size(), vertices_of_bodies()[b].size());
      for (const Vec<3>& x : (*samples)[i]) {
        // The run has z upwards, meshes have y.
        const Vec<3> place(x[0], -x[2], x[1]);
        const auto& all = vertices_of_bodies()[b];
        EXPECT_TRUE(
            std::any_of(all.begin(), all.end(), [&](int v) { return (place - mesh.vertices[v]).norm() < 2e-6; }))
            << prims[b] << ' ' << i;
      }
    }
  }
  const Result<Mesh> bent = read_mesh(options_.job.output.string() + "</all_kinds/" + prims[0] + "/surface>");
  ASSERT_TRUE(bent.has_value());
  EXPECT_EQ(bent->triangles.size(), 6u);
}

TEST_F(UsdStage, HasCodesOfTimeFromTheFirstChosenFrame) {
  write_frames(8);
  options_.job.frames = {1, 7, 3};
  options_.speed = 0.5;
  ASSERT_TRUE(write_usd_stage(options_).has_value());
  EXPECT_TRUE(stage().has("    startTimeCode = 0\n"));
  EXPECT_TRUE(stage().has("    endTimeCode = 2\n"));
  // Frames are 0.75 s apart, and half of that is shown in a second.
  EXPECT_TRUE(stage().has(fmt::format("    timeCodesPerSecond = {}\n", 0.5 * 2.0 / 1.5)));
}

TEST_F(UsdStage, RodsAndParticlesHaveTheirThickness) {
  std::ofstream(folder_ / "run/scene.json")
      << R"({"bodies": [{}, {}, {"thickness": null}, {}, {"thickness": 0.25}, {"thickness": 0.5}]})";
  write_frames(2);
  ASSERT_TRUE(write_usd_stage(options_).has_value());
  const Prim root = stage().child("Xform \"run\"");
  EXPECT_EQ(root.child("Xform \"___rod\"").value("float[] widths"), std::vector<double>{0.25});
  EXPECT_EQ(root.child("Xform \"dust\"").value("float[] widths"), std::vector<double>{0.5});
  EXPECT_FALSE(root.child("Xform \"die\"").has("widths"));
}

TEST(Polylines, CoverEveryEdgeOnceThroughPointsOfTwoEdges) {
  using Lines = std::vector<std::vector<std::uint32_t>>;
  const std::vector<std::array<std::uint32_t, 2>> chain = {{2, 1}, {1, 0}, {2, 3}};
  EXPECT_EQ(join_lines(chain), (Lines{{0, 1, 2, 3}}));
  const std::vector<std::array<std::uint32_t, 2>> ring_and_star = {{0, 1}, {1, 2}, {2, 0}, {5, 6}, {5, 7}, {5, 8}};
  EXPECT_EQ(join_lines(ring_and_star), (Lines{{5, 6}, {5, 7}, {5, 8}, {0, 1, 2, 0}}));
  EXPECT_TRUE(join_lines({}).empty());
}

}  // namespace
}  // namespace clearance::exchange
