#include "apps/robot/mjcf_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include "clearance/io/files/text_file.h"

namespace clearance::robot {

namespace {

namespace fs = std::filesystem;

constexpr const char* spaces = " \t\r\n";

/// Returns the position behind the last character of the comment, declaration or tag that begins at `begin`.
std::size_t end_of_markup(const std::string& text, std::size_t begin) {
  for (const auto& [open, close] : {std::pair{"<!--", "-->"}, std::pair{"<![CDATA[", "]]>"}, std::pair{"<?", "?>"}}) {
    if (text.compare(begin, std::string_view(open).size(), open) != 0) continue;
    const std::size_t end = text.find(close, begin);
    return end == std::string::npos ? text.size() : end + std::string_view(close).size();
  }
  char quote = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '>') {
      return i + 1;
    }
  }
  return text.size();
}

bool is_start_tag(const std::string& text, std::size_t begin) {
  return begin + 1 < text.size() && text[begin + 1] != '!' && text[begin + 1] != '?' && text[begin + 1] != '/';
}

/// Parses a tag; `markup` reaches from `<` to `>`.
XmlTag parse_tag(const std::string& markup) {
  XmlTag tag;
  tag.is_empty = markup.size() > 2 && markup[markup.size() - 2] == '/';
  std::size_t at = markup.find_first_of(" \t\r\n/>", 1);
  tag.name = markup.substr(1, at - 1);
  while (true) {
    const std::size_t name = markup.find_first_not_of(spaces, at);
    const std::size_t equals = markup.find('=', at);
    if (name == std::string::npos || equals == std::string::npos) break;
    const std::size_t open = markup.find_first_of("\"'", equals);
    if (open == std::string::npos) break;
    const std::size_t close = markup.find(markup[open], open + 1);
    if (close == std::string::npos) break;
    const std::size_t name_end = markup.find_first_of(" \t\r\n=", name);
    tag.attributes.push_back({markup.substr(name, name_end - name), markup.substr(open + 1, close - open - 1)});
    at = close + 1;
  }
  return tag;
}

std::string to_text(const XmlTag& tag) {
  std::string text = "<" + tag.name;
  for (const XmlAttribute& a : tag.attributes) {
    const char quote = a.value.find('"') == std::string::npos ? '"' : '\'';
    text += fmt::format(" {}={}{}{}", a.name, quote, a.value, quote);
  }
  return text + (tag.is_empty ? "/>" : ">");
}

/// Returns the text between the tags of the outermost element.
std::string inside_of_root(const std::string& text) {
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    const std::size_t end = end_of_markup(text, at);
    if (!is_start_tag(text, at)) {
      at = end;
      continue;
    }
    const std::size_t close = text.rfind("</");
    return close == std::string::npos || close < end ? "" : text.substr(end, close - end);
  }
  return "";
}

Result<std::string> expand(const fs::path& path, const fs::path& folder, std::set<fs::path>& open) {
  Result<std::string> read = read_text_file(path);
  if (!read) return read.issues();
  if (!open.insert(path).second) return Issue{path.string(), "", "", "includes itself"};
  const std::string& text = *read;
  std::string expanded;
  std::size_t done = 0;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    const std::size_t end = end_of_markup(text, at);
    if (is_start_tag(text, at)) {
      const XmlTag tag = parse_tag(text.substr(at, end - at));
      const std::string* file = tag.name == "include" ? tag.find("file") : nullptr;
      if (file != nullptr) {
        Result<std::string> included = expand(folder / *file, folder, open);
        if (!included) return included;
        std::string inside = inside_of_root(*included);
        std::replace(inside.begin(), inside.end(), '\n', ' ');
        expanded += text.substr(done, at - done) + inside;
        done = end;
        // (Written as `<include ...></include>`.)
        if (!tag.is_empty) done = std::min(text.size(), text.find('>', end) + 1);
      }
    }
    at = std::max(end, done);
  }
  open.erase(path);
  return expanded + text.substr(done);
}

}  // namespace

const std::string* XmlTag::find(const std::string& attribute) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](const XmlAttribute& a) { return a.name == attribute; });
  return found == attributes.end() ? nullptr : &found->value;
}

void XmlTag::set(const std::string& attribute, const std::string& value) {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](const XmlAttribute& a) { return a.name == attribute; });
  if (found == attributes.end()) {
    attributes.push_back({attribute, value});
  } else {
    found->value = value;
  }
}

bool XmlTag::erase(const std::string& attribute) {
  return std::erase_if(attributes, [&](const XmlAttribute& a) { return a.name == attribute; }) > 0;
}

Result<std::string> read_mjcf_text(const fs::path& path) {
  std::set<fs::path> open;
  return expand(path, path.parent_path(), open);
}

std::string rewrite_tags(
    const std::string& text,
    const std::function<void(XmlTag& tag, int line, const std::vector<const XmlTag*>& parents)>& visit) {
  std::string written;
  std::vector<std::unique_ptr<XmlTag>> open;
  std::vector<const XmlTag*> parents;
  std::size_t done = 0;
  int line = 1;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(done),
                                        text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    written += text.substr(done, at - done);
    const std::size_t end = end_of_markup(text, at);
    std::string markup = text.substr(at, end - at);
    if (is_start_tag(text, at)) {
      XmlTag tag = parse_tag(markup);
      const std::string before = to_text(tag);
      visit(tag, line, parents);
      if (const std::string after = to_text(tag); after != before) markup = after;
      if (!tag.is_empty) {
        open.push_back(std::make_unique<XmlTag>(std::move(tag)));
        parents.push_back(open.back().get());
      }
    } else if (markup.starts_with("</") && !open.empty()) {
      open.pop_back();
      parents.pop_back();
    }
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                        text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    written += markup;
    done = at = end;
  }
  return written + text.substr(done);
}

MjcfDefaults::MjcfDefaults(const std::string& text) {
  const auto name_of = [](const XmlTag& tag) {
    const std::string* name = tag.find("class");
    return name == nullptr ? std::string("main") : *name;
  };
  rewrite_tags(text, [&](XmlTag& tag, int, const std::vector<const XmlTag*>& parents) {
    if (parents.empty() || parents.back()->name != "default") return;
    // The outermost section is the class of all, whatever its name.
    const bool is_outermost = parents.size() < 2 || parents[parents.size() - 2]->name != "default";
    const std::string around = name_of(*parents.back()), parent = is_outermost ? "main" : around;
    if (around != parent) parent_of_class_[around] = parent;
    if (tag.name == "default") {
      parent_of_class_[name_of(tag)] = parent;
    } else {
      XmlTag& known = tags_[parent + " " + tag.name];
      for (const XmlAttribute& a : tag.attributes) known.set(a.name, a.value);
    }
  });
}

std::string MjcfDefaults::value_of(const XmlTag& tag, const std::string& attribute,
                                   const std::vector<const XmlTag*>& parents) const {
  if (const std::string* own = tag.find(attribute)) return *own;
  std::string name = "main";
  for (const XmlTag* parent : parents) {
    if (const std::string* of_children = parent->find("childclass")) name = *of_children;
  }
  if (const std::string* own = tag.find("class")) name = *own;
  for (std::size_t depth = 0; depth <= parent_of_class_.size(); ++depth) {
    const auto known = tags_.find(name + " " + tag.name);
    const std::string* value = known == tags_.end() ? nullptr : known->second.find(attribute);
    if (value != nullptr) return *value;
    const auto parent = parent_of_class_.find(name);
    if (parent == parent_of_class_.end()) break;
    name = parent->second;
  }
  return "";
}

}  // namespace clearance::robot
