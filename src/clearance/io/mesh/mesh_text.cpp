#include "clearance/io/mesh/mesh_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "clearance/io/files/text_lines.h"

namespace clearance {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool is_line_break(char c) {
  return c == '\n' || c == '\r';
}

/// Parses one coordinate; reports it if it is not a finite number.
bool check_coordinate(TextCursor& cursor, MeshInput& input, std::string_view word, double& value) {
  if (word.empty()) {
    input.add_issue_at_line(cursor.word_position(), "", "expected a coordinate, found the end of the data");
    return false;
  }
  if (!parse_real(word, value)) {
    input.add_issue_at_line(cursor.word_position(), word, "expected a coordinate");
    return false;
  }
  if (!std::isfinite(value)) {
    input.add_issue_at_line(cursor.word_position(), word, "expected a finite coordinate");
    return false;
  }
  return true;
}

}  // namespace

TextCursor::TextCursor(std::string_view text, char comment, std::size_t position)
    : text_(text), position_(position == 0 ? byte_order_mark_length(text) : position), comment_(comment) {}

/// Returns the length of a backslash, blanks and the line break after them; 0 if the text here is different.
std::size_t TextCursor::continuation_length() const {
  if (position_ >= text_.size() || text_[position_] != '\\') return 0;
  std::size_t end = position_ + 1;
  while (end < text_.size() && is_blank(text_[end])) ++end;
  const std::size_t length = line_break_length(text_, end);
  return length == 0 ? 0 : end + length - position_;
}

std::string_view TextCursor::take_word() {
  const std::size_t begin = position_;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is_blank(c) || is_line_break(c) || (comment_ != '\0' && c == comment_)) break;
    if (continuation_length() > 0) break;
    ++position_;
  }
  word_position_ = begin;
  return text_.substr(begin, position_ - begin);
}

std::string_view TextCursor::next_in_line() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is_blank(c)) {
      ++position_;
    } else if (const std::size_t length = continuation_length(); length > 0) {
      position_ += length;
    } else if (comment_ != '\0' && c == comment_) {
      position_ = find_line_end(text_, position_);
    } else if (is_line_break(c)) {
      break;
    } else {
      return take_word();
    }
  }
  word_position_ = position_;
  return {};
}

std::string_view TextCursor::next() {
  while (true) {
    const std::string_view word = next_in_line();
    if (!word.empty() || is_at_end()) return word;
    position_ += line_break_length(text_, position_);
  }
}

void TextCursor::skip_line() {
  take_line();
}

std::string_view TextCursor::take_line() {
  const std::size_t begin = std::min(position_, text_.size());
  const std::size_t end = find_line_end(text_, begin);
  position_ = end + line_break_length(text_, end);
  return text_.substr(begin, end - begin);
}

void TextCursor::skip_line_before_bytes() {
  const std::size_t first = find_line_end(text_, 0);
  const bool has_returns_alone = line_break_length(text_, first) == 1 && text_[first] == '\r';
  const std::size_t end = find_line_end(text_, position_);
  const std::size_t length = line_break_length(text_, end);
  position_ = end + (has_returns_alone ? std::min<std::size_t>(length, 1) : length);
}

bool parse_real(std::string_view word, double& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || word.empty()) return false;
  // from_chars does not say whether the number is too large or too small; strtod does.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
  return error == std::errc() || error == std::errc::result_out_of_range;
}

bool read_coordinates(TextCursor& cursor, MeshInput& input, int num_coordinates, Vec<3>& point) {
  point.setZero();
  for (int k = 0; k < num_coordinates; ++k) {
    const std::string_view word = cursor.next();
    if (!check_coordinate(cursor, input, word, point[k])) return false;
  }
  return true;
}

bool read_coordinates_in_line(TextCursor& cursor, MeshInput& input, int num_required, Vec<3>& point,
                              int max_coordinates) {
  point.setZero();
  for (int k = 0; k < max_coordinates; ++k) {
    const std::string_view word = cursor.next_in_line();
    if (word.empty() && k >= num_required) return true;
    if (!check_coordinate(cursor, input, word, point[k])) return false;
  }
  return true;
}

bool skip_empty_lines(TextCursor& cursor) {
  for (TextCursor peek = cursor; peek.next_in_line().empty(); peek = cursor) {
    if (peek.is_at_end()) return false;
    cursor = peek;
    cursor.skip_line();
  }
  return true;
}

std::uint64_t count_lines(TextCursor cursor) {
  std::uint64_t num_lines = 0;
  for (; skip_empty_lines(cursor); ++num_lines) {
    while (!cursor.next_in_line().empty()) continue;
    cursor.skip_line();
  }
  return num_lines;
}

RecordLayout find_record_layout(TextCursor cursor, std::uint64_t num_records, std::uint64_t min_words) {
  const TextCursor start = cursor;
  for (std::uint64_t i = 0; i < num_records; ++i) {
    std::uint64_t num_words = 0;
    if (skip_empty_lines(cursor)) {
      while (!cursor.next_in_line().empty()) ++num_words;
      cursor.skip_line();
    }
    if (num_words < min_words) return count_lines(start) == num_records ? RecordLayout::lines : RecordLayout::words;
  }
  return RecordLayout::lines;
}

bool skip_numbers_in_line(TextCursor& cursor, MeshInput& input, int max_numbers) {
  int count = 0;
  for (std::string_view word = cursor.next_in_line(); !word.empty(); word = cursor.next_in_line()) {
    double ignored = 0.0;
    if (++count <= max_numbers && parse_real(word, ignored)) continue;
    input.add_issue_at_line(cursor.word_position(), word, "expected the end of the line");
    return false;
  }
  return true;
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace clearance
