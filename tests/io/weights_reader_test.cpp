// Weights of collision surfaces from HDF5 files: values that are read, each problem once, and the published files.
#include "clearance/io/mesh/weights_reader.h"

#include <cmath>
#include <limits>

#include "io/mesh_test_support.h"
#include "io/weights_file.h"

namespace clearance::test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class WeightsReader : public testing::Test {
 protected:
  /// Returns the problems without the folder, which differs in every run.
  Lines problems(const std::string& name = "w.hdf5") const {
    Lines lines;
    for (Issue issue : read_weights(folder_ / name).issues()) {
      EXPECT_EQ(issue.file, (folder_ / name).string());
      issue.file.clear();
      lines.push_back(to_string(issue));
    }
    return lines;
  }
  /// Writes a matrix of two rows and three columns.
  void write(const std::vector<double>& values, const std::vector<int>& rows, const std::vector<int>& columns) const {
    WeightsWriter(folder_ / "w.hdf5")
        .add("values", values)
        .add("rows", rows)
        .add("cols", columns)
        .shape(std::vector<std::int64_t>{2, 3});
  }
  Lines problems_of(const std::vector<double>& values, const std::vector<int>& rows,
                    const std::vector<int>& columns) const {
    write(values, rows, columns);
    return problems();
  }
  TemporaryFolder folder_;
};

TEST_F(WeightsReader, SortsRowsAddsDuplicatesAndLeavesOutZeros) {
  write({0.25, 1.0, 0.5, 0.25, 0.0, 0.125, -0.125}, {0, 1, 0, 0, 1, 1, 1}, {2, 1, 0, 2, 0, 2, 2});
  const Result<SurfaceWeights> read = read_weights(folder_ / "w.hdf5");
  ASSERT_TRUE(read.has_value()) << all_issues(read.issues());
  EXPECT_EQ(read->num_nodes, 3u);
  ASSERT_EQ(read->rows.size(), 2u);
  ASSERT_EQ(read->rows[0].size(), 2u);
  EXPECT_EQ(read->rows[0][0].node, 0);
  EXPECT_EQ(read->rows[0][0].weight, 0.5);
  EXPECT_EQ(read->rows[0][1].node, 2);
  EXPECT_EQ(read->rows[0][1].weight, 0.5);
  ASSERT_EQ(read->rows[1].size(), 1u);
  EXPECT_EQ(read->rows[1][0].node, 1);
}

TEST_F(WeightsReader, TakesNumbersOfOtherTypes) {
  WeightsWriter(folder_ / "w.hdf5")
      .add("values", std::vector<float>{0.5f, 0.5f})
      .add("rows", std::vector<std::int64_t>{0, 0})
      .add("cols", std::vector<std::int64_t>{1, 0})
      .shape(std::vector<int>{1, 2});
  const Result<SurfaceWeights> read = read_weights(folder_ / "w.hdf5");
  ASSERT_TRUE(read.has_value()) << all_issues(read.issues());
  EXPECT_EQ(read->rows[0].size(), 2u);
}

TEST_F(WeightsReader, SaysWhatIsNoFileOfWeights) {
  EXPECT_EQ(problems("none.hdf5"), Lines{"the file does not exist"});
  fs::create_directory(folder_ / "folder.hdf5");
  EXPECT_EQ(problems("folder.hdf5"), Lines{"the file does not exist"});
  write_text(folder_ / "text.hdf5", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_EQ(problems("text.hdf5"), Lines{"the file cannot be read; expected an HDF5 file"});
  write({1, 1}, {0, 1}, {0, 1});
  const std::string whole = read_text(folder_ / "w.hdf5");
  write_text(folder_ / "cut.hdf5", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(problems("cut.hdf5"), Lines{"the file cannot be read; expected an HDF5 file"});
  WeightsWriter(folder_ / "group.hdf5", "weights");
  EXPECT_EQ(problems("group.hdf5"), Lines{"the file has no group `weight_triplets`; expected this group with the "
                                          "datasets `values`, `rows` and `cols` and the attribute `shape`"});
}

TEST_F(WeightsReader, SaysAllThatIsMissing) {
  WeightsWriter(folder_ / "w.hdf5");
  EXPECT_EQ(problems(), (Lines{"weight_triplets/shape: this attribute is missing: expected an attribute of two "
                               "integers: how many rows and columns",
                               "weight_triplets/values: this dataset is missing; expected a list of numbers",
                               "weight_triplets/rows: this dataset is missing; expected a list of integers",
                               "weight_triplets/cols: this dataset is missing; expected a list of integers"}));
}

TEST_F(WeightsReader, SaysWhatIsOfAnotherType) {
  WeightsWriter(folder_ / "w.hdf5")
      .add("values", std::vector<double>{1})
      .add("rows", std::vector<double>{0})
      .add("cols", std::vector<int>{0})
      .shape(std::vector<double>{1, 1});
  EXPECT_EQ(problems(),
            (Lines{"weight_triplets/shape: expected an attribute of two integers: how many rows and columns",
                   "weight_triplets/rows: expected a list of integers"}));
  WeightsWriter(folder_ / "w.hdf5")
      .add("values", std::vector<double>{1})
      .add("rows", std::vector<int>{0})
      .add("cols", std::vector<int>{0})
      .shape(std::vector<std::int64_t>{1, 1, 1});
  EXPECT_EQ(problems(),
            Lines{"weight_triplets/shape: expected an attribute of two integers: how many rows and columns"});
}

TEST_F(WeightsReader, SaysWhichShapeIsNone) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{0, 3}, {-1, 3}, {3, 0}, {std::int64_t{1} << 40, 3}, {3, std::int64_t{1} << 40}}) {
    WeightsWriter(folder_ / "w.hdf5")
        .add("values", std::vector<double>{})
        .add("rows", std::vector<int>{})
        .add("cols", std::vector<int>{})
        .shape(shape);
    const std::string got = std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
    EXPECT_EQ(
        problems(),
        Lines{"weight_triplets/shape: expected 1 to 268435456 rows and 1 to 2147483647 columns (got " + got + ")"});
  }
}

TEST_F(WeightsReader, SaysWhichNumberIsWrong) {
  EXPECT_EQ(problems_of({1, 1, 1}, {0, 1}, {0, 1}),
            Lines{"weight_triplets: expected as many `rows` and `cols` as `values`, not 2, 2 and 3"});
  EXPECT_EQ(problems_of({1, 1}, {0, 2}, {0, 1}),
            Lines{"weight_triplets/rows[1]: expected a number from 0 to 1, as `shape` says (got 2)"});
  EXPECT_EQ(problems_of({1, 1}, {-1, 1}, {0, 3}),
            (Lines{"weight_triplets/rows[0]: expected a number from 0 to 1, as `shape` says (got -1)",
                   "weight_triplets/cols[1]: expected a number from 0 to 2, as `shape` says (got 3)"}));
  EXPECT_EQ(problems_of({1, std::numeric_limits<double>::quiet_NaN()}, {0, 1}, {0, 1}),
            Lines{"weight_triplets/values[1]: expected a finite number (got nan)"});
  EXPECT_EQ(problems_of({std::numeric_limits<double>::infinity(), 1}, {0, 1}, {0, 1}),
            Lines{"weight_triplets/values[0]: expected a finite number (got inf)"});
}

TEST_F(WeightsReader, SaysWhichRowDoesNotFollowTranslations) {
  EXPECT_EQ(problems_of({1, 0.5, 0.25}, {0, 1, 1}, {0, 1, 2}),
            Lines{"weight_triplets: the weights of row 1 add up to 0.75: expected 1, so that the surface follows "
                  "translations"});
  EXPECT_EQ(problems_of({1.5}, {0}, {0}), Lines{"weight_triplets: the weights of row 1 add up to 0 (the worst of 2 "
                                                "rows): expected 1, so that the surface follows "
                                                "translations"});
  EXPECT_EQ(problems_of({1 + 0.9e-6, 1 - 0.9e-6}, {0, 1}, {0, 1}), Lines{});
  EXPECT_EQ(problems_of({1 + 1.1e-6, 1}, {0, 1}, {0, 1}).size(), 1u);
}

TEST_F(WeightsReader, DistanceIsThatOfTheFarthestVertex) {
  const NodeWeights weights = {{{0, 0.5}, {1, 0.5}}, {{1, 1.0}}};
  const std::vector<Vec<3>> nodes = {{0, 0, 0}, {2, 0, 0}};
  EXPECT_EQ(distance_of_weights(weights, {{1, 0, 0}, {2, 0, 0}}, nodes), 0.0);
  EXPECT_EQ(distance_of_weights(weights, {{1, 0, 0}, {2, 0.25, 0}}, nodes), 0.25);
}

/// Columns are in the order of the nodes of mesh files, and rows in that of the vertices of surface files.
TEST(PublishedWeights, HaveTheVerticesWhereTheyAre) {
  const fs::path folder = peer_data() / "high-order-ipc";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no published weights in " << folder;
  struct Files {
    const char *weights, *mesh, *surface;
  };
  for (const auto& [weights_name, mesh_name, surface_name] :
       {Files{"barycentric/gargoyle-coarse-to-gargoyle", "gargoyle/gargoyle-coarse.msh", "gargoyle/gargoyle.ply"},
        Files{"mean_value/gargoyle-to-gargoyle-coarse", "gargoyle/gargoyle.msh", "gargoyle/gargoyle-coarse.ply"},
        Files{"barycentric/octocat-coarse-to-octocat", "octocat/octocat-coarse.msh", "octocat/octocat.ply"},
        Files{"barycentric/cube-symmetric-to-ball", "cube/cube-symmetric.msh", "sphere/sphere-fine.obj"},
        Files{"higher_order/P2-coarse-P2", "sphere/P2-coarse.msh", "sphere/P2-coarse-P2-collision-mesh.obj"}}) {
    const Result<SurfaceWeights> weights = read_weights(folder / "weights" / (std::string(weights_name) + ".hdf5"));
    const Result<Mesh> mesh = read_mesh(folder / "meshes" / mesh_name),
                       surface = read_mesh(folder / "meshes" / surface_name);
    ASSERT_TRUE(weights && mesh && surface) << weights_name << all_issues(weights.issues());
    EXPECT_EQ(weights->num_nodes, mesh->vertices.size()) << weights_name;
    ASSERT_EQ(weights->rows.size(), surface->vertices.size()) << weights_name;
    double size = 0.0;
    for (const Vec<3>& x : surface->vertices) size = std::max(size, x.norm());
    EXPECT_LT(distance_of_weights(weights->rows, surface->vertices, mesh->vertices), 1e-12 * size) << weights_name;
  }
}

TEST(PublishedWeights, AreAllRead) {
  const fs::path folder = peer_data() / "high-order-ipc/weights";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no published weights in " << folder;
  int count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hdf5") continue;
    ++count;
    const Result<SurfaceWeights> read = read_weights(entry.path());
    EXPECT_TRUE(read.has_value()) << all_issues(read.issues());
  }
  EXPECT_GE(count, 50);
}

}  // namespace
}  // namespace clearance::test
