#include "clearance/io/mesh/vtu_xml.h"

#include <algorithm>
#include <array>

namespace clearance {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::array<std::pair<std::string_view, char>, 5> entities{
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};

}  // namespace

std::string_view XmlTag::attribute(std::string_view attribute_name) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute_name) return value;
  }
  return {};
}

bool XmlScanner::skip_past(std::string_view end) {
  const std::size_t found = text_.find(end, position_);
  if (found == std::string_view::npos) {
    has_failed_ = true;
    return false;
  }
  position_ = found + end.size();
  return true;
}

std::optional<XmlTag> XmlScanner::next() {
  while (!has_failed_) {
    const std::size_t open = text_.find('<', position_);
    if (open == std::string_view::npos) {
      position_ = text_.size();
      return std::nullopt;
    }
    position_ = open;
    const std::string_view rest = text_.substr(open, 4);
    if (rest == "<!--") {
      skip_past("-->");
    } else if (rest.starts_with("<?")) {
      skip_past("?>");
    } else if (rest.starts_with("<!")) {
      skip_past(">");
    } else {
      XmlTag tag;
      if (read_tag(tag)) return tag;
      has_failed_ = true;
    }
  }
  return std::nullopt;
}

bool XmlScanner::read_tag(XmlTag& tag) {
  tag.begin = position_;
  std::size_t at = position_ + 1;
  if (at < text_.size() && text_[at] == '/') {
    tag.is_closing = true;
    ++at;
  }
  const std::size_t name_end = text_.find_first_of(" \t\r\n/>", at);
  if (name_end == std::string_view::npos || name_end == at) return false;
  tag.name = text_.substr(at, name_end - at);
  at = name_end;

  while (true) {
    at = text_.find_first_not_of(blanks, at);
    if (at == std::string_view::npos) return false;
    if (text_[at] == '>') break;
    if (text_[at] == '/') {
      tag.is_empty = true;
      ++at;
      continue;
    }
    // name = "value" or 'value'
    const std::size_t key_end = text_.find_first_of(" \t\r\n=/>", at);
    if (key_end == std::string_view::npos || key_end == at) return false;
    const std::size_t equals = text_.find_first_not_of(blanks, key_end);
    if (equals == std::string_view::npos || text_[equals] != '=') return false;
    const std::size_t quote = text_.find_first_not_of(blanks, equals + 1);
    if (quote == std::string_view::npos || (text_[quote] != '"' && text_[quote] != '\'')) return false;
    const std::size_t value_end = text_.find(text_[quote], quote + 1);
    if (value_end == std::string_view::npos) return false;
    tag.attributes.emplace_back(text_.substr(at, key_end - at), text_.substr(quote + 1, value_end - quote - 1));
    at = value_end + 1;
  }
  tag.end = at + 1;
  position_ = tag.end;
  return true;
}

std::string unescape_xml(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const auto entity = std::find_if(entities.begin(), entities.end(),
                                     [&](const auto& e) { return text.substr(i).starts_with(e.first); });
    plain += entity == entities.end() ? text[i] : entity->second;
    i += entity == entities.end() ? 1 : entity->first.size();
  }
  return plain;
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto entity = std::find_if(entities.begin(), entities.end(), [&](const auto& e) { return e.second == c; });
    if (entity == entities.end())
      escaped += c;
    else
      escaped += entity->first;
  }
  return escaped;
}

}  // namespace clearance
