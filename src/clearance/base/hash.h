// A 64-bit hash of raw bytes (FNV-1a over 8-byte words). It names states so that two runs can be compared bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace clearance {

class Hash {
 public:
  void add(const void* data, std::size_t num_bytes) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (; num_bytes >= 8; num_bytes -= 8, bytes += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes, 8);
      mix(word);
    }
    if (num_bytes == 0) return;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, num_bytes);
    mix(word);
  }
  std::uint64_t value() const { return value_; }
  /// Returns 16 hexadecimal digits.
  std::string text() const;

 private:
  void mix(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9E3779B97F4A7C15ULL;
    value_ ^= value_ >> 32;
  }
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

}  // namespace clearance
