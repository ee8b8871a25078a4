// Features of other programs that this one does not have, with the words that users use for them.
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

/// Returns "plasticity is not supported (docs/limits.md)" and what to do instead, for a key or a value that asks for a
/// missing feature; empty for any other word.
std::string absent_feature_text(std::string_view word);

}  // namespace clearance
