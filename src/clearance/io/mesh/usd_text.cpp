#include "clearance/io/mesh/usd_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

constexpr int max_depth = 500;  // of prims; each takes a frame of the stack

/// Fields of prims and layers that bring in what is not in this file.
constexpr std::array compositions = {"references",  "payload",  "subLayers",  "inherits",
                                     "specializes", "variants", "variantSets"};
constexpr const char* flatten =
    "expected a stage of one file without references, payloads, classes and variants; `usdcat --flatten` writes one";

bool is_wanted(std::string_view attribute) {
  constexpr std::array names = {"points",      "faceVertexCounts", "faceVertexIndices", "holeIndices",
                                "orientation", "tetVertexIndices", "curveVertexCounts", "type",
                                "wrap",        "visibility",       "xformOpOrder"};
  return attribute.starts_with("xformOp:") || std::find(names.begin(), names.end(), attribute) != names.end();
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
         c == '.' || c == '+' || c == '-' || c == '!' || static_cast<unsigned char>(c) >= 128;
}

class UsdParser {
 public:
  explicit UsdParser(MeshInput& input) : input_(input), text_(input.bytes()) {}

  UsdStage read() {
    UsdStage stage;
    if (!text_.starts_with("#usda 1.")) {
      input_.add_issue_at_line(0, text_.substr(0, std::min<std::size_t>(text_.find('\n'), 20)),
                               "expected `#usda 1.0`; a binary stage becomes text by `usdcat stage.usd -o stage.usda`");
      return stage;
    }
    if (peek() == '(') read_layer_fields(stage);
    while (!has_failed() && peek() != '\0') {
      std::optional<UsdPrim> prim = read_prim("", 0);
      if (prim) stage.prims.push_back(std::move(*prim));
    }
    return stage;
  }

 private:
  bool has_failed() const { return input_.has_failed(); }

  void fail(std::size_t position, std::string message) {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n", position), position + 40);
    if (!has_failed())
      input_.add_issue_at_line(position, text_.substr(std::min(position, text_.size()), end - position),
                               std::move(message));
    at_ = text_.size();
  }

  /// Returns the next character that is neither blank nor comment, without taking it; 0 at the end.
  char peek() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';') {
        ++at_;
      } else {
        return c;
      }
    }
    return '\0';
  }

  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail(at_, fmt::format("expected `{}`", wanted));
  }

  /// Takes a word of names, numbers and types; `[]` belongs to a type.
  std::string_view take_word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    if (at_ > begin && text_.substr(at_, 2) == "[]") at_ += 2;
    return text_.substr(begin, at_ - begin);
  }

  /// Takes a string in quotes, also in three of them.
  std::string take_string() {
    const char quote = text_[at_];
    const std::size_t begin = at_;
    const std::string mark(text_.substr(at_, 3) == std::string(3, quote) ? 3 : 1, quote);
    std::string result;
    for (at_ += mark.size(); at_ < text_.size(); ++at_) {
      if (text_.substr(at_, mark.size()) == mark) {
        at_ += mark.size();
        return result;
      }
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) result += text_[at_];
    }
    fail(begin, "expected the end of this string");
    return result;
  }

  /// Takes a file (@...@) or a path (<...>).
  void skip_reference() {
    const std::size_t begin = at_;
    const std::string mark = text_[at_] == '<' ? ">" : text_.substr(at_, 3) == "@@@" ? "@@@" : "@";
    const std::size_t end = text_.find(mark, at_ + mark.size());
    if (end == std::string_view::npos) return fail(begin, "expected the end of this path");
    at_ = end + mark.size();
  }

  /// Passes over a value of any kind: a word, or everything up to the bracket that closes it.
  void skip_value() {
    const std::size_t begin = at_;
    int depth = 0;
    do {
      const char c = peek();
      if (c == '"' || c == '\'') {
        take_string();
      } else if (c == '<' || c == '@') {
        skip_reference();
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
        ++at_;
      } else if (c == ')' || c == ']' || c == '}') {
        --depth;
        ++at_;
      } else if (c == '\0') {
        return fail(begin, "expected the end of this value");
      } else if (take_word().empty()) {
        ++at_;
      }
    } while (depth > 0 && !has_failed());
  }

  /// Reads numbers and words, and the brackets around them.
  UsdValue read_value() {
    UsdValue value;
    std::string open;
    const std::size_t begin = at_;
    do {
      const char c = peek();
      if (c == '"' || c == '\'') {
        value.words.push_back(take_string());
      } else if (c == '<' || c == '@') {
        skip_reference();
      } else if (c == '(' || c == '[') {
        open += c == '(' ? ')' : ']';
        ++at_;
      } else if (!open.empty() && c == open.back()) {
        open.pop_back();
        ++at_;
      } else if (c == ',' && !open.empty()) {
        ++at_;
      } else if (!read_item(value)) {
        fail(c == '\0' ? begin : at_, c == '\0' ? "expected the end of this value" : "expected a number or a word");
      }
    } while (!open.empty() && !has_failed());
    return value;
  }

  /// Reads a number, or a word such as `true` or `None`, which counts as no number.
  bool read_item(UsdValue& value) {
    const std::string_view word = take_word();
    double number = 0.0;
    if (parse_real(word, number))
      value.numbers.push_back(number);
    else if (word == "true" || word == "false")
      value.numbers.push_back(word == "true" ? 1.0 : 0.0);
    else
      value.words.emplace_back(word);
    return !word.empty();
  }

  void read_samples(UsdAttribute& attribute) {
    expect('{');
    while (!has_failed() && !take('}')) {
      const std::size_t place = at_;
      // The colon may stand at the end of the number.
      std::string_view word = take_word();
      if (word.ends_with(':'))
        word.remove_suffix(1);
      else
        expect(':');
      double code = 0.0;
      if (!parse_real(word, code)) return fail(place, "expected a code of time and `:`");
      UsdValue value = read_value();
      // A value that is blocked is none.
      if (!value.numbers.empty() || value.words != std::vector<std::string>{"None"})
        attribute.samples.emplace_back(code, std::move(value));
      take(',');
    }
    std::stable_sort(attribute.samples.begin(), attribute.samples.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  /// Reads the fields between ( and ), each by `read_field(name)`, which takes its value.
  template <class ReadField>
  void read_fields(const ReadField& read_field) {
    expect('(');
    while (!has_failed() && !take(')')) {
      if (peek() == '"' || peek() == '\'') {
        take_string();
        continue;
      }
      const std::size_t place = at_;
      std::string_view name = take_word();
      for (const char* edit : {"prepend", "append", "add", "delete", "reorder"}) {
        if (name == edit) name = take_word();
      }
      if (name.empty()) return fail(at_, "expected a field or `)`");
      if (!take('=')) continue;
      if (std::find(compositions.begin(), compositions.end(), name) != compositions.end()) return fail(place, flatten);
      read_field(name);
    }
  }

  void read_layer_fields(UsdStage& stage) {
    read_fields([&](std::string_view name) {
      const std::size_t place = at_;
      if (name == "metersPerUnit") {
        const UsdValue value = read_value();
        if (value.numbers.size() != 1 || !(value.numbers[0] > 0.0)) return fail(place, "expected a number above 0");
        stage.metres_per_unit = value.numbers[0];
      } else if (name == "upAxis") {
        const UsdValue value = read_value();
        const std::string axis = value.words.size() == 1 ? value.words[0] : "";
        if (axis != "Y" && axis != "Z") return fail(place, "expected \"Y\" or \"Z\"");
        stage.is_z_up = axis == "Z";
      } else {
        skip_value();
      }
    });
  }

  /// Reads a prim; nothing if it is abstract, changes another one, or is not active.
  std::optional<UsdPrim> read_prim(const std::string& parent, int depth) {
    UsdPrim prim;
    peek();
    prim.position = at_;
    const std::string_view specifier = take_word();
    if (specifier != "def" && specifier != "over" && specifier != "class") {
      fail(prim.position, "expected def, over or class");
      return {};
    }
    if (depth > max_depth) {
      fail(prim.position, fmt::format("expected at most {} prims within one another", max_depth));
      return {};
    }
    if (peek() != '"') prim.type = std::string(take_word());
    if (peek() != '"') {
      fail(at_, "expected the name of a prim in quotes");
      return {};
    }
    prim.path = parent + "/" + take_string();
    bool is_active = specifier == "def";
    if (peek() == '(') {
      read_fields([&](std::string_view name) {
        if (name != "active") return skip_value();
        const UsdValue value = read_value();
        if (value.numbers == std::vector<double>{0.0}) is_active = false;
      });
    }
    expect('{');
    while (!has_failed() && !take('}')) read_statement(prim, depth);
    if (!is_active) return {};
    return prim;
  }

  /// Reads a child or a property.
  void read_statement(UsdPrim& prim, int depth) {
    peek();
    const std::size_t place = at_;
    std::string_view word = take_word();
    if (word.empty()) return fail(place, "expected a prim, an attribute or `}`");
    if (word == "def" || word == "over" || word == "class") {
      at_ = place;
      std::optional<UsdPrim> child = read_prim(prim.path, depth + 1);
      if (child) prim.children.push_back(std::move(*child));
      return;
    }
    if (word == "variantSet") return fail(place, flatten);
    // The name is the last word of a declaration: custom uniform token[] NAME = ...
    for (std::string_view name = word; !name.empty() && !ends_line(); word = name) name = take_word();
    read_property(prim, word, place);
    if (peek() == '(') skip_value();
  }

  /// Returns whether nothing but a value or fields follow on this line.
  bool ends_line() const {
    const std::size_t next = text_.find_first_not_of(" \t", at_);
    return next == std::string_view::npos || !is_word_character(text_[next]);
  }

  void read_property(UsdPrim& prim, std::string_view name, std::size_t place) {
    if (!take('=')) return;
    const bool has_samples = name.ends_with(".timeSamples");
    if (has_samples) name.remove_suffix(std::string_view(".timeSamples").size());
    peek();
    if (!is_wanted(name)) return skip_value();
    UsdAttribute& attribute = prim.attributes[std::string(name)];
    attribute.position = place;
    if (has_samples) return read_samples(attribute);
    UsdValue value = read_value();
    if (value.words != std::vector<std::string>{"None"}) attribute.value = std::move(value);
  }

  MeshInput& input_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<double> UsdAttribute::numbers_at(std::optional<double> code) const {
  if (samples.empty() || (!code && value)) return value ? value->numbers : std::vector<double>();
  if (!code) return samples.front().second.numbers;
  const auto after = std::upper_bound(samples.begin(), samples.end(), *code,
                                      [](double time, const auto& sample) { return time < sample.first; });
  if (after == samples.begin()) return samples.front().second.numbers;
  std::vector<double> numbers = std::prev(after)->second.numbers;
  if (after == samples.end() || after->second.numbers.size() != numbers.size()) return numbers;
  const double begin = std::prev(after)->first, share = (*code - begin) / (after->first - begin);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += share * (after->second.numbers[i] - numbers[i]);
  return numbers;
}

std::string UsdAttribute::word() const {
  return value && !value->words.empty() ? value->words[0] : std::string();
}

const UsdAttribute* UsdPrim::find(const std::string& name) const {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : &found->second;
}

UsdStage read_usd_text(MeshInput& input) {
  return UsdParser(input).read();
}

}  // namespace clearance
