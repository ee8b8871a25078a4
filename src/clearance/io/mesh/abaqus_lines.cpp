#include "clearance/io/mesh/abaqus_lines.h"

#include <algorithm>

#include "clearance/io/files/text_lines.h"

namespace clearance {

std::string AbaqusLine::parameter(std::string_view name) const {
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::size_t equals = words[k].find('=');
    if (to_lower(trimmed(words[k].substr(0, equals))) != name) continue;
    if (equals == std::string_view::npos) return "yes";
    std::string_view value = trimmed(words[k].substr(equals + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

bool AbaqusLines::next(AbaqusLine& line) {
  line = {};
  while (line.words.empty() || (line.is_keyword() && line.words.back().empty())) {
    if (cursor_.is_at_end()) return !line.words.empty();
    const std::size_t begin = cursor_.position();
    const std::string_view text = cursor_.take_line();
    if (trimmed(text).empty() || trimmed(text).starts_with("**")) continue;
    if (!line.words.empty()) {
      line.words.pop_back();
      line.places.pop_back();
    }
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      const std::string_view word = trimmed(text.substr(at, comma - at));
      line.words.push_back(word);
      line.places.push_back(word.empty() ? begin + at : begin + static_cast<std::size_t>(word.data() - text.data()));
      at = comma + 1;
    }
  }
  // A comma at the end of data has no word after it.
  if (!line.is_keyword() && line.words.back().empty()) {
    line.words.pop_back();
    line.places.pop_back();
  }
  return !line.words.empty() || next(line);
}

}  // namespace clearance
