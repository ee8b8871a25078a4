// Parameters and data that each keyword of an input file of Abaqus or CalculiX may have. Anything else is refused,
// because it may change the result.
#pragma once

#include <string>
#include <string_view>

namespace clearance {

struct AbaqusKeyword {
  const char* name;        ///< in lower case, with its asterisk
  const char* parameters;  ///< in lower case, between commas; null: any, as the keyword changes no result
  int num_lines = 0;       ///< of data at most; 0: any number
  int num_words = 0;       ///< of a line of data at most; 0: any number
  bool needs_data = false;
};

/// Returns a keyword by its name in lower case without blanks; null if it is not listed.
const AbaqusKeyword* find_abaqus_keyword(std::string_view name);

/// Returns true if a keyword may have this parameter. Letters and blanks of it do not matter.
bool may_have_parameter(const AbaqusKeyword& keyword, std::string_view parameter);

/// Returns the parameters of a keyword as a text for a message: `NAME, TYPE`.
std::string parameters_text(const AbaqusKeyword& keyword);

}  // namespace clearance
