// Lines of input files of Abaqus and CalculiX (.inp): words between commas, below keywords that begin with `*`; `**`
// begins a comment. CalculiX' manual describes them in its chapter "Input deck format".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/io/mesh/mesh_text.h"

namespace clearance {

/// Returns a word in lower case without its blanks.
std::string without_blanks(std::string_view text);

/// A keyword with its parameters, or a line of data below it: its words, and where each begins in the file.
struct AbaqusLine {
  std::vector<std::string_view> words;
  std::vector<std::size_t> places;

  bool is_keyword() const { return words[0].starts_with('*'); }
  /// Returns the keyword in lower case and without blanks, which do not count: `*endstep`.
  std::string keyword() const;
  /// Returns the value of a parameter of a keyword, `name` in lower case; blanks do not matter: "yes" for one without a
  /// value, empty if the keyword has none of this name.
  std::string parameter(std::string_view name) const;
};

/// Parses a number, also with the exponents of Fortran: 1.5D-3.
bool parse_abaqus_number(std::string_view word, double& value);

/// The lines of a file. If it has instances of parts, the lines of a part come where its instances are, below their
/// translation and rotation, once for each of them.
class AbaqusLines {
 public:
  explicit AbaqusLines(std::string_view text);

  /// Reads the next line that is no comment; false at the end. Keywords go on in the next line after a comma.
  bool next(AbaqusLine& line);

  /// Returns the name of the instance that the last line belongs to; empty for none.
  const std::string& instance() const { return instance_; }
  bool has_part(const std::string& name) const;

 private:
  struct Lines {
    std::size_t begin, end;
  };
  bool read(AbaqusLine& line);
  void go_to(std::size_t position) { cursor_ = TextCursor(text_, '\0', position); }

  std::string_view text_;
  TextCursor cursor_;
  std::map<std::string, Lines> parts_;  // by their names in lower case, if the file has instances
  std::string instance_;
  bool has_ended_ = false;            // the instance, with the last line
  const Lines* next_part_ = nullptr;  // that begins at the next keyword
  const Lines* part_ = nullptr;       // that is being read
  std::size_t after_part_ = 0;        // where reading goes on after it
};

}  // namespace clearance
