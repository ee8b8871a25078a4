// The text of an MJCF file before libmujoco compiles it: what the installed version would refuse or do otherwise than
// newer ones is taken out of it, or written into it.
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

/// A start tag. `<geom size="1"/>`
struct XmlTag {
  std::string name;
  std::vector<XmlAttribute> attributes;
  bool is_empty = false;  ///< it has no end tag

  /// The attribute's value; nullptr if there is none.
  const std::string* find(const std::string& attribute) const;
  /// In the place of the old value, if there is one.
  void set(const std::string& attribute, const std::string& value);
  /// False if there is none.
  bool erase(const std::string& attribute);
};

/// The file with all that it includes, on the lines of the main file: what is included is written without line ends.
Result<std::string> read_mjcf_text(const std::filesystem::path& path);

/// The text with its start tags as `visit(tag, line, parents)` leaves them; tags that it leaves alone keep every byte.
/// `parents`: names of the open elements, outermost first; it is called in the order of the text.
std::string rewrite_tags(
    const std::string& text,
    const std::function<void(XmlTag& tag, int line, const std::vector<const XmlTag*>& parents)>& visit);

/// Attributes that `<default>` sections give elements by class, `main` being the outermost.
class MjcfDefaults {
 public:
  explicit MjcfDefaults(const std::string& text);
  /// The tag's own attribute, or that of its class: `class`, else the nearest `childclass` of its parents; else empty.
  std::string value_of(const XmlTag& tag, const std::string& attribute,
                       const std::vector<const XmlTag*>& parents) const;

 private:
  std::map<std::string, std::string> parent_of_class_;
  std::map<std::string, XmlTag> tags_;  // by `class element`
};

}  // namespace clearance::robot
