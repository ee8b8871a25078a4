// Lines of text files as every system writes them. A line ends with `\n`, `\r\n`, `\r\r\n` (a file that was converted
// twice) or `\r` alone; one file may mix them. A UTF-8 byte order mark may come first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clearance {

/// Length of the UTF-8 byte order mark at the start of the text: 3, or 0 without one.
std::size_t byte_order_mark_length(std::string_view text);

/// Does the text start with the byte order mark of UTF-16 or UTF-32? No reader takes these.
bool has_wide_characters(std::string_view text);

/// What to tell about such a text
inline constexpr const char* wide_characters_message = "expected UTF-8 or ASCII text, found UTF-16: save it as UTF-8";

/// Length of the line break that starts at `position`; 0 if none does.
std::size_t line_break_length(std::string_view text, std::size_t position);

/// Where the line of `position` ends: at its line break, or at the end of the text.
std::size_t find_line_end(std::string_view text, std::size_t position);

/// Number of the line that holds `offset`, from 1.
std::size_t line_number(std::string_view text, std::size_t offset);

/// The text without a byte order mark, and with `\n` for every line break.
std::string with_plain_lines(std::string text);

}  // namespace clearance
