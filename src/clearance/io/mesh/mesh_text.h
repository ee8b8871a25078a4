// Words and numbers of text files, straight from memory: no streams, no locale, no copies.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "clearance/io/mesh/mesh_file.h"
#include "clearance/math/types.h"

namespace clearance {

/// Walks over the words of a text whose lines end in any way of `text_lines.h`; a byte order mark at the start is
/// passed over. A word is what stands between blanks; `comment` starts a comment up to the end of the line ('\0': the
/// format has no comments). A backslash at the end of a line, which blanks may follow, joins two lines.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text, char comment = '\0', std::size_t position = 0);

  std::size_t position() const { return position_; }
  std::size_t num_bytes_left() const { return text_.size() - position_; }
  bool is_at_end() const { return position_ >= text_.size(); }

  /// Returns the next word, on any line; empty at the end of the text.
  std::string_view next();
  /// Returns the next word of this line; empty if there is none.
  std::string_view next_in_line();
  /// Goes to the start of the next line; a backslash joins nothing here
  void skip_line();
  /// Returns the rest of this line without its line break and goes to the next line; a backslash joins nothing here.
  std::string_view take_line();
  /// Goes to the binary data that follow this line. It passes a line break of the same kind as the first one of the
  /// text, because the first data byte may look like the second half of a line break.
  void skip_line_before_bytes();
  /// Returns the offset of the word that was taken last.
  std::size_t word_position() const { return word_position_; }

 private:
  std::string_view take_word();
  std::size_t continuation_length() const;
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t word_position_ = 0;
  char comment_ = '\0';
};

/// Parses an integer. Returns false unless the whole word is an integer that T can hold; a leading '+' is allowed.
template <class T>
bool parse_integer(std::string_view word, T& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// Parses a number. Returns false unless the whole word is one. A number too small for a double is 0, one too large is
/// infinity; nan and inf are read.
bool parse_real(std::string_view word, double& value);

/// Reads the next `num_coordinates` words as finite coordinates. Otherwise returns false, with the problem reported by
/// line.
bool read_coordinates(TextCursor& cursor, MeshInput& input, int num_coordinates, Vec<3>& point);

/// Does the same within this line: reads at most `max_coordinates`, of which those beyond `num_required` may be missing
/// (0).
bool read_coordinates_in_line(TextCursor& cursor, MeshInput& input, int num_required, Vec<3>& point,
                              int max_coordinates = 3);

/// Layout of the records of a list in a text.
enum class RecordLayout {
  lines,  ///< each on a line of its own, where further columns may follow
  words   ///< one word after the other, on any lines
};

/// Returns `lines` if the next `num_records` non-empty lines have `min_words` words each, or if there are exactly that
/// many lines, some of which are then too short.
RecordLayout find_record_layout(TextCursor cursor, std::uint64_t num_records, std::uint64_t min_words);

/// Goes to the next line that is not empty; returns false at the end of the text.
bool skip_empty_lines(TextCursor& cursor);

/// Returns the number of non-empty lines from here on.
std::uint64_t count_lines(TextCursor cursor);

/// Skips the rest of this line, which must be at most `max_numbers` numbers: further columns that are not used here.
/// Otherwise returns false, with the problem reported, because the next record may be on the same line.
bool skip_numbers_in_line(TextCursor& cursor, MeshInput& input, int max_numbers);

/// Converts ASCII letters only, because file formats do not depend on locales.
std::string to_lower(std::string_view text);

}  // namespace clearance
