// SHA-256 (FIPS 180-4): names bytes so that nobody can find others with the same name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace clearance {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  void add(const void* data, std::size_t num_bytes);
  void add(std::string_view bytes) { add(bytes.data(), bytes.size()); }
  /// Returns the hash of everything that was added. Nothing can be added afterwards.
  Digest finish();

 private:
  void mix(const std::uint8_t* chunk);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> rest_{};  // bytes that do not fill a chunk yet
  std::size_t num_rest_ = 0;
  std::uint64_t num_bytes_ = 0;
};

/// Returns a hash as 64 hexadecimal digits.
std::string to_text(const Sha256::Digest& digest);

}  // namespace clearance
