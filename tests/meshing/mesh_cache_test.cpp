#include "clearance/meshing/mesh_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "clearance/meshing/mesh_program.h"
#include "meshing/surfaces.h"

namespace clearance {
namespace {

using namespace test;
namespace fs = std::filesystem;

class MeshCache : public testing::Test {
 protected:
  void SetUp() override {
    if (find_mesh_program().empty()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
    folder_ = fs::temp_directory_path() / ("clearance_cache_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    ::setenv("CLEARANCE_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("CLEARANCE_CACHE");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t num_files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
  Mesh surface_ = box_surface({1, 1, 1});
  VolumeMeshOptions options_{0.5};
};

TEST_F(MeshCache, KeepsWhatWasMadeBitForBit) {
  const Result<VolumeMesh> made = cached_volume_mesh(surface_, options_),
                           known = cached_volume_mesh(surface_, options_);
  ASSERT_TRUE(made && known);
  EXPECT_EQ(made->mesh.vertices, known->mesh.vertices);
  EXPECT_EQ(made->mesh.tets, known->mesh.tets);
  EXPECT_EQ(made->report.deviation(), known->report.deviation());
  // The two times are equal: nothing was made the second time.
  EXPECT_EQ(made->report.seconds, known->report.seconds);
  EXPECT_EQ(num_files(), 2U);
}

TEST_F(MeshCache, TouchesNothingElseAndMakesAnewWhatIsDamaged) {
  std::ofstream(folder_ / "mine.msh") << "mine";
  const Result<VolumeMesh> made = cached_volume_mesh(surface_, options_);
  ASSERT_TRUE(made);
  const fs::path mesh = folder_ / (volume_mesh_key(surface_, options_) + ".msh");
  const std::string text = text_of(mesh);
  std::ofstream(mesh) << text.substr(0, text.size() / 2);
  const Result<VolumeMesh> again = cached_volume_mesh(surface_, options_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->mesh.tets, made->mesh.tets);
  EXPECT_EQ(text_of(mesh), text);
  EXPECT_EQ(text_of(folder_ / "mine.msh"), "mine");
  EXPECT_EQ(num_files(), 3U);
}

TEST_F(MeshCache, FolderThatCannotBeWrittenIsNoFailure) {
  std::ofstream(folder_ / "file") << "";
  ::setenv("CLEARANCE_CACHE", (folder_ / "file").c_str(), 1);
  EXPECT_TRUE(cached_volume_mesh(surface_, options_));
}

TEST(MeshCacheKey, FollowsFromContentAndOptions) {
  const Mesh box = box_surface({1, 1, 1});
  const std::string key = volume_mesh_key(box, {0.5});
  EXPECT_EQ(key.size(), 16U);
  EXPECT_EQ(key, volume_mesh_key(box_surface({1, 1, 1}), {0.5}));
  EXPECT_NE(key, volume_mesh_key(box, {}));
  EXPECT_NE(key, volume_mesh_key(box, {0.25}));
  EXPECT_NE(key, volume_mesh_key(moved(box, {1e-15, 0, 0}), {0.5}));
  EXPECT_NE(key, volume_mesh_key(with_turned(box, 7), {0.5}));
}

}  // namespace
}  // namespace clearance
