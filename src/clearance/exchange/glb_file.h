// The container of glTF 2.0 in binary form: JSON and numbers in one file, written while they come.
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

  /// Numbers go to `scratch` until their count is known.
  explicit GlbFile(std::filesystem::path scratch);

  enum class Use { vertices, indices, animation };
  // Arrays of numbers, by their index as `accessors` of the file.
  int add_vectors(std::span<const Vec<3>> vectors, Use use, bool has_bounds);
  int add_indices(std::span<const std::uint32_t> indices);
  int add_scalars(std::span<const float> values, bool has_bounds);
  int add_rotations(std::span<const std::array<float, 4>> rotations);

  /// `document`: all but accessors, bufferViews and buffers. Issues: more than the 4 GiB that a .glb can hold; writing.
  Result<Done> write(const std::filesystem::path& path, Json document);

 private:
  int add(const void* data, std::size_t num_bytes, Json accessor, Use use);

  std::filesystem::path scratch_;
  std::ofstream numbers_;
  std::uint64_t num_bytes_ = 0;
  Json views_ = Json::array(), accessors_ = Json::array();
};

}  // namespace clearance::exchange
