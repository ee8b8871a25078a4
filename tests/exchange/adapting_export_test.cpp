// Exports of runs whose elements change from frame to frame: formats that can hold them, and the messages of those that
// cannot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "clearance/exchange/alembic.h"
#include "clearance/exchange/glb.h"
#include "clearance/exchange/obj_sequence.h"
#include "clearance/exchange/point_caches.h"
#include "clearance/exchange/xdmf.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/ogawa_reader.h"
#include "clearance/io/mesh/stage.h"
#include "clearance/io/result/pvd.h"
#include "support/adapting_frames.h"

namespace clearance::exchange {
namespace {

namespace fs = std::filesystem;

class AdaptingExport : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("clearance_adapting_export_{}_{}",
                                                      testing::UnitTest::GetInstance()->current_test_info()->name(),
                                                      ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "run/frames");
    fs::create_directories(folder_ / "out");
    std::ofstream(folder_ / "run/bodies.json") << R"([{"name": "soft", "entry": 0}, {"name": "stiff", "entry": 1}])";
    std::vector<PvdEntry> entries;
    for (int i = 0; i < 5; ++i) {
      const std::string file = fmt::format("frames/frame_{:06}.vtu", i);
      ASSERT_TRUE(write_frame(folder_ / "run" / file, adapting_frame(i)).has_value());
      entries.push_back({0.1 * i, file});
    }
    ASSERT_TRUE(write_pvd(folder_ / "run/frames.pvd", entries).has_value());
    job_.folder = folder_ / "run";
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(folder_);
  }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path folder_;
  ExportJob job_;
};

TEST_F(AdaptingExport, NumberedObjFilesHaveTheElementsOfTheirFrames) {
  job_.output = folder_ / "out/run.obj";
  const Result<ExportReport> report = write_obj_sequence(job_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(report->num_frames, 5u);
  EXPECT_EQ(report->files.size(), 6u);
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_EQ(report->notes[0],
            "elements change from frame to frame, so that the number of a vertex means another vertex in every frame");
  for (int i = 0; i < 5; ++i) {
    const fs::path path = folder_ / fmt::format("out/run_{:06}.obj", i);
    const Result<Mesh> mesh = read_mesh(path);
    ASSERT_TRUE(mesh.has_value()) << to_string(mesh.issues().front());
    const Mesh exact = adapting_frame(i).mesh;
    EXPECT_EQ(mesh->triangles.size(), exact.triangles.size()) << i;
    ASSERT_EQ(mesh->vertices.size(), exact.vertices.size()) << i;
    for (const Vec<3>& x : exact.vertices) {
      EXPECT_EQ(std::count(mesh->vertices.begin(), mesh->vertices.end(), x), 1) << i << ": " << x.transpose();
    }
    const std::string text = bytes_of(path);
    EXPECT_NE(text.find("o soft\nusemtl 0_soft\n"), std::string::npos);
    EXPECT_NE(text.find(fmt::format("frame {}, ", i)), std::string::npos);
  }
  EXPECT_NE(bytes_of(folder_ / "out/run.mtl").find("newmtl 1_stiff\n"), std::string::npos);
}

TEST_F(AdaptingExport, XdmfHasTheElementsOnceWhereTheyChange) {
  job_.output = folder_ / "out/run.xdmf";
  const Result<ExportReport> report = write_xdmf(job_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(report->values["topologies"], 3);
  const std::string head = bytes_of(job_.output);
  EXPECT_NE(head.find("TopologyType=\"Triangle\" NumberOfElements=\"3\""), std::string::npos);
  EXPECT_NE(head.find("TopologyType=\"Triangle\" NumberOfElements=\"5\""), std::string::npos);
  EXPECT_NE(head.find("Attribute Name=\"rest_position\" AttributeType=\"Vector\""), std::string::npos);
}

TEST_F(AdaptingExport, AlembicHasTheElementsOfEveryFrame) {
  job_.output = folder_ / "out/run.abc";
  const Result<ExportReport> report = write_alembic({job_, 1.0});
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  MeshInput input(job_.output);
  OgawaReader reader(input);
  ASSERT_FALSE(input.has_failed()) << to_string(input.issues().front());
  // /run has the bodies soft and stiff, each with its shapes.
  const AbcObject& soft = reader.root().children.at(0).children.at(0);
  ASSERT_EQ(soft.path, "/run/soft");
  ASSERT_EQ(soft.children.at(0).path, "/run/soft/surface");
  const auto geometry = reader.properties(soft.children[0].properties, "").at(".geom");
  const auto properties = reader.properties(geometry.group, "");
  for (std::size_t i = 0; i < 5; ++i) {
    const Frame frame = adapting_frame(static_cast<int>(i));
    std::size_t num_triangles = 0;
    for (std::size_t t = 0; t < frame.mesh.triangles.size(); ++t) num_triangles += frame.cell_body[t] == 0 ? 1 : 0;
    EXPECT_EQ(reader.numbers(properties.at(".faceIndices"), i, "")->size(), 3 * num_triangles) << i;
    for (const char* name : {"P", ".velocities"}) {
      const auto found = properties.find(name);
      if (found == properties.end()) continue;
      EXPECT_EQ(reader.numbers(found->second, i, "")->size(), reader.numbers(properties.at("P"), i, "")->size());
    }
  }
  EXPECT_FALSE(properties.at(".faceIndices").is_constant());
  // No vertices go from frame to frame.
  const auto samples = read_stage_samples(job_.output.string() + "</run/soft>");
  ASSERT_FALSE(samples.has_value());
  EXPECT_NE(to_string(samples.issues()[0]).find("the same elements at all times"), std::string::npos)
      << to_string(samples.issues()[0]);
}

TEST_F(AdaptingExport, FormatsOfOneTopologySayWhichOthersThereAre) {
  const std::string expected = "export to .html, .abc, .obj or .xdmf";
  job_.output = folder_ / "out/run.glb";
  const Result<ExportReport> glb = write_glb({job_, 100, 1.0});
  ASSERT_FALSE(glb.has_value());
  ASSERT_EQ(glb.issues().size(), 1u) << "not one of every frame";
  EXPECT_NE(glb.issues()[0].message.find(expected), std::string::npos) << to_string(glb.issues()[0]);
  EXPECT_NE(glb.issues()[0].file.find("frame_000002"), std::string::npos);
  job_.output = folder_ / "out/run.pc2";
  const Result<ExportReport> caches = write_point_caches({job_, 1.0});
  ASSERT_FALSE(caches.has_value());
  EXPECT_NE(caches.issues()[0].message.find(expected), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder_ / "out"));
  // Frames with the same elements are exported as usual.
  job_.output = folder_ / "out/run.glb";
  job_.frames = {2, 3, 1};
  EXPECT_TRUE(write_glb({job_, 100, 1.0}).has_value());
}

}  // namespace
}  // namespace clearance::exchange
