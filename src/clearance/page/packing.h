// The encoding of numbers in a page: bytes in little endian, compressed by zlib, as base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace clearance::page {

/// Returns a number of 16 bits for a value in [low, high]. The error is at most half of (high - low) / 65534. 65535
/// stands for values that are not finite.
std::uint16_t quantised(double value, double low, double high);
double restored(std::uint16_t number, double low, double high);
/// Returns the largest error of `restored`.
double quantisation_error(double low, double high);

class Packer {
 public:
  void add(std::span<const std::uint32_t> numbers) { add_bytes(numbers.data(), numbers.size_bytes()); }
  void add(std::span<const float> numbers) { add_bytes(numbers.data(), numbers.size_bytes()); }
  /// Adds all upper bytes, then all lower ones. Neighbours have the same upper bytes, which zlib compresses well.
  void add(std::span<const std::uint16_t> numbers);
  std::string bytes() const { return {bytes_.begin(), bytes_.end()}; }
  /// Returns the bytes, compressed, as base64.
  std::string text() const;

 private:
  void add_bytes(const void* bytes, std::size_t count);
  std::vector<unsigned char> bytes_;
};

std::string base64(std::span<const unsigned char> bytes);

/// Escapes JSON so that it can be the text of a <script> and nothing in it ends the script.
std::string inside_script(const std::string& json);

}  // namespace clearance::page
