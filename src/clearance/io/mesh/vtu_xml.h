// A minimal XML scanner for .vtu and .pvd files: it gives tags and their attributes one after the other, without a
// tree.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clearance {

struct XmlTag {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::size_t begin = 0;    ///< offset of '<'
  std::size_t end = 0;      ///< offset after '>'
  bool is_closing = false;  ///< </name>
  bool is_empty = false;    ///< <name/>

  /// Empty if the attribute is missing
  std::string_view attribute(std::string_view attribute_name) const;
};

class XmlScanner {
 public:
  explicit XmlScanner(std::string_view text) : text_(text) {}

  /// Returns the next tag and passes over comments and declarations. Returns nothing at the end, or if a tag is
  /// malformed (`has_failed`).
  std::optional<XmlTag> next();
  bool has_failed() const { return has_failed_; }
  /// Returns the position after the last tag, or the start of a malformed one.
  std::size_t position() const { return position_; }

 private:
  bool skip_past(std::string_view end);
  bool read_tag(XmlTag& tag);
  std::string_view text_;
  std::size_t position_ = 0;
  bool has_failed_ = false;
};

/// Convert `&lt;` and similar entities to characters, and back.
std::string unescape_xml(std::string_view text);
std::string escape_xml(std::string_view text);

}  // namespace clearance
