#include "clearance/scene/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "clearance/scene/json_writer.h"
#include "scene/full_scene.h"
#include "support/paths.h"

namespace clearance {
namespace {

// A validator of the part of JSON Schema that the generator uses; anything else it meets is a failure.
class Validator {
 public:
  explicit Validator(Json root) : root_(std::move(root)) {}

  bool accepts(const Json& value, const Json& schema) const {
    for (const auto& [keyword, rule] : schema.items()) {
      if (!accepts_keyword(value, schema, keyword, rule)) return false;
    }
    return true;
  }
  bool accepts(const Json& value) const { return accepts(value, root_); }

 private:
  static bool has_type(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == value.type_name();
  }
  bool accepts_keyword(const Json& value, const Json& schema, const std::string& keyword, const Json& rule) const {
    const auto fits = [&](const Json& other) { return accepts(value, other); };
    if (keyword == "$ref") return accepts(value, root_.at(Json::json_pointer(rule.get<std::string>().substr(1))));
    if (keyword == "type" && rule.is_string()) return has_type(value, rule);
    if (keyword == "type")
      return std::any_of(rule.begin(), rule.end(), [&](const Json& t) { return has_type(value, t); });
    if (keyword == "const") return value == rule;
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (keyword == "anyOf") return std::any_of(rule.begin(), rule.end(), fits);
    if (keyword == "oneOf") return std::count_if(rule.begin(), rule.end(), fits) == 1;
    if (keyword == "minimum") return !value.is_number() || value.get<double>() >= rule.get<double>();
    if (keyword == "maximum") return !value.is_number() || value.get<double>() <= rule.get<double>();
    if (keyword == "exclusiveMinimum") return !value.is_number() || value.get<double>() > rule.get<double>();
    if (keyword == "exclusiveMaximum") return !value.is_number() || value.get<double>() < rule.get<double>();
    if (keyword == "minItems") return value.size() >= rule.get<std::size_t>();
    if (keyword == "maxItems") return value.size() <= rule.get<std::size_t>();
    if (keyword == "items")
      return std::all_of(value.begin(), value.end(), [&](const Json& v) { return accepts(v, rule); });
    if (keyword == "required") {
      return std::all_of(rule.begin(), rule.end(),
                         [&](const Json& key) { return value.contains(key.get<std::string>()); });
    }
    if (keyword == "properties") return accepts_properties(value, rule, schema.value("additionalProperties", true));
    const bool is_annotation = keyword == "description" || keyword == "default" || keyword == "title" ||
                               keyword == "$schema" || keyword == "$defs" || keyword == "additionalProperties";
    EXPECT_TRUE(is_annotation) << keyword;
    return is_annotation;
  }
  bool accepts_properties(const Json& value, const Json& properties, bool more_allowed) const {
    for (const auto& [key, entry] : value.items()) {
      if (!properties.contains(key)) {
        if (!more_allowed) return false;
      } else if (!accepts(entry, properties[key])) {
        return false;
      }
    }
    return true;
  }

  Json root_;
};

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// CLEARANCE_UPDATE_DOCS=1 writes the documents instead of comparing them.
void expect_file(const std::string& path, const std::string& content) {
  if (std::getenv("CLEARANCE_UPDATE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(file_content(path), content) << path << " is out of date: run this test with CLEARANCE_UPDATE_DOCS=1";
}

TEST(SceneSchema, AcceptsWhatTheWriterWrites) {
  const Validator validator(Json::parse(scene_schema()));
  EXPECT_TRUE(validator.accepts(scene_to_json_value(full_scene())));
  EXPECT_TRUE(validator.accepts(default_scene_json()));
}

TEST(SceneSchema, EveryFieldOfTheWriterIsAProperty) {
  const Json schema = Json::parse(scene_schema());
  const Json scene = scene_to_json_value(full_scene());
  const auto expect_same_keys = [](const Json& object, const Json& properties, const std::string& where) {
    for (const auto& [key, value] : object.items()) EXPECT_TRUE(properties.contains(key)) << where << "." << key;
  };
  expect_same_keys(scene, schema["properties"], "scene");
  const Json& defs = schema["$defs"];
  for (const char* name : {"time", "contact", "solver", "output"}) {
    expect_same_keys(scene[name], defs[name]["properties"], name);
    EXPECT_EQ(scene[name].size(), defs[name]["properties"].size()) << name;
  }
  const Json& body = scene["bodies"][0];
  expect_same_keys(body, defs["body"]["properties"], "body");
  expect_same_keys(body["motions"][0], defs["motion"]["properties"], "motion");
  expect_same_keys(body["motions"][0]["region"], defs["region"]["properties"], "region");
}

TEST(SceneSchema, RefusesWhatTheReaderRefuses) {
  const Validator validator(Json::parse(scene_schema()));
  const auto change = [](const char* pointer, const Json& value) {
    Json scene = scene_to_json_value(full_scene());
    scene[Json::json_pointer(pointer)] = value;
    return scene;
  };
  EXPECT_FALSE(validator.accepts(change("/time/step", 0)));
  EXPECT_FALSE(validator.accepts(change("/time/step", "fast")));
  EXPECT_FALSE(validator.accepts(change("/time/stepp", 1)));
  EXPECT_FALSE(validator.accepts(change("/time/integrator", "euler")));
  EXPECT_FALSE(validator.accepts(change("/bodies/0/material/poisson_ratio", 0.5)));
  EXPECT_FALSE(validator.accepts(change("/gravity", Json::array({1, 2, 3, 4}))));
  EXPECT_FALSE(validator.accepts(change("/dimension", 4)));
  EXPECT_FALSE(validator.accepts(change("/bodies/0/motions/0/region/box", Json::array({1}))));
  EXPECT_TRUE(validator.accepts(change("/bodies/0/motions/0/end", nullptr)));
  EXPECT_TRUE(validator.accepts(change("/bodies/0/transform/scale", 2)));
}

TEST(SceneDocuments, AreUpToDateWithTheTable) {
  expect_file(source_folder() / "docs/scene.schema.json", scene_schema());
  expect_file(source_folder() / "docs/scene.md", scene_reference());
}

TEST(SceneDocuments, DescribeEveryField) {
  const std::string reference = scene_reference();
  const Json schema = Json::parse(scene_schema());
  for (const auto& [name, definition] : schema["$defs"].items()) {
    EXPECT_NE(reference.find("\n## " + name + "\n"), std::string::npos) << name;
    for (const auto& [key, property] : definition["properties"].items()) {
      EXPECT_NE(reference.find("| `" + key + "` |"), std::string::npos) << name << "." << key;
      EXPECT_GT(property["description"].get<std::string>().size(), 4U) << name << "." << key;
    }
  }
}

}  // namespace
}  // namespace clearance
