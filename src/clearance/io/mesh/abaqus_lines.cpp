#include "clearance/io/mesh/abaqus_lines.h"

#include <algorithm>
#include <utility>

#include "clearance/io/files/text_lines.h"

namespace clearance {
namespace {

/// True if the text has this word, given in lower case, in whatever letters.
bool mentions(std::string_view text, std::string_view word) {
  const auto is_same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), is_same) != text.end();
}

}  // namespace

std::string without_blanks(std::string_view text) {
  std::string result = to_lower(text);
  std::erase_if(result, [](char c) { return c == ' ' || c == '\t'; });
  return result;
}

std::string AbaqusLine::keyword() const {
  return without_blanks(words[0]);
}

std::string AbaqusLine::parameter(std::string_view name) const {
  const std::string wanted = without_blanks(name);
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::size_t equals = words[k].find('=');
    if (without_blanks(words[k].substr(0, equals)) != wanted) continue;
    if (equals == std::string_view::npos) return "yes";
    std::string_view value = trimmed(words[k].substr(equals + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

bool parse_abaqus_number(std::string_view word, double& value) {
  if (parse_real(word, value)) return true;
  std::string text(word);
  const std::size_t exponent = text.find_first_of("dD");
  if (exponent == std::string::npos) return false;
  text[exponent] = 'e';
  return parse_real(text, value);
}

AbaqusLines::AbaqusLines(std::string_view text) : text_(text), cursor_(text) {
  if (!mentions(text, "*instance")) return;
  std::map<std::string, Lines> parts;
  bool has_instances = false;
  Lines* part = nullptr;
  AbaqusLine line;
  while (read(line)) {
    if (!line.is_keyword()) continue;
    const std::string keyword = line.keyword();
    if (keyword == "*part") part = &(parts[to_lower(line.parameter("name"))] = {cursor_.position(), text.size()});
    if (keyword == "*endpart" && part != nullptr) part->end = line.places[0];
    has_instances = has_instances || keyword == "*instance";
  }
  if (has_instances) parts_ = std::move(parts);
  cursor_ = TextCursor(text);
}

bool AbaqusLines::has_part(const std::string& name) const {
  return parts_.contains(to_lower(name));
}

bool AbaqusLines::next(AbaqusLine& line) {
  if (has_ended_) instance_.clear();
  has_ended_ = false;
  if (part_ != nullptr && cursor_.position() >= part_->end) {
    part_ = nullptr;
    go_to(after_part_);
  }
  if (!read(line)) return false;
  if (part_ != nullptr && line.places[0] >= part_->end) return next(line);
  if (!line.is_keyword()) return true;
  const std::string keyword = line.keyword();
  if (next_part_ != nullptr) {
    part_ = std::exchange(next_part_, nullptr);
    after_part_ = line.places[0];
    go_to(part_->begin);
    return next(line);
  }
  if (keyword == "*part" && !parts_.empty()) {
    go_to(parts_.at(to_lower(line.parameter("name"))).end);
    return next(line);
  }
  if (keyword == "*instance") {
    instance_ = line.parameter("name");
    const auto part = parts_.find(to_lower(line.parameter("part")));
    if (part != parts_.end()) next_part_ = &part->second;
  }
  has_ended_ = keyword == "*endinstance";
  return true;
}

/// Reads a line in the order of the file.
bool AbaqusLines::read(AbaqusLine& line) {
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
  return !line.words.empty() || read(line);
}

}  // namespace clearance
