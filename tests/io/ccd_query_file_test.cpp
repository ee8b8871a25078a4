// Binary files of CCD queries: nothing is lost on the way, damage is reported, and killed writers leave what they
// wrote.
#include "clearance/io/ccd/ccd_query_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <random>

#include "clearance/io/ccd/ccd_queries.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t header_size = 24, record_size = 194;

class CcdQueryFile : public testing::Test {
 protected:
  CcdQueryFile()
      : folder_(fs::path(testing::TempDir()) /
                ("ccd_query_file_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CcdQueryFile() override { fs::remove_all(folder_); }

  /// Returns a query with all coordinates equal to `number`.
  static CcdQuery numbered(double number) {
    CcdQuery query;
    for (auto* vertices : {&query.motion.t0, &query.motion.t1}) vertices->fill(Vec<3>::Constant(number));
    return query;
  }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path store(const std::string& bytes) const {
    std::ofstream(folder_ / "stored.ccd", std::ios::binary) << bytes;
    return folder_ / "stored.ccd";
  }
  /// Returns a finished file of three queries.
  std::string three_queries() const {
    auto writer = CcdQueryWriter::create(folder_ / "three.ccd");
    for (int i = 0; i < 3; ++i) writer->write({numbered(i), i == 1});
    EXPECT_TRUE(writer->finish());
    return bytes_of(folder_ / "three.ccd");
  }
  std::string message_for(const std::string& bytes) const {
    const auto result = read_ccd_query_file(store(bytes));
    return result ? "" : to_string(result.issues()[0]);
  }
  /// Returns the numbers of the queries in the file.
  static std::vector<double> numbers_in(const fs::path& path) {
    std::vector<double> numbers;
    const auto queries = read_ccd_query_file(path);
    EXPECT_TRUE(queries);
    if (queries) {
      for (const LabelledQuery& q : *queries) numbers.push_back(q.query.motion.t0[0][0]);
    }
    return numbers;
  }

  fs::path folder_;
};

TEST_F(CcdQueryFile, QueryFile_RoundTripKeepsEveryBit) {
  constexpr unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::uint64_t> any;
  std::vector<LabelledQuery> queries(200);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    queries[i].query.kind = i % 2 == 0 ? QueryKind::point_triangle : QueryKind::edge_edge;
    if (i % 3 > 0) queries[i].is_hit = i % 3 == 1;
    for (auto* vertices : {&queries[i].query.motion.t0, &queries[i].query.motion.t1}) {
      for (Vec<3>& vertex : *vertices) {
        for (double& x : vertex) {
          do x = std::bit_cast<double>(any(random));
          while (!std::isfinite(x));
        }
      }
    }
  }
  queries[0].query.motion.t1[3] = Vec<3>(-0.0, 5e-324, -1.7976931348623157e308);
  auto writer = CcdQueryWriter::create(folder_ / "all.ccd");
  ASSERT_TRUE(writer);
  for (const LabelledQuery& q : queries) writer->write(q);
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(fs::file_size(folder_ / "all.ccd"), header_size + queries.size() * record_size);

  const auto read = read_ccd_query_file(folder_ / "all.ccd");
  ASSERT_TRUE(read) << to_string(read.issues()[0]);
  ASSERT_EQ(read->size(), queries.size());
  const auto bits = [](const CcdQuery& q, int k, int c, bool is_end) {
    return std::bit_cast<std::uint64_t>((is_end ? q.motion.t1 : q.motion.t0)[k][c]);
  };
  for (std::size_t i = 0; i < queries.size(); ++i) {
    EXPECT_EQ((*read)[i].query.kind, queries[i].query.kind);
    EXPECT_EQ((*read)[i].is_hit, queries[i].is_hit);
    for (int at = 0; at < 24; ++at) {
      EXPECT_EQ(bits((*read)[i].query, at % 4, at / 4 % 3, at >= 12),
                bits(queries[i].query, at % 4, at / 4 % 3, at >= 12));
    }
  }
}

TEST_F(CcdQueryFile, QueryFile_KilledWriterLeavesItsWholeRecords) {
  std::string bytes = three_queries();
  bytes.replace(16, 8, 8, '\xff');
  for (std::size_t size = header_size; size <= bytes.size(); size += 2) {
    const auto queries = read_ccd_query_file(store(bytes.substr(0, size)));
    ASSERT_TRUE(queries) << size;
    EXPECT_EQ(queries->size(), (size - header_size) / record_size);
  }
}

TEST_F(CcdQueryFile, QueryFile_DamageIsReported) {
  const std::string good = three_queries();
  const auto changed = [&](std::size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return bytes;
  };
  for (std::size_t size = header_size; size < good.size(); size += 10) {
    EXPECT_NE(message_for(good.substr(0, size)).find("truncated"), std::string::npos) << size;
  }
  for (std::size_t size = 8; size < header_size; ++size) {
    EXPECT_NE(message_for(good.substr(0, size)).find("ends in its header"), std::string::npos) << size;
  }
  EXPECT_NE(message_for(good + "x").find("truncated or changed"), std::string::npos);
  EXPECT_NE(message_for("").find("not a file of CCD queries"), std::string::npos);
  EXPECT_NE(message_for("solid cube\n").find("not a file of CCD queries"), std::string::npos);
  EXPECT_NE(message_for(changed(8, 2)).find("expected version 1"), std::string::npos);
  EXPECT_NE(message_for(changed(header_size + record_size, 2)).find("expected a kind"), std::string::npos);
  EXPECT_NE(message_for(changed(header_size + 1, 7)).find("expected an answer"), std::string::npos);
  std::string infinite = changed(header_size + 9, '\x7f');
  infinite[header_size + 8] = '\xf0';
  EXPECT_NE(message_for(infinite).find("finite"), std::string::npos);
  EXPECT_FALSE(read_ccd_query_file(folder_ / "none.ccd"));
  EXPECT_FALSE(CcdQueryWriter::create(folder_ / "no folder" / "file.ccd"));
}

TEST_F(CcdQueryFile, Recorder_KeepsEveryPowerOfTwoThQueryWithinItsLimit) {
  constexpr std::size_t count = 1000;
  for (const std::size_t limit : {1u, 2u, 3u, 7u, 62u, 63u, 64u, 500u, 999u, 1000u, 1001u}) {
    SCOPED_TRACE(limit);
    std::size_t stride = 1;
    while ((count + stride - 1) / stride > limit) stride *= 2;
    std::vector<double> expected;
    for (std::size_t i = 0; i < count; i += stride) expected.push_back(static_cast<double>(i));

    auto recorder = CcdQueryRecorder::create(folder_ / "recorded.ccd", limit);
    ASSERT_TRUE(recorder);
    for (std::size_t i = 0; i < count; ++i) recorder->record(numbered(static_cast<double>(i)));
    ASSERT_TRUE(recorder->finish());
    EXPECT_EQ(numbers_in(folder_ / "recorded.ccd"), expected);
    EXPECT_EQ(recorder->num_written(), expected.size());
    EXPECT_EQ(recorder->num_seen(), count);
  }
  EXPECT_FALSE(fs::exists(folder_ / "recorded.ccd.tmp"));
}

TEST_F(CcdQueryFile, QueryFiles_BinaryAndPublishedOnesAreFoundAndRead) {
  store(three_queries());
  fs::remove(folder_ / "three.ccd");
  fs::create_directories(folder_ / "scene" / "edge-edge");
  std::ofstream csv(folder_ / "scene" / "edge-edge" / "data.csv");
  for (int row = 0; row < 8; ++row) csv << "1,2,3,4,5,1,1\n";
  for (int row = 0; row < 8; ++row) csv << "1,3,3,4,5,1,1\n";
  csv.close();
  const auto files = find_ccd_query_files(folder_);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].set, "scene");
  EXPECT_EQ((*files)[1].set, "stored");
  const auto published = read_labelled_queries((*files)[0]), binary = read_labelled_queries((*files)[1]);
  ASSERT_TRUE(published);
  ASSERT_TRUE(binary);
  ASSERT_EQ(published->size(), 2u);
  EXPECT_EQ((*published)[0].is_hit, true);
  EXPECT_EQ((*published)[1].is_hit, std::nullopt) << "a third is no double: the answer is that of another query";
  EXPECT_EQ(binary->size(), 3u);

  // The set has the name of the scene, wherever the search starts; a single file may have any name.
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "scene" / "edge-edge");
  const auto here = find_ccd_query_files(".");
  fs::current_path(before);
  ASSERT_TRUE(here);
  EXPECT_EQ((*here)[0].set, "scene");
  fs::rename(folder_ / "stored.ccd", folder_ / "other.name");
  EXPECT_TRUE(find_ccd_query_files(folder_ / "other.name"));
}

}  // namespace
}  // namespace clearance
