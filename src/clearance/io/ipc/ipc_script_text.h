// The lines of an IPC script as words and numbers. A missing value is reported with its line instead of becoming 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance {

/// Parses the whole word as a finite number.
std::optional<double> parse_number(std::string_view word);

/// The words of one line, taken one after the other.
class IpcLine {
 public:
  IpcLine() = default;
  IpcLine(std::string_view text, int number, Issues* issues);

  int number() const { return number_; }
  /// Returns, for example, `line 17`.
  std::string place() const;
  bool is_empty() const { return next_ >= words_.size(); }
  bool is_comment() const { return !is_empty() && words_[next_][0] == '#'; }
  const std::string& peek() const { return words_[next_]; }
  bool next_is_number() const { return !is_empty() && parse_number(peek()).has_value(); }

  /// Returns the next word, or an empty one with an error that names what is missing.
  std::string word(const char* what);
  double real(const char* what);
  int whole(const char* what);
  Vec<3> vector(const char* what);

  /// True if the line continues in the next one (a lone `\` at its end). Drops the `\`.
  bool take_continuation();
  void append(const IpcLine& more);

  void error(const std::string& message, const std::string& value = "") const;
  void warning(const std::string& message, const std::string& value = "") const;

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  int number_ = 0;
  Issues* issues_ = nullptr;
};

/// Gives the lines of a text in order.
class IpcText {
 public:
  IpcText(std::string_view text, Issues& issues) : rest_(text), issues_(&issues) {}
  std::optional<IpcLine> next_line();
  /// Reads `count` numbers from the following lines, or as many as there are, with an error.
  std::vector<double> next_numbers(int count, const IpcLine& keyword_line);

 private:
  std::string_view rest_;
  Issues* issues_;
  int num_lines_ = 0;
};

}  // namespace clearance
