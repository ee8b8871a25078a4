// Lines of text files as every system writes them. A line ends with `\n`, `\r\n`, `\r\r\n` (a file that was converted
// twice) or `\r` alone; one file may mix them. A UTF-8 byte order mark may come first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clearance {

/// Returns the length of the UTF-8 byte order mark at the start of the text: 3, or 0 without one.
std::size_t byte_order_mark_length(std::string_view text);

/// Returns the text without blanks, tabs and `\r` at its start and end.
std::string_view trimmed(std::string_view text);

/// True if the text starts with the byte order mark of UTF-16 or UTF-32. No reader accepts such text.
bool has_wide_characters(std::string_view text);

/// Message for a text with wide characters.
inline constexpr const char* wide_characters_message = "expected UTF-8 or ASCII text, found UTF-16: save it as UTF-8";

/// Returns the length of the line break that starts at `position`; 0 if there is none.
std::size_t line_break_length(std::string_view text, std::size_t position);

/// Returns the offset at which the line of `position` ends: its line break, or the end of the text.
std::size_t find_line_end(std::string_view text, std::size_t position);

/// Returns the number of the line that holds `offset`, counted from 1.
std::size_t line_number(std::string_view text, std::size_t offset);

/// Returns the text without a byte order mark, and with `\n` for every line break.
std::string with_plain_lines(std::string text);

}  // namespace clearance
