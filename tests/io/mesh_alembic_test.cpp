// Alembic archives: what the library of Alembic has written, and what is refused. Archives of our own are read in
// tests/exchange/alembic_test.cpp.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "clearance/io/mesh/stage.h"
#include "io/mesh_test_support.h"

namespace clearance {
namespace {

using test::all_issues;

/// Written by Alembic 1.8.9: /world (moves, turns, scales; camera) with /world/plate (a quadrilateral and a triangle,
/// at uneven times) and /world/free (does not inherit) with curves and points; /sub (a SubD); /hidden.
std::filesystem::path reference() {
  return source_folder() / "tests/io/written_by_alembic.abc";
}

std::string reference_bytes() {
  return test::read_text(reference());
}

/// Returns the problems of an archive with these bytes.
std::string problems_of(const std::string& bytes, const std::string& object = "") {
  test::TemporaryFolder folder;
  test::write_text(folder / "a.abc", bytes);
  const auto mesh = read_mesh((folder / "a.abc").string() + (object.empty() ? "" : "<" + object + ">"));
  EXPECT_EQ(mesh ? test::find_fault(*mesh) : "", "");
  return all_issues(mesh.issues());
}

void expect_near(const Vec<3>& x, const Vec<3>& y) {
  EXPECT_LT((x - y).norm(), 1e-6) << x.transpose() << " instead of " << y.transpose();
}

TEST(MeshAlembic, ShapesAreWhereTheLibraryHasThem) {
  const auto mesh = read_mesh(reference());
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  EXPECT_EQ(test::find_fault(*mesh), "");
  // The hidden triangle is not there.
  ASSERT_EQ(mesh->vertices.size(), 5u + 5u + 2u + 4u);
  EXPECT_EQ(mesh->triangles.size(), 5u);
  EXPECT_EQ(mesh->edges.size(), 3u);
  EXPECT_EQ(mesh->points.size(), 2u);
  expect_near(mesh->vertices[0], {1, 2, 3});
  expect_near(mesh->vertices[4], {1, 3, -1});
  expect_near(mesh->vertices[6], {10, 1, 0});
  expect_near(mesh->vertices[8], {9, 0, 0});
  expect_near(mesh->vertices[11], {5, 6, 5});
  std::vector<std::string> names;
  for (const MeshGroup& group : mesh->groups) names.push_back(group.name);
  EXPECT_EQ(names, (std::vector<std::string>{"/world/plate", "/world/free/wire", "/world/free/dust", "/sub"}));
}

TEST(MeshAlembic, FacesAreTurnedToLookOutwards) {
  const auto mesh = read_mesh(reference().string() + "</sub>");
  ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
  // The archive lists the corners clockwise seen from z.
  ASSERT_EQ(mesh->triangles.size(), 2u);
  for (const auto& [a, b, c] : mesh->triangles) {
    const Vec<3>&x = mesh->vertices[a], &y = mesh->vertices[b], &z = mesh->vertices[c];
    EXPECT_GT((y - x).cross(z - x)[2], 0.0);
  }
}

TEST(MeshAlembic, SamplesGoLinearlyBetweenTimesOfAllObjects) {
  const auto samples = read_stage_samples(reference().string() + "</world/plate>");
  ASSERT_TRUE(samples.has_value()) << all_issues(samples.issues());
  // Places at 1, 1.5, 2 and 2.5 s, points at 1, 1.5 and 2.5 s.
  ASSERT_EQ(samples->size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) expect_near((*samples)[i][0], {1, 2, 3.0 + static_cast<double>(i)});
  expect_near((*samples)[1][4], {3, 3, 0});
  expect_near((*samples)[2][4], {4, 3, 1});
  expect_near((*samples)[3][4], {5, 3, 2});
  const auto still = read_stage_samples(reference().string() + "</sub>");
  ASSERT_TRUE(still.has_value());
  EXPECT_EQ(still->size(), 1u);
}

TEST(MeshAlembic, UnknownObjectsAndOtherFilesAreRefused) {
  const std::string bytes = reference_bytes();
  EXPECT_NE(problems_of(bytes, "/world/none").find("expected the path of an object"), std::string::npos);
  EXPECT_NE(problems_of(bytes, "/world/camera").find("expected the path of an object"), std::string::npos);
  EXPECT_NE(problems_of("\x89HDF\r\n\x1a\n" + std::string(100, 'x')).find("abcconvert -toOgawa"), std::string::npos);
  EXPECT_NE(problems_of("solid").find("expected an Alembic archive"), std::string::npos);
  EXPECT_NE(problems_of("").find("expected an Alembic archive"), std::string::npos);
  std::string unfinished = bytes;
  unfinished[5] = 0;
  EXPECT_NE(problems_of(unfinished).find("is not finished"), std::string::npos);
}

TEST(MeshAlembic, FilesThatAreCutOffAreRefusedWherever) {
  const std::string bytes = reference_bytes();
  for (std::size_t size = 0; size < bytes.size(); size += 7) EXPECT_NE(problems_of(bytes.substr(0, size)), "") << size;
}

TEST(MeshAlembic, ObjectsThatContainThemselvesAreRefused) {
  std::string bytes = reference_bytes();
  const auto number_at = [&](std::size_t at) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    return number;
  };
  // The root has the objects as its third child, and their second child is /world: make it the root of all objects.
  const std::uint64_t objects = number_at(number_at(8) + 8 + 2 * 8);
  std::memcpy(bytes.data() + objects + 2 * 8, &objects, sizeof(objects));
  EXPECT_NE(problems_of(bytes).find("nested without an end"), std::string::npos) << problems_of(bytes);
}

TEST(MeshAlembic, DamagedArchivesEndInAValidMeshOrInIssues) {
  const std::string bytes = reference_bytes();
  std::mt19937 random(20);
  const char* text = std::getenv("CLEARANCE_FUZZ_SEEDS");
  const int num_rounds = text != nullptr ? 40 * std::atoi(text) : 3000;
  int num_valid = 0;
  for (int round = 0; round < num_rounds; ++round) {
    std::string damaged = bytes;
    for (std::size_t k = random() % 4 + 1; k > 0; --k) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0:
          damaged[at] = static_cast<char>(random());
          break;
        case 1: {
          // A place or a size of 64 bits.
          const std::uint64_t number = random() % 3 == 0 ? random() : random() % damaged.size();
          if (at + 8 <= damaged.size()) std::memcpy(damaged.data() + at, &number, 8);
          break;
        }
        case 2: {
          // A place from elsewhere in the file.
          const std::size_t from = random() % damaged.size() / 8 * 8;
          if (std::max(at, from) + 8 <= damaged.size()) std::memmove(damaged.data() + at, damaged.data() + from, 8);
          break;
        }
        default:
          damaged[at] = static_cast<char>(damaged[at] ^ 1 << random() % 8);
          break;
      }
    }
    test::TemporaryFolder folder;
    test::write_text(folder / "a.abc", damaged);
    const auto mesh = read_mesh(folder / "a.abc");
    if (mesh) {
      ASSERT_EQ(test::find_fault(*mesh), "") << round;
      ++num_valid;
    } else {
      ASSERT_FALSE(mesh.issues().empty()) << round;
    }
    const auto samples = read_stage_samples(folder / "a.abc");
    ASSERT_TRUE(samples.has_value() || !samples.issues().empty()) << round;
  }
  EXPECT_GT(num_valid, num_rounds / 20);
  EXPECT_LT(num_valid, num_rounds - num_rounds / 20);
}

}  // namespace
}  // namespace clearance
