// What users of other programs ask for and this one does not have, by the words that they use for it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clearance {

struct AbsentFeature {
  std::string_view name;     ///< as in docs/limits.md, in the plural or uncountable: `shells`
  bool is_plural = false;    ///< of the name
  std::string_view instead;  ///< what to do instead; may be empty
  std::string_view words;    ///< parts of keys and values that ask for it, in small letters with blanks between
};

std::span<const AbsentFeature> absent_features();

/// "plasticity is not supported (docs/limits.md)" and what to do instead, for a key or a value that asks for something
/// that does not exist; empty for any other word.
std::string absent_feature_text(std::string_view word);

}  // namespace clearance
