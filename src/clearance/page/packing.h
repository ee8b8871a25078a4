// How numbers lie in a page: base64 of zlib of bytes, little endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace clearance::page {

/// A sixteenth-bit number of [low, high], which is off by at most half of (high - low) / 65534; 65535 stands for what
/// is not finite.
std::uint16_t quantised(double value, double low, double high);
double restored(std::uint16_t number, double low, double high);
/// The largest difference that remains.
double quantisation_error(double low, double high);

class Packer {
 public:
  void add(std::span<const std::uint32_t> numbers) { add_bytes(numbers.data(), numbers.size_bytes()); }
  void add(std::span<const float> numbers) { add_bytes(numbers.data(), numbers.size_bytes()); }
  /// Their upper bytes, then their lower ones: neighbours have the same upper bytes, which zlib makes little of.
  void add(std::span<const std::uint16_t> numbers);
  std::string bytes() const { return {bytes_.begin(), bytes_.end()}; }
  /// Compressed, as text.
  std::string text() const;

 private:
  void add_bytes(const void* bytes, std::size_t count);
  std::vector<unsigned char> bytes_;
};

std::string base64(std::span<const unsigned char> bytes);

/// JSON as the text of a <script>: nothing in it can end that.
std::string inside_script(const std::string& json);

}  // namespace clearance::page
