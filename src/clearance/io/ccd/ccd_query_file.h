// Stores CCD queries in a compact binary file (.ccd), little endian:
//
//   8 bytes   "clr-ccd\n"
//   uint32    version: 1
//   uint32    bytes of a record: 194
//   uint64    number of records; 2^64 - 1 until the writer has finished
//   records:  uint8 kind (0: vertex-face, 1: edge-edge), uint8 answer (0: no hit, 1: hit, 255: unknown),
//             24 float64: the four vertices at t0, then at t1, in the order of PrimitiveMotion [m]
//
// Records are appended one by one, so that a killed writer leaves a file of whole records. The reader accepts all of
// them. A finished file that lacks some is an error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/ccd/query.h"

namespace clearance {

struct LabelledQuery {
  CcdQuery query;
  std::optional<bool> is_hit;  ///< the true answer, if it is known
};

class CcdQueryWriter {
 public:
  /// Starts an empty file and replaces an existing one of that name.
  static Result<CcdQueryWriter> create(const std::filesystem::path& path);

  void write(const LabelledQuery& query);
  /// Writes the buffered data and the number of records. Returns the first problem since `create`, if there was one.
  Result<Done> finish();
  /// Renames the file; writing continues under the new name.
  Result<Done> rename(const std::filesystem::path& path);

  std::uint64_t num_written() const { return num_written_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  CcdQueryWriter(std::filesystem::path path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  void put(const void* bytes, std::size_t count);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t num_written_ = 0;
  int error_ = 0;  // errno of the first failure
};

Result<std::vector<LabelledQuery>> read_ccd_query_file(const std::filesystem::path& path);

/// Writes an evenly spread sample of a stream of unknown length: every s-th query, where s is the smallest power of two
/// with which at most `limit` are written.
class CcdQueryRecorder {
 public:
  static Result<CcdQueryRecorder> create(const std::filesystem::path& path, std::uint64_t limit);

  void record(const CcdQuery& query);
  Result<Done> finish();

  std::uint64_t num_seen() const { return num_seen_; }
  std::uint64_t num_written() const { return writer_.num_written(); }

 private:
  CcdQueryRecorder(std::filesystem::path path, std::uint64_t limit, CcdQueryWriter writer)
      : path_(std::move(path)), limit_(limit), writer_(std::move(writer)) {}
  Result<Done> keep_every_second();

  std::filesystem::path path_;
  std::uint64_t limit_;
  CcdQueryWriter writer_;
  std::uint64_t stride_ = 1;
  std::uint64_t num_seen_ = 0;
  Issues issues_;
};

}  // namespace clearance
