// Lines of input files of Abaqus and CalculiX (.inp): words between commas, below keywords that begin with `*`; `**`
// begins a comment. CalculiX' manual describes them in its chapter "Input deck format".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/io/mesh/mesh_text.h"

namespace clearance {

/// A keyword with its parameters, or a line of data below it: its words, and where each begins in the file.
struct AbaqusLine {
  std::vector<std::string_view> words;
  std::vector<std::size_t> places;

  bool is_keyword() const { return words[0].starts_with('*'); }
  /// Returns the value of a parameter of a keyword, `name` in lower case: "yes" for one without a value, empty if the
  /// keyword has none of this name.
  std::string parameter(std::string_view name) const;
};

class AbaqusLines {
 public:
  explicit AbaqusLines(std::string_view text) : cursor_(text) {}

  /// Reads the next line that is no comment; false at the end. Keywords go on in the next line after a comma.
  bool next(AbaqusLine& line);

 private:
  TextCursor cursor_;
};

}  // namespace clearance
