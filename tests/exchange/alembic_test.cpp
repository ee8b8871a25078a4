// Alembic archives, read back: where vertices are in every frame, and what is stored once.
#include "clearance/exchange/alembic.h"

#include "clearance/exchange/ogawa_writer.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/ogawa_reader.h"
#include "clearance/io/mesh/stage.h"
#include "exchange/small_run.h"

namespace clearance::exchange {
namespace {

class Alembic : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    options_.job = job_;
    options_.job.output = folder_ / "out/run.abc";
  }
  std::string path(const std::string& object) const { return options_.job.output.string() + "<" + object + ">"; }

  AnimationJob options_;
};

const std::vector<std::string> objects = {"bent & \"torn\"", "die", "body 2", "floor", ".._rod", "dust"};

/// Looks properties up by the path of their object and their own.
class Archive {
 public:
  explicit Archive(const fs::path& path) : input_(path), reader_(input_) {
    EXPECT_FALSE(input_.has_failed()) << to_string(input_.issues().front());
  }

  const AbcObject* object(const std::string& path) const { return find(reader_.root(), path); }
  std::optional<AbcProperty> property(const std::string& path, const std::vector<std::string>& names) {
    const AbcObject* owner = object(path);
    if (owner == nullptr) return {};
    std::optional<AbcProperty> found;
    std::uint64_t group = owner->properties;
    for (const std::string& name : names) {
      const auto properties = reader_.properties(group, path);
      const auto next = properties.find(name);
      if (next == properties.end()) return {};
      found = next->second;
      group = next->second.group;
    }
    return found;
  }
  std::vector<double> numbers(const std::string& path, const std::vector<std::string>& names, std::size_t sample = 0) {
    const auto found = property(path, names);
    return found ? reader_.numbers(*found, sample, path).value_or(std::vector<double>()) : std::vector<double>();
  }
  double time(const AbcProperty& property, std::size_t sample) const {
    return reader_.time_sampling(property).time(sample);
  }

 private:
  static const AbcObject* find(const AbcObject& object, const std::string& path) {
    if (object.path == path) return &object;
    for (const AbcObject& child : object.children) {
      if (const AbcObject* found = find(child, path)) return found;
    }
    return nullptr;
  }

  MeshInput input_;
  OgawaReader reader_;
};

TEST_F(Alembic, IsReadBackAsMeshesWithTheVerticesOfEveryFrame) {
  write_frames(5);
  const Result<ExportReport> report = write_alembic(options_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(files(), std::vector<std::string>{"run.abc"});
  for (std::size_t b = 0; b < objects.size(); ++b) {
    const auto samples = read_stage_samples(path("/all kinds/" + objects[b]));
    ASSERT_TRUE(samples.has_value()) << to_string(samples.issues().front());
    // The obstacle rests.
    ASSERT_EQ(samples->size(), b == 3 ? 1u : 5u) << objects[b];
    for (std::size_t i = 0; i < samples->size(); ++i) {
      const Mesh mesh = frame(static_cast<int>(i)).mesh;
      ASSERT_EQ((*samples)[i].size(), vertices_of_bodies()[b].size());
      for (const Vec<3>& x : (*samples)[i]) {
        // The run has z upwards, archives have y.
        const Vec<3> place(x[0], -x[2], x[1]);
        const auto& all = vertices_of_bodies()[b];
        EXPECT_TRUE(
            std::any_of(all.begin(), all.end(), [&](int v) { return (place - mesh.vertices[v]).norm() < 2e-6; }))
            << objects[b] << ' ' << i;
      }
    }
  }
}

TEST_F(Alembic, KeepsElementsAndWhichSideIsOutside) {
  write_frames(1);
  ASSERT_TRUE(write_alembic(options_).has_value());
  const Result<Mesh> mesh = read_mesh(path("/all kinds/die/surface"));
  ASSERT_TRUE(mesh.has_value()) << to_string(mesh.issues().front());
  ASSERT_EQ(mesh->triangles.size(), 4u);
  double volume = 0.0;
  for (const auto& [a, b, c] : mesh->triangles)
    volume += mesh->vertices[a].dot(mesh->vertices[b].cross(mesh->vertices[c])) / 6.0;
  EXPECT_NEAR(volume, 1.0 / 6.0, 1e-6);
  const Result<Mesh> rod = read_mesh(path("/all kinds/.._rod"));
  ASSERT_TRUE(rod.has_value());
  EXPECT_EQ(rod->edges.size(), 2u);
  const Result<Mesh> dust = read_mesh(path("/all kinds/dust"));
  ASSERT_TRUE(dust.has_value());
  EXPECT_EQ(dust->points.size(), 2u);
  const Result<Mesh> all = read_mesh(options_.job.output);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->vertices.size(), 22u);
}

TEST_F(Alembic, StoresWhatDoesNotChangeOnce) {
  write_frames(5);
  ASSERT_TRUE(write_alembic(options_).has_value());
  Archive archive(options_.job.output);
  const std::string bent = "/all kinds/" + objects[0] + "/surface", die = "/all kinds/die";
  const auto faces = archive.property(bent, {".geom", ".faceIndices"});
  ASSERT_TRUE(faces.has_value());
  EXPECT_TRUE(faces->is_constant());
  EXPECT_EQ(faces->num_samples, 5u);
  EXPECT_FALSE(archive.property(bent, {".geom", "P"})->is_constant());
  EXPECT_TRUE(archive.property("/all kinds/" + objects[0], {".xform", ".vals"})->is_constant());
  EXPECT_EQ(archive.property(die + "/surface", {".geom", "P"})->num_samples, 1u);
  EXPECT_EQ(archive.property(die, {".xform", ".vals"})->num_samples, 5u);
  // The die turns about no axis of the scene: all nine numbers of its turn and the height change, x and z do not.
  EXPECT_EQ(archive.numbers(die, {".xform", ".animChans"}),
            (std::vector<double>{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}));
  EXPECT_EQ(archive.numbers("/all kinds/floor", {".xform", ".userProperties", "clearance_is_obstacle"}),
            std::vector<double>{1.0});
  EXPECT_EQ(archive.numbers(die, {".xform", ".userProperties", "clearance_body"}), std::vector<double>{1.0});
}

TEST_F(Alembic, HasTimesOfTheAnimationAndVelocitiesThatAgreeWithThem) {
  write_frames(8);
  options_.job.frames = {1, 7, 3};
  options_.speed = 0.5;
  ASSERT_TRUE(write_alembic(options_).has_value());
  Archive archive(options_.job.output);
  const std::string bent = "/all kinds/" + objects[0] + "/surface";
  const auto points = archive.property(bent, {".geom", "P"});
  ASSERT_TRUE(points.has_value());
  // Frames are 0.75 s apart, and half of that is shown in a second.
  EXPECT_DOUBLE_EQ(archive.time(*points, 0), 0.0);
  EXPECT_DOUBLE_EQ(archive.time(*points, 2), 3.0);
  // The velocity of frame 4 is (4, 1, 2).
  const std::vector<double> velocities = archive.numbers(bent, {".geom", ".velocities"}, 1);
  ASSERT_EQ(velocities.size(), 15u);
  EXPECT_EQ(std::vector<double>(velocities.begin(), velocities.begin() + 3), (std::vector<double>{2.0, 0.5, 1.0}));
  EXPECT_FALSE(archive.property("/all kinds/die/surface", {".geom", ".velocities"}).has_value());
}

TEST_F(Alembic, KeepsUnevenTimes) {
  std::vector<PvdEntry> entries;
  for (const int i : {0, 1, 3}) {
    const std::string file = fmt::format("frames/frame_{:06}.vtu", i);
    ASSERT_TRUE(write_frame(job_.folder / file, frame(i)).has_value());
    entries.push_back({0.25 * i, file});
  }
  ASSERT_TRUE(write_pvd(job_.folder / "frames.pvd", entries).has_value());
  ASSERT_TRUE(write_alembic(options_).has_value());
  Archive archive(options_.job.output);
  const auto matrices = archive.property("/all kinds/die", {".xform", ".vals"});
  ASSERT_TRUE(matrices.has_value());
  EXPECT_EQ(archive.time(*matrices, 1), 0.25);
  EXPECT_EQ(archive.time(*matrices, 2), 0.75);
  // Samples at even distances go linearly between those of the file.
  const auto samples = read_stage_samples(path("/all kinds/dust"));
  ASSERT_TRUE(samples.has_value());
  ASSERT_EQ(samples->size(), 4u);
  EXPECT_NEAR((*samples)[2][0][0], 2.0, 1e-6);
}

TEST_F(Alembic, HasMetresThicknessAndNoVelocitiesOfStatics) {
  std::ofstream(folder_ / "run/scene.json") << R"({"units": "mm-N-MPa", "time": {"integrator": "quasi_static"},
             "bodies": [{}, {}, {"thickness": null}, {}, {"thickness": 0.25}, {"thickness": 0.5}]})";
  write_frames(2);
  ASSERT_TRUE(write_alembic(options_).has_value());
  Archive archive(options_.job.output);
  EXPECT_NEAR(archive.numbers("/run/.._rod/lines", {".geom", "width"})[0], 0.25e-3, 1e-10);
  EXPECT_NEAR(archive.numbers("/run/dust/points", {".geom", ".widths"})[0], 0.5e-3, 1e-10);
  EXPECT_FALSE(archive.property("/run/" + objects[0] + "/surface", {".geom", ".velocities"}).has_value());
  const std::vector<double> matrix = archive.numbers("/run/floor", {".xform", ".vals"});
  ASSERT_EQ(matrix.size(), 16u);
  EXPECT_NEAR(matrix[14], -3.75e-3, 1e-12);  // the mean of its corners
}

TEST_F(Alembic, IsTheSameFileEveryTime) {
  write_frames(3);
  ASSERT_TRUE(write_alembic(options_).has_value());
  const std::string first = bytes_of(options_.job.output);
  options_.job.is_overwriting = true;
  ASSERT_TRUE(write_alembic(options_).has_value());
  EXPECT_EQ(bytes_of(options_.job.output), first);
}

TEST(OgawaWriter, DigestsAreThoseOfMurmurHash3) {
  EXPECT_EQ(abc_digest(""), (AbcDigest{0, 0}));
  // Digests that Alembic 1.8.9 has written for these texts.
  EXPECT_EQ(abc_digest("The quick brown fox jumps over the lazy dog"),
            (AbcDigest{0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347}));
}

TEST(OgawaWriter, RepeatedValuesTakeNoRoomBetweenChanges) {
  const fs::path path = fs::temp_directory_path() / fmt::format("clearance_ogawa_{}.abc", ::getpid());
  const std::vector<double> values = {1, 1, 2, 2, 2, 1, 3, 3};
  OgawaWriter writer(path, {{0, 1, 2, 3, 4, 5, 6, 7}, 1.0}, {});
  OgawaWriter::Object& object = writer.root().add_object("a", {});
  OgawaWriter::Property& list = add_array(object.properties, "list", AbcPod::float64, 1, true);
  OgawaWriter::Property& same = add_scalar(object.properties, "same", AbcPod::float64, 1, true);
  for (const double value : values) {
    writer.add<double>(list, std::vector<double>(static_cast<std::size_t>(value), value));
    writer.add<double>(same, std::array{4.0});
  }
  ASSERT_TRUE(writer.close().has_value());
  Archive archive(path);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(archive.numbers("/a", {"list"}, i), std::vector<double>(static_cast<std::size_t>(values[i]), values[i]))
        << i;
    EXPECT_EQ(archive.numbers("/a", {"same"}, i), std::vector<double>{4.0});
  }
  EXPECT_EQ(archive.property("/a", {"list"})->first_changed, 2u);
  EXPECT_EQ(archive.property("/a", {"list"})->last_changed, 6u);
  EXPECT_TRUE(archive.property("/a", {"same"})->is_constant());
  fs::remove(path);
}

}  // namespace
}  // namespace clearance::exchange
