#include "clearance/scene/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace clearance {
namespace {

// Text that is not UTF-8 is shown with replacement characters instead of failing.
std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_plain(const Json& value) {
  return !value.is_structured();
}

// Short lists of short lists, such as the two corners of a box, also read best on one line.
bool fits_one_line(const Json& value) {
  if (is_plain(value)) return true;
  if (!value.is_array()) return value.empty();
  return std::all_of(value.begin(), value.end(), [](const Json& entry) {
    return is_plain(entry) || (entry.is_array() && std::all_of(entry.begin(), entry.end(), is_plain));
  });
}

void append_on_one_line(std::string& text, const Json& value) {
  if (is_plain(value)) {
    text += dump(value);
    return;
  }
  if (value.is_object()) {
    text += "{}";
    return;
  }
  text += '[';
  const char* separator = "";
  for (const Json& entry : value) {
    text += separator;
    append_on_one_line(text, entry);
    separator = ", ";
  }
  text += ']';
}

void append(std::string& text, const Json& value, int depth) {
  if (fits_one_line(value)) {
    append_on_one_line(text, value);
    return;
  }
  const std::string indent(2 * (depth + 1), ' ');
  text += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, entry] : value.items()) {
    text += separator + indent;
    if (value.is_object()) text += dump(Json(key)) + ": ";
    append(text, entry, depth + 1);
    separator = ",\n";
  }
  text += '\n' + std::string(2 * depth, ' ');
  text += value.is_object() ? '}' : ']';
}

void collect_differences(const Json& before, const Json& now, const std::string& place, std::size_t limit,
                         std::vector<std::string>& differences) {
  if (differences.size() >= limit || before == now) return;
  if (before.is_object() && now.is_object()) {
    for (const auto& [key, value] : before.items()) {
      if (now.contains(key)) collect_differences(value, now[key], child_path(place, key), limit, differences);
    }
  } else if (before.is_array() && now.is_array() && before.size() == now.size() && !fits_one_line(before)) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      collect_differences(before[i], now[i], element_path(place, i), limit, differences);
    }
  } else {
    differences.push_back(fmt::format("{} was {} and is now {}", place, brief_text(before), brief_text(now)));
  }
}

// A huge array is not worth its text in a message.
constexpr std::size_t max_entries_shown = 40;
constexpr std::size_t max_text = 60;

std::string shortened(std::string text) {
  if (text.size() <= max_text) return text;
  // Do not cut a character of several bytes in two.
  std::size_t end = max_text - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

}  // namespace

std::string brief_text(const Json& value) {
  if (value.is_object()) return value.empty() ? "{}" : "{...}";
  if (value.is_array() && value.size() > max_entries_shown) return fmt::format("[... {} entries]", value.size());
  const auto is_nested = [](const Json& entry) { return entry.is_structured() && !fits_one_line(entry); };
  if (value.is_array() && std::any_of(value.begin(), value.end(), is_nested)) {
    return fmt::format("[... {} entries]", value.size());
  }
  return shortened(dump(value));
}

std::string type_text(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

std::string path_step(const std::string& key) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  if (!key.empty() && key.size() <= max_text && std::all_of(key.begin(), key.end(), is_word)) return "." + key;
  return "[" + shortened(dump(Json(key))) + "]";
}

std::string child_path(const std::string& parent, const std::string& key) {
  const std::string step = path_step(key);
  return parent.empty() && step[0] == '.' ? step.substr(1) : parent + step;
}

std::string element_path(const std::string& parent, std::size_t index) {
  return fmt::format("{}[{}]", parent, index);
}

std::vector<std::string> find_differences(const Json& before, const Json& now, std::size_t limit) {
  std::vector<std::string> differences;
  collect_differences(before, now, "", limit, differences);
  return differences;
}

std::string to_text(const Json& value) {
  std::string text;
  append(text, value, 0);
  return text + "\n";
}

}  // namespace clearance
