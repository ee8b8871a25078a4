// The text of an MJCF file before libmujoco compiles it. Anything that the installed version would refuse, or do
// differently from newer ones, is removed from the text or written into it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::robot {

struct XmlAttribute {
  std::string name, value;
};

/// A start tag, such as `<geom size="1"/>`.
struct XmlTag {
  std::string name;
  std::vector<XmlAttribute> attributes;
  bool is_empty = false;  ///< true if it has no end tag

  /// Returns the attribute's value; nullptr if there is none.
  const std::string* find(const std::string& attribute) const;
  /// Sets the attribute; replaces an old value in its place.
  void set(const std::string& attribute, const std::string& value);
  /// Removes the attribute; false if there is none.
  bool erase(const std::string& attribute);
};

/// Reads the file with all its includes. Included text is written without line ends, so that lines keep the numbers of
/// the main file.
Result<std::string> read_mjcf_text(const std::filesystem::path& path);

/// Rewrites the text with the start tags as `visit(tag, line, parents)` leaves them; unchanged tags keep every byte.
/// `parents` are the names of the open elements, outermost first. Tags are visited in the order of the text.
std::string rewrite_tags(
    const std::string& text,
    const std::function<void(XmlTag& tag, int line, const std::vector<const XmlTag*>& parents)>& visit);

/// Attributes that `<default>` sections give to elements by class; the outermost class is `main`.
class MjcfDefaults {
 public:
  explicit MjcfDefaults(const std::string& text);
  /// Returns the tag's own attribute, or else that of its class: `class`, or the nearest `childclass` of its parents.
  /// Returns an empty text if there is none.
  std::string value_of(const XmlTag& tag, const std::string& attribute,
                       const std::vector<const XmlTag*>& parents) const;

 private:
  std::map<std::string, std::string> parent_of_class_;
  std::map<std::string, XmlTag> tags_;  // key: `class element`
};

}  // namespace clearance::robot
