#include "clearance/io/ccd/ccd_query_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_file.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "records are written as they lie in memory");

constexpr std::string_view magic = "clr-ccd\n";
constexpr std::uint32_t version = 1;
constexpr std::size_t num_coordinates = 24;
constexpr std::size_t record_size = 2 + num_coordinates * sizeof(double);
constexpr std::uint64_t unfinished = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t count_offset = magic.size() + 2 * sizeof(std::uint32_t);
constexpr unsigned char no_answer = 255;

Issue problem(const fs::path& path, int error) {
  return {path.string(), "", "", std::string("cannot write the queries: ") + std::strerror(error), Severity::error};
}

}  // namespace

Result<CcdQueryWriter> CcdQueryWriter::create(const fs::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return problem(path, errno);
  CcdQueryWriter writer(path, file);
  writer.put(magic.data(), magic.size());
  const std::array<std::uint32_t, 2> numbers = {version, static_cast<std::uint32_t>(record_size)};
  writer.put(numbers.data(), sizeof(numbers));
  writer.put(&unfinished, sizeof(unfinished));
  return writer;
}

void CcdQueryWriter::put(const void* bytes, std::size_t count) {
  if (error_ == 0 && std::fwrite(bytes, 1, count, file_.get()) != count) error_ = errno == 0 ? EIO : errno;
}

void CcdQueryWriter::write(const LabelledQuery& labelled) {
  std::array<unsigned char, record_size> record;
  record[0] = labelled.query.kind == QueryKind::point_triangle ? 0 : 1;
  record[1] = labelled.is_hit ? static_cast<unsigned char>(*labelled.is_hit) : no_answer;
  unsigned char* at = record.data() + 2;
  for (const auto& vertices : {labelled.query.motion.t0, labelled.query.motion.t1}) {
    for (const Vec<3>& vertex : vertices) {
      std::memcpy(at, vertex.data(), 3 * sizeof(double));
      at += 3 * sizeof(double);
    }
  }
  put(record.data(), record.size());
  ++num_written_;
}

Result<Done> CcdQueryWriter::finish() {
  if (error_ == 0 && std::fseek(file_.get(), static_cast<long>(count_offset), SEEK_SET) != 0) error_ = errno;
  put(&num_written_, sizeof(num_written_));
  if (error_ == 0 && std::fflush(file_.get()) != 0) error_ = errno;
  if (error_ != 0) return problem(path_, error_);
  return Done{};
}

Result<Done> CcdQueryWriter::rename(const fs::path& path) {
  if (error_ == 0 && std::fflush(file_.get()) != 0) error_ = errno;
  std::error_code error;
  if (error_ == 0) fs::rename(path_, path, error);
  if (error_ != 0 || error) return problem(path, error_ != 0 ? error_ : error.value());
  path_ = path;
  return Done{};
}

Result<std::vector<LabelledQuery>> read_ccd_query_file(const fs::path& path) {
  MeshInput input(path);
  if (input.has_failed()) return input.issues();
  const auto fail = [&](std::size_t offset, std::string value, std::string message) {
    input.add_issue_at_byte(offset, value, std::move(message));
    return input.issues();
  };

  // The header; a run that was killed at once may leave a part of it.
  if (!input.bytes().starts_with(magic))
    return fail(0, "", "this is not a file of CCD queries; expected a file that starts with clr-ccd");
  ByteCursor cursor(input.bytes(), is_swapped(std::endian::little), magic.size());
  std::uint32_t file_version = 0, size = 0;
  std::uint64_t count = 0;
  if (!cursor.read(file_version) || !cursor.read(size) || !cursor.read(count)) {
    return fail(cursor.position(), "", "the file ends in its header");
  }
  if (file_version != version || size != record_size) {
    return fail(magic.size(), fmt::format("version {}, {} bytes a record", file_version, size),
                fmt::format("expected version {}, {} bytes a record", version, record_size));
  }
  const std::uint64_t num_whole = cursor.num_bytes_left() / record_size;
  if (count == unfinished)
    count = num_whole;
  else if (count != num_whole || cursor.num_bytes_left() % record_size != 0) {
    return fail(input.bytes().size(), fmt::format("{} bytes", cursor.num_bytes_left()),
                fmt::format("the file is truncated or changed; expected {} queries of {} bytes", count, record_size));
  }

  std::vector<LabelledQuery> queries(count);
  for (LabelledQuery& labelled : queries) {
    const std::size_t begin = cursor.position();
    unsigned char kind = 0, answer = 0;
    cursor.read(kind);
    cursor.read(answer);
    if (kind > 1) return fail(begin, fmt::format("{}", kind), "expected a kind: 0 (vertex-face) or 1 (edge-edge)");
    if (answer > 1 && answer != no_answer) {
      return fail(begin + 1, fmt::format("{}", answer), "expected an answer: 0, 1 or 255 (unknown)");
    }
    labelled.query.kind = kind == 0 ? QueryKind::point_triangle : QueryKind::edge_edge;
    if (answer != no_answer) labelled.is_hit = answer == 1;
    for (auto* vertices : {&labelled.query.motion.t0, &labelled.query.motion.t1}) {
      for (Vec<3>& vertex : *vertices) {
        for (double& coordinate : vertex) {
          cursor.read(coordinate);
          if (!std::isfinite(coordinate))
            return fail(begin, fmt::format("{}", coordinate), "expected finite coordinates");
        }
      }
    }
  }
  return queries;
}

Result<CcdQueryRecorder> CcdQueryRecorder::create(const fs::path& path, std::uint64_t limit) {
  Result<CcdQueryWriter> writer = CcdQueryWriter::create(path);
  if (!writer) return writer.issues();
  return CcdQueryRecorder(path, limit, std::move(*writer));
}

void CcdQueryRecorder::record(const CcdQuery& query) {
  if (num_seen_++ % stride_ != 0 || !issues_.empty() || limit_ == 0) return;
  if (writer_.num_written() == limit_) {
    if (const Result<Done> done = keep_every_second(); !done) {
      issues_ = done.issues();
      return;
    }
    if ((num_seen_ - 1) % stride_ != 0) return;
  }
  writer_.write({query, std::nullopt});
}

/// Writes a second file, which replaces the first when it is complete.
Result<Done> CcdQueryRecorder::keep_every_second() {
  if (const Result<Done> done = writer_.finish(); !done) return done;
  const Result<std::vector<LabelledQuery>> all = read_ccd_query_file(path_);
  if (!all) return all.issues();
  Result<CcdQueryWriter> writer = CcdQueryWriter::create(path_.string() + ".tmp");
  if (!writer) return writer.issues();
  for (std::size_t i = 0; i < all->size(); i += 2) writer->write((*all)[i]);
  if (const Result<Done> done = writer->rename(path_); !done) return done;
  writer_ = std::move(*writer);
  stride_ *= 2;
  return Done{};
}

Result<Done> CcdQueryRecorder::finish() {
  if (!issues_.empty()) return issues_;
  return writer_.finish();
}

}  // namespace clearance
