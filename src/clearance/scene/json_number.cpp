#include "clearance/scene/json_number.h"

#include <cctype>
#include <charconv>

namespace clearance {

std::string problem_of_number(std::string_view word) {
  std::string_view size = word;
  if (size.starts_with('-') || size.starts_with('+')) size.remove_prefix(1);
  std::string lower;
  for (const unsigned char c : size) lower += static_cast<char>(std::tolower(c));
  if (lower == "nan" || lower == "inf" || lower == "infinity") return "NaN and Infinity are not numbers of JSON";
  double value = 0.0;
  const auto [end, status] = std::from_chars(size.data(), size.data() + size.size(), value);
  const bool is_number = end == size.data() + size.size();
  // Numbers that are too small for a double are out of range, too; JSON reads them as zero.
  const std::size_t exponent = lower.find('e');
  const bool is_small = exponent != std::string::npos && lower.substr(exponent).starts_with("e-");
  if (is_number && status == std::errc::result_out_of_range && !is_small) {
    return "this number is too large; the largest is about 1.8e308";
  }
  return {};
}

}  // namespace clearance
