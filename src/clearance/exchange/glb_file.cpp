#include "clearance/exchange/glb_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "clearance/exchange/file_set.h"

namespace clearance::exchange {
namespace {

// Constants of the standard: component types and targets of buffer views (glTF 2.0, chapter 5).
constexpr int unsigned_short = 5123, unsigned_int = 5125, float_type = 5126;
constexpr int array_buffer = 34962, element_array_buffer = 34963;
constexpr std::uint32_t glb_magic = 0x46546C67, json_chunk = 0x4E4F534A, binary_chunk = 0x004E4942;

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

void add_word(std::ofstream& file, std::uint32_t word) {
  file.write(reinterpret_cast<const char*>(&word), sizeof(word));
}

}  // namespace

GlbFile::GlbFile(std::filesystem::path scratch) : scratch_(std::move(scratch)), numbers_(scratch_, std::ios::binary) {}

int GlbFile::add(const void* data, std::size_t num_bytes, Json accessor, Use use) {
  Json view = {{"buffer", 0}, {"byteOffset", num_bytes_}, {"byteLength", num_bytes}};
  if (use != Use::animation) view["target"] = use == Use::indices ? element_array_buffer : array_buffer;
  numbers_.write(static_cast<const char*>(data), static_cast<std::streamsize>(num_bytes));
  num_bytes_ += num_bytes;
  for (; num_bytes_ % 4 != 0; ++num_bytes_) numbers_.put('\0');
  Json whole = {{"bufferView", views_.size()}};
  whole.update(accessor);
  views_.push_back(std::move(view));
  accessors_.push_back(std::move(whole));
  return static_cast<int>(accessors_.size()) - 1;
}

int GlbFile::add_vectors(std::span<const Vec<3>> vectors, Use use, bool has_bounds) {
  std::vector<float> numbers;
  numbers.reserve(3 * vectors.size());
  std::array<float, 3> low, high;
  low.fill(std::numeric_limits<float>::infinity());
  high.fill(-std::numeric_limits<float>::infinity());
  for (const Vec<3>& x : vectors) {
    for (std::size_t k = 0; k < 3; ++k) {
      // Adding zero removes the sign of a negative zero, because validators compare the bounds as text.
      const float value = static_cast<float>(x[static_cast<Eigen::Index>(k)]) + 0.0F;
      numbers.push_back(value);
      low[k] = std::min(low[k], value);
      high[k] = std::max(high[k], value);
    }
  }
  Json accessor = {{"componentType", float_type}, {"count", vectors.size()}, {"type", "VEC3"}};
  if (has_bounds) {
    accessor["min"] = low;
    accessor["max"] = high;
  }
  return add(numbers.data(), sizeof(float) * numbers.size(), std::move(accessor), use);
}

int GlbFile::add_indices(std::span<const std::uint32_t> indices) {
  const std::uint32_t largest = indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end());
  Json accessor = {{"componentType", unsigned_int}, {"count", indices.size()}, {"type", "SCALAR"}};
  if (largest >= std::numeric_limits<std::uint16_t>::max()) {
    return add(indices.data(), indices.size_bytes(), std::move(accessor), Use::indices);
  }
  accessor["componentType"] = unsigned_short;
  const std::vector<std::uint16_t> narrow(indices.begin(), indices.end());
  return add(narrow.data(), sizeof(std::uint16_t) * narrow.size(), std::move(accessor), Use::indices);
}

int GlbFile::add_scalars(std::span<const float> values, bool has_bounds) {
  Json accessor = {{"componentType", float_type}, {"count", values.size()}, {"type", "SCALAR"}};
  if (has_bounds) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    accessor["min"] = Json::array({*low});
    accessor["max"] = Json::array({*high});
  }
  return add(values.data(), values.size_bytes(), std::move(accessor), Use::animation);
}

int GlbFile::add_rotations(std::span<const std::array<float, 4>> rotations) {
  Json accessor = {{"componentType", float_type}, {"count", rotations.size()}, {"type", "VEC4"}};
  return add(rotations.data(), rotations.size_bytes(), std::move(accessor), Use::animation);
}

Result<Done> GlbFile::write(const std::filesystem::path& path, Json document) {
  document["accessors"] = std::move(accessors_);
  document["bufferViews"] = std::move(views_);
  document["buffers"] = Json::array({{{"byteLength", num_bytes_}}});
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  numbers_.close();
  if (!numbers_) return write_failure(path);

  const std::uint64_t size = 12 + 8 + text.size() + 8 + num_bytes_;
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    return Issue{path.string(), "", fmt::format("{:.1f} GB", 1e-9 * static_cast<double>(size)),
                 "expected at most the 4.3 GB of a .glb file: export fewer frames (--max-targets, --frames)"};
  }
  std::ofstream file(path, std::ios::binary);
  for (const std::uint32_t word : {glb_magic, 2U, static_cast<std::uint32_t>(size)}) add_word(file, word);
  add_word(file, static_cast<std::uint32_t>(text.size()));
  add_word(file, json_chunk);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  add_word(file, static_cast<std::uint32_t>(num_bytes_));
  add_word(file, binary_chunk);
  std::ifstream numbers(scratch_, std::ios::binary);
  if (num_bytes_ > 0) file << numbers.rdbuf();
  file.close();
  if (!file || !numbers) return write_failure(path);
  return Done{};
}

}  // namespace clearance::exchange
