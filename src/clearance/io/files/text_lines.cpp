#include "clearance/io/files/text_lines.h"

#include <algorithm>

namespace clearance {

std::size_t byte_order_mark_length(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool has_wide_characters(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

std::size_t line_break_length(std::string_view text, std::size_t position) {
  if (position >= text.size()) return 0;
  if (text[position] == '\n') return 1;
  if (text[position] != '\r') return 0;
  const std::string_view rest = text.substr(position + 1, 2);
  if (rest.starts_with('\n')) return 2;
  return rest == "\r\n" ? 3 : 1;
}

std::size_t find_line_end(std::string_view text, std::size_t position) {
  return std::min(text.find_first_of("\r\n", position), text.size());
}

std::size_t line_number(std::string_view text, std::size_t offset) {
  std::size_t number = 1;
  std::size_t end = find_line_end(text, 0);
  while (end < std::min(offset, text.size())) {
    end = find_line_end(text, end + line_break_length(text, end));
    ++number;
  }
  return number;
}

std::string with_plain_lines(std::string text) {
  const std::size_t mark = byte_order_mark_length(text);
  if (mark == 0 && text.find('\r') == std::string::npos) return text;
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t begin = mark; begin < text.size();) {
    const std::size_t end = find_line_end(text, begin);
    plain.append(text, begin, end - begin);
    if (end < text.size()) plain += '\n';
    begin = end + line_break_length(text, end);
  }
  return plain;
}

}  // namespace clearance
