// glTF files played as a viewer does: weights, then translation and rotation of the node.
#include "clearance/exchange/glb.h"

#include <cstring>

#include "exchange/small_run.h"

namespace clearance::exchange {
namespace {

using Json = nlohmann::json;

class GlbPlayer {
 public:
  explicit GlbPlayer(const std::string& bytes) {
    std::uint32_t words[5];
    std::memcpy(words, bytes.data(), sizeof(words));
    EXPECT_EQ(words[0], 0x46546C67u);
    EXPECT_EQ(words[1], 2u);
    EXPECT_EQ(words[2], bytes.size());
    json_ = Json::parse(bytes.substr(20, words[3]));
    binary_ = bytes.substr(28 + words[3]);
    EXPECT_EQ(binary_.size(), json_["buffers"][0]["byteLength"]);
  }

  const Json& json() const { return json_; }

  std::vector<std::vector<double>> rows(int accessor) const {
    const Json& a = json_["accessors"][accessor];
    const Json& view = json_["bufferViews"][a["bufferView"].get<std::size_t>()];
    const std::size_t columns = a["type"] == "SCALAR" ? 1 : a["type"] == "VEC3" ? 3 : 4;
    std::vector<std::vector<double>> rows(a["count"].get<std::size_t>());
    const char* at = binary_.data() + view["byteOffset"].get<std::size_t>();
    for (auto& row : rows) {
      for (std::size_t k = 0; k < columns; ++k) {
        if (a["componentType"] == 5126) {
          float number;
          std::memcpy(&number, at, 4);
          at += 4;
          row.push_back(number);
        } else {
          std::uint16_t number;
          std::memcpy(&number, at, 2);
          at += 2;
          row.push_back(number);
        }
      }
    }
    return rows;
  }

  /// Returns the values of a node's channel at a time, interpolated linearly between keys.
  std::vector<double> channel(std::size_t node, const std::string& path, double time) const {
    for (const Json& channel : json_["animations"][0]["channels"]) {
      if (channel["target"]["node"] != node || channel["target"]["path"] != path) continue;
      const Json& sampler = json_["animations"][0]["samplers"][channel["sampler"].get<std::size_t>()];
      const auto times = rows(sampler["input"]);
      std::vector<double> values;
      for (const auto& row : rows(sampler["output"])) values.insert(values.end(), row.begin(), row.end());
      const std::size_t size = values.size() / times.size();
      std::size_t key = 0;
      while (key + 2 < times.size() && times[key + 1][0] <= time) ++key;
      const double t = std::clamp((time - times[key][0]) / (times[key + 1][0] - times[key][0]), 0.0, 1.0);
      std::vector<double> result;
      for (std::size_t k = 0; k < size; ++k) {
        result.push_back((1 - t) * values[key * size + k] + t * values[(key + 1) * size + k]);
      }
      return result;
    }
    return {};
  }

  /// Drawn vertices of a body in space, before the turn of the root, and their normals.
  struct Shown {
    std::vector<Vec<3>> places, normals;
    std::vector<std::vector<int>> elements;  ///< by primitive
  };
  Shown show(std::size_t node, double time) const {
    const Json& n = json_["nodes"][node];
    Vec<3> move(n["translation"][0], n["translation"][1], n["translation"][2]);
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    if (const auto v = channel(node, "translation", time); !v.empty()) move = Vec<3>(v[0], v[1], v[2]);
    if (const auto v = channel(node, "rotation", time); !v.empty()) {
      turn = Eigen::Quaterniond(v[3], v[0], v[1], v[2]).normalized();
    }
    const std::vector<double> weights = channel(node, "weights", time);
    Shown shown;
    for (const Json& primitive : json_["meshes"][n["mesh"].get<std::size_t>()]["primitives"]) {
      const std::size_t num_targets = primitive.contains("targets") ? primitive["targets"].size() : 0;
      EXPECT_EQ(num_targets, weights.size());
      for (const char* name : {"POSITION", "NORMAL"}) {
        if (!primitive["attributes"].contains(name)) continue;
        auto vectors = rows(primitive["attributes"][name]);
        for (std::size_t k = 0; k < num_targets; ++k) {
          const auto offsets = rows(primitive["targets"][k][name]);
          for (std::size_t v = 0; v < vectors.size(); ++v) {
            for (std::size_t i = 0; i < 3; ++i) vectors[v][i] += weights[k] * offsets[v][i];
          }
        }
        for (const auto& x : vectors) {
          const Vec<3> in_node(x[0], x[1], x[2]);
          if (name[0] == 'P') {
            shown.places.push_back(turn * in_node + move);
          } else {
            shown.normals.push_back((turn * in_node).normalized());
          }
        }
      }
      std::vector<int> indices;
      for (const auto& row : rows(primitive["indices"])) indices.push_back(static_cast<int>(row[0]));
      shown.elements.push_back(indices);
    }
    return shown;
  }

 private:
  Json json_;
  std::string binary_;
};

class Glb : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    options_.job = job_;
    options_.job.output = folder_ / "out/run.glb";
  }
  /// Returns the largest distance of a drawn vertex from the nearest vertex of its body, and the other way around.
  static double distance(const std::vector<Vec<3>>& drawn, const std::vector<Vec<3>>& exact) {
    double worst = 0.0;
    for (const auto& [from, to] : {std::pair(&drawn, &exact), std::pair(&exact, &drawn)}) {
      for (const Vec<3>& x : *from) {
        double nearest = infinity;
        for (const Vec<3>& y : *to) nearest = std::min(nearest, (x - y).norm());
        worst = std::max(worst, nearest);
      }
    }
    return worst;
  }
  GlbOptions options_;
};

TEST_F(Glb, ShowsEveryBodyWhereItIsInEveryFrame) {
  write_frames(7);
  const Result<ExportReport> report = write_glb(options_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(report->num_bytes, fs::file_size(options_.job.output));
  EXPECT_EQ(Json(report->values["bodies"]), Json({{"still", 1}, {"rigid", 3}, {"affine", 1}, {"deforming", 1}}));
  EXPECT_EQ(report->values["targets"], 6);
  EXPECT_EQ(report->values["interpolation_error"], 0.0);
  EXPECT_TRUE(report->notes.empty());
  EXPECT_EQ(files(), std::vector<std::string>{"run.glb"});

  const GlbPlayer player(bytes_of(options_.job.output));
  const Json& json = player.json();
  ASSERT_EQ(json["nodes"].size(), num_bodies + 1u);
  EXPECT_EQ(json["nodes"][0]["name"], "bent & \"torn\"");
  EXPECT_EQ(json["nodes"][2]["name"], "body 2");
  EXPECT_EQ(json["nodes"][3]["extras"]["is_obstacle"], true);
  EXPECT_EQ(json["nodes"][num_bodies]["name"], "all kinds");
  for (int i = 0; i < 7; ++i) {
    const Frame exact = frame(i);
    for (std::size_t b = 0; b < num_bodies; ++b) {
      std::vector<Vec<3>> places;
      for (const int v : vertices_of_bodies()[b]) places.push_back(exact.mesh.vertices[v]);
      EXPECT_LT(distance(player.show(b, 0.25 * i).places, places), 2e-6) << "body " << b << ", frame " << i;
    }
  }
}

TEST_F(Glb, NormalsPointOutwardsAlsoWhereBodiesBend) {
  write_frames(4);
  ASSERT_TRUE(write_glb(options_).has_value());
  const GlbPlayer player(bytes_of(options_.job.output));
  for (const std::size_t b : {0u, 1u, 2u, 3u}) {
    for (int i = 0; i < 4; ++i) {
      const GlbPlayer::Shown shown = player.show(b, 0.25 * i);
      ASSERT_EQ(shown.normals.size(), shown.places.size());
      const std::vector<int>& corners = shown.elements[0];
      for (std::size_t t = 0; t < corners.size(); t += 3) {
        const auto at = [&](std::size_t k) { return shown.places[corners[t + k]]; };
        const Vec<3> normal = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
        for (std::size_t k = 0; k < 3; ++k) {
          // Tetrahedra have sharp edges: every triangle has its own. Stretched by up to 0.3, they are of first order.
          const double cosine = shown.normals[corners[t + k]].dot(normal);
          EXPECT_GT(cosine, b == 2 ? 0.95 : 0.9999) << "body " << b << ", frame " << i;
        }
      }
    }
  }
}

TEST_F(Glb, RunsUprightAndAtItsSpeed) {
  write_frames(5);
  options_.speed = 0.5;
  ASSERT_TRUE(write_glb(options_).has_value());
  const GlbPlayer player(bytes_of(options_.job.output));
  const Json& q = player.json()["nodes"][num_bodies]["rotation"];
  const Eigen::Quaterniond root(q[3], q[0], q[1], q[2]);
  EXPECT_LT((root * Vec<3>::UnitZ() - Vec<3>::UnitY()).norm(), 1e-6);
  const Json& sampler = player.json()["animations"][0]["samplers"][0];
  EXPECT_DOUBLE_EQ(player.rows(sampler["input"]).back()[0], 2.0);
}

TEST_F(Glb, CapsTargetsEvenlyAndTellsWhatThatCosts) {
  write_frames(21);
  options_.max_targets = 4;
  const Result<ExportReport> report = write_glb(options_);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->values["targets"], 4);
  const double told = report->values["interpolation_error"];
  EXPECT_GT(told, 0.0);
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_NE(report->notes[0].find("5 of 21 frames"), std::string::npos) << report->notes[0];

  const GlbPlayer player(bytes_of(options_.job.output));
  EXPECT_EQ(player.json()["meshes"][0]["primitives"][0]["targets"].size(), 4u);
  double worst = 0.0;
  for (int i = 0; i < 21; ++i) {
    const Frame exact = frame(i);
    const GlbPlayer::Shown shown = player.show(0, 0.25 * i);
    for (const int v : vertices_of_bodies()[0]) {
      double nearest = infinity;
      for (const Vec<3>& x : shown.places) {
        nearest = std::min(nearest, (x - exact.mesh.vertices[v]).norm());
      }
      worst = std::max(worst, nearest);
    }
    // The file has every frame of stiff bodies.
    std::vector<Vec<3>> stiff;
    for (const int v : vertices_of_bodies()[1]) stiff.push_back(exact.mesh.vertices[v]);
    EXPECT_LT(distance(player.show(1, 0.25 * i).places, stiff), 2e-6);
  }
  EXPECT_NEAR(worst, told, 1e-5);
  // The body falls and turns by more than that: only its bending is off.
  EXPECT_LT(told, 0.05);
}

TEST_F(Glb, ABodyThatIsCrumpledIsStillWhereItIs) {
  write_frames(6);
  // The body is squeezed to a tenth and mirrored: no rotation describes much of that.
  for (int i = 2; i < 6; ++i) {
    Frame crumpled = frame(i);
    for (std::size_t v = 0; v < 5; ++v) crumpled.mesh.vertices[v][0] *= i % 2 == 0 ? 0.1 : -0.1;
    ASSERT_TRUE(write_frame(job_.folder / fmt::format("frames/frame_{:06}.vtu", i), crumpled).has_value());
  }
  ASSERT_TRUE(write_glb(options_).has_value());
  const GlbPlayer player(bytes_of(options_.job.output));
  for (int i = 0; i < 6; ++i) {
    std::vector<Vec<3>> places;
    for (std::size_t v = 0; v < 5; ++v) {
      places.push_back(frame(i).mesh.vertices[v]);
      if (i >= 2) places.back()[0] *= i % 2 == 0 ? 0.1 : -0.1;
    }
    EXPECT_LT(distance(player.show(0, 0.25 * i).places, places), 2e-6) << i;
    EXPECT_EQ(player.channel(0, "rotation", 0.25 * i), (std::vector<double>{0, 0, 0, 1})) << i;
  }
}

TEST_F(Glb, OneFrameIsAMeshWithoutAnimation) {
  write_frames(3);
  options_.job.frames = {1, 1, 1};
  ASSERT_TRUE(write_glb(options_).has_value());
  const GlbPlayer player(bytes_of(options_.job.output));
  EXPECT_FALSE(player.json().contains("animations"));
  EXPECT_FALSE(player.json()["meshes"][0]["primitives"][0].contains("targets"));
}

TEST_F(Glb, TellsEveryProblemAndLeavesNothing) {
  write_frames(5);
  Frame other = frame(2);
  other.mesh.vertices.emplace_back(9, 9, 9);
  other.velocity.emplace_back(0, 0, 0);
  other.point_arrays.clear();
  ASSERT_TRUE(write_frame(job_.folder / "frames/frame_000002.vtu", other).has_value());
  std::ofstream(job_.folder / "frames/frame_000003.vtu") << "no frame";
  std::ofstream(options_.job.output) << "mine";
  const Result<ExportReport> report = write_glb(options_);
  ASSERT_FALSE(report.has_value());
  ASSERT_EQ(report.issues().size(), 3u);
  EXPECT_NE(report.issues()[0].message.find("--overwrite"), std::string::npos);
  EXPECT_NE(report.issues()[1].message.find("22 vertices of the first frame"), std::string::npos);
  EXPECT_NE(report.issues()[2].file.find("frame_000003.vtu"), std::string::npos);
  EXPECT_EQ(bytes_of(options_.job.output), "mine");
  EXPECT_EQ(files(), std::vector<std::string>{"run.glb"});
}

TEST_F(Glb, KeysRiseAlsoWhereStepsAreShorterThanSinglePrecisionTells) {
  write_frames(4);
  std::vector<PvdEntry> entries;
  const std::vector<double> times = {0.0, 1000.0, 1000.0 + 1e-7, 1000.0 + 2e-7};
  for (std::size_t i = 0; i < times.size(); ++i)
    entries.push_back({times[i], fmt::format("frames/frame_{:06}.vtu", i)});
  ASSERT_TRUE(write_pvd(job_.folder / "frames.pvd", entries).has_value());
  ASSERT_TRUE(write_glb(options_).has_value());
  const GlbPlayer player(bytes_of(options_.job.output));
  for (const Json& sampler : player.json()["animations"][0]["samplers"]) {
    const auto keys = player.rows(sampler["input"]);
    ASSERT_EQ(keys.size(), 4u);
    for (std::size_t i = 1; i < 4; ++i) {
      EXPECT_GT(keys[i][0], keys[i - 1][0]);
      EXPECT_NEAR(keys[i][0], times[i], 2e-4);
    }
  }
}

TEST_F(Glb, TimesMustRise) {
  write_frames(3);
  ASSERT_TRUE(
      write_pvd(job_.folder / "frames.pvd",
                {{0.0, "frames/frame_000000.vtu"}, {0.5, "frames/frame_000001.vtu"}, {0.5, "frames/frame_000002.vtu"}})
          .has_value());
  const Result<ExportReport> report = write_glb(options_);
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.issues()[0].message.find("expected a time after"), std::string::npos);
}

}  // namespace
}  // namespace clearance::exchange
