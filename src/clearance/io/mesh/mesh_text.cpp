#include "clearance/io/mesh/mesh_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace clearance {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// One coordinate, reported if it is not a finite number
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

std::string_view TextCursor::take_word() {
  const std::size_t begin = position_;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const std::string_view rest = text_.substr(position_, 3);
    if (is_blank(c) || c == '\n' || (comment_ != '\0' && c == comment_)) break;
    if (c == '\\' && (rest.starts_with("\\\n") || rest == "\\\r\n")) break;
    ++position_;
  }
  word_position_ = begin;
  return text_.substr(begin, position_ - begin);
}

std::string_view TextCursor::next_in_line() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const std::string_view rest = text_.substr(position_, 3);
    if (is_blank(c)) {
      ++position_;
    } else if (rest.starts_with("\\\n")) {
      position_ += 2;
    } else if (rest == "\\\r\n") {
      position_ += 3;
    } else if (comment_ != '\0' && c == comment_) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '\n') {
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
    ++position_;  // the line break
  }
}

void TextCursor::skip_line() {
  take_line();
}

std::string_view TextCursor::take_line() {
  const std::size_t begin = std::min(position_, text_.size());
  const std::size_t end = std::min(text_.find('\n', begin), text_.size());
  position_ = std::min(end + 1, text_.size());
  std::string_view line = text_.substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
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

bool read_coordinates_in_line(TextCursor& cursor, MeshInput& input, int num_required, Vec<3>& point) {
  point.setZero();
  for (int k = 0; k < 3; ++k) {
    const std::string_view word = cursor.next_in_line();
    if (word.empty() && k >= num_required) return true;
    if (!check_coordinate(cursor, input, word, point[k])) return false;
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
