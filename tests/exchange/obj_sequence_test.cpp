// Numbered .obj files, read back.
#include "clearance/exchange/obj_sequence.h"

#include "clearance/io/mesh/mesh_reader.h"
#include "exchange/small_run.h"

namespace clearance::exchange {
namespace {

class ObjSequence : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    job_.output = folder_ / "out/run.obj";
  }
};

TEST_F(ObjSequence, HasTheExactPlacesOfTheChosenFrames) {
  write_frames(8);
  job_.frames = {1, 6, 2};
  const Result<ExportReport> report = write_obj_sequence(job_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(files(), (std::vector<std::string>{"run.mtl", "run_000001.obj", "run_000003.obj", "run_000005.obj"}));
  for (const int i : {1, 3, 5}) {
    const Result<Mesh> mesh = read_mesh(folder_ / fmt::format("out/run_{:06}.obj", i));
    ASSERT_TRUE(mesh.has_value()) << to_string(mesh.issues().front());
    const Mesh exact = frame(i).mesh;
    EXPECT_EQ(mesh->vertices.size(), exact.vertices.size());
    for (const Vec<3>& x : exact.vertices) {
      EXPECT_EQ(std::count(mesh->vertices.begin(), mesh->vertices.end(), x), 1) << x.transpose();
    }
    EXPECT_EQ(mesh->triangles.size(), 6u + 3 * 4);
    EXPECT_EQ(mesh->edges.size(), 2u);
    EXPECT_EQ(mesh->points.size(), 2u);
    // The triangles point outwards: the volumes are those of five tetrahedra, the second of body 0 twice as large as a
    // first one.
    double volume = 0.0;
    for (const auto& [a, b, c] : mesh->triangles) {
      volume += mesh->vertices[a].dot(mesh->vertices[b].cross(mesh->vertices[c])) / 6.0;
    }
    double exact_volume = 0.0;
    for (const auto& tet : exact.tets) {
      const auto x = [&](std::size_t k) { return exact.vertices[tet[k]]; };
      exact_volume += std::abs((x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0))) / 6.0;
    }
    EXPECT_NEAR(std::abs(volume), exact_volume, 1e-9);
  }
  const std::string text = bytes_of(folder_ / "out/run_000003.obj");
  EXPECT_NE(text.find("mtllib run.mtl\n"), std::string::npos);
  EXPECT_NE(text.find("o bent_&_\"torn\"\nusemtl 0_bent_&_\"torn\"\n"), std::string::npos) << text;
  EXPECT_NE(bytes_of(folder_ / "out/run.mtl").find("newmtl 3_floor\n"), std::string::npos);
}

TEST_F(ObjSequence, NamesFilesOfAnEarlierExportThatStay) {
  write_frames(6);
  ASSERT_TRUE(write_obj_sequence(job_).has_value());
  job_.frames = {0, 3, 1};
  const Result<ExportReport> refused = write_obj_sequence(job_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.issues().size(), 5u);
  job_.is_overwriting = true;
  const Result<ExportReport> report = write_obj_sequence(job_);
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_NE(report->notes[0].find("2 files run_<number>.obj of an earlier export"), std::string::npos);
  EXPECT_EQ(files().size(), 7u);
}

}  // namespace
}  // namespace clearance::exchange
