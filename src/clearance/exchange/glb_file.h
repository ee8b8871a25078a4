// The container of glTF 2.0 in binary form. One file holds JSON and numbers; numbers are written as they arrive.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance::exchange {

class GlbFile {
 public:
  using Json = nlohmann::ordered_json;

  /// Numbers go to the file `scratch` until `write`, when their count is known.
  explicit GlbFile(std::filesystem::path scratch);

  enum class Use { vertices, indices, animation };
  // These add an array of numbers and return its index in `accessors` of the file.
  int add_vectors(std::span<const Vec<3>> vectors, Use use, bool has_bounds);
  int add_indices(std::span<const std::uint32_t> indices);
  int add_scalars(std::span<const float> values, bool has_bounds);
  int add_rotations(std::span<const std::array<float, 4>> rotations);

  /// Writes the file. `document` holds everything but accessors, bufferViews and buffers. Issues: more data than the 4
  /// GiB that a .glb can hold, and failed writes.
  Result<Done> write(const std::filesystem::path& path, Json document);

 private:
  int add(const void* data, std::size_t num_bytes, Json accessor, Use use);

  std::filesystem::path scratch_;
  std::ofstream numbers_;
  std::uint64_t num_bytes_ = 0;
  Json views_ = Json::array(), accessors_ = Json::array();
};

}  // namespace clearance::exchange
