#include "clearance/page/packing.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace clearance::page {
namespace {

constexpr std::uint16_t not_finite = 65535;
constexpr double num_intervals = 65534.0;

static_assert(std::endian::native == std::endian::little);

}  // namespace

std::uint16_t quantised(double value, double low, double high) {
  if (!std::isfinite(value)) return not_finite;
  if (!(high > low)) return 0;
  return static_cast<std::uint16_t>(std::lround(num_intervals * std::clamp((value - low) / (high - low), 0.0, 1.0)));
}

double restored(std::uint16_t number, double low, double high) {
  if (number == not_finite) return std::numeric_limits<double>::quiet_NaN();
  return low + (high - low) * (number / num_intervals);
}

double quantisation_error(double low, double high) {
  return high > low ? 0.5 * (high - low) / num_intervals : 0.0;
}

void Packer::add_bytes(const void* bytes, std::size_t count) {
  const auto* first = static_cast<const unsigned char*>(bytes);
  bytes_.insert(bytes_.end(), first, first + count);
}

void Packer::add(std::span<const std::uint16_t> numbers) {
  for (const std::uint16_t number : numbers) bytes_.push_back(static_cast<unsigned char>(number >> 8));
  for (const std::uint16_t number : numbers) bytes_.push_back(static_cast<unsigned char>(number & 0xFF));
}

std::string Packer::text() const {
  uLongf size = compressBound(bytes_.size());
  std::vector<unsigned char> compressed(size);
  // compress2 cannot fail, because the buffer has room for the worst case.
  compress2(compressed.data(), &size, bytes_.data(), bytes_.size(), 6);
  return base64(std::span(compressed).first(size));
}

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";  // in JSON, < occurs only in strings
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace clearance::page
