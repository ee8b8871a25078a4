// A new HDF5 file, filled one array at a time. Arrays are stored in compressed chunks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "clearance/base/result.h"

namespace clearance::exchange {

class Hdf5File {
 public:
  explicit Hdf5File(std::filesystem::path path);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// Adds an array under a name with its groups, such as `/frames/000000/positions`. Each row has `num_columns`
  /// numbers; with 1 column the array is a list. `close` reports failed writes.
  void add(const std::string& name, std::span<const double> numbers, std::size_t num_columns);
  void add(const std::string& name, std::span<const std::int32_t> numbers, std::size_t num_columns);

  bool has_failed() const { return has_failed_; }
  Result<Done> close();

 private:
  void add_array(const std::string& name, const void* numbers, std::int64_t type, std::size_t size,
                 std::size_t num_columns);

  std::filesystem::path path_;
  std::int64_t file_ = -1;
  bool has_failed_ = false;
};

}  // namespace clearance::exchange
