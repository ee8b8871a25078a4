#include "clearance/io/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "clearance/io/files/text_file.h"
#include "clearance/scene/json_number.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance {
namespace {

// The library's messages read `[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while
// parsing value - unexpected '}'; expected ...`; the part after the position is what a user can act on.
std::string readable(std::string text) {
  for (const char* intro : {"syntax error while parsing ", "syntax error "}) {
    const std::size_t start = text.find(intro);
    if (start == std::string::npos) continue;
    text = text.substr(start + std::string_view(intro).size());
    break;
  }
  const std::size_t close = text.find("] ");
  if (text.starts_with("[json.exception") && close != std::string::npos) text = text.substr(close + 2);
  constexpr std::size_t longest = 200;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  // Bytes of a damaged file have no place in a log.
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7F; }, '?');
  return text;
}

/// Iterator over characters that notes how far they have been read.
class Reader {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reader(const char* at, const char*& reached) : at_(at), reached_(&reached) {}
  const char& operator*() const { return *at_; }
  Reader& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  Reader operator++(int) {
    Reader before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Reader& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Builds the value like the library's own handler, but notes errors and repeated keys instead of throwing.
class Handler : public nlohmann::json_sax<Json> {
 public:
  /// `reached` follows the reader.
  Handler(std::string_view text, const char* const& reached) : text_(text), reached_(reached) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    is_after_value_ = false;
    if (!level.keys.insert(name).second) {
      const std::size_t end = reached_ - text_.data();
      issues.push_back({"", child_path(place(), name), "",
                        fmt::format("the key is given twice, the second time at {}",
                                    line_and_column(text_, text_.rfind(name, end - std::min(end, name.size() + 1))))});
    }
    level.key = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    const std::size_t at = start_of_token(position, token);
    issues.push_back({"", line_and_column(text_, at), "", "this is not valid JSON: " + problem_at(at, error.what())});
    return false;
  }

  Json root;
  Issues issues;

 private:
  // An object or array that is being read.
  struct Level {
    Json value;
    std::string key;
    std::set<std::string> keys;
  };

  std::string place() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      const Level& level = levels_[i];
      path = level.value.is_object() ? child_path(path, level.key) : element_path(path, level.value.size());
    }
    return path;
  }

  bool open(Json value) {
    if (levels_.size() >= max_depth) {
      issues.push_back({"", "", "", fmt::format("nested more than {} levels deep", max_depth)});
      return false;
    }
    levels_.push_back({std::move(value), {}, {}});
    is_after_value_ = false;
    return true;
  }
  /// Returns the start of a token. The library gives the position after the token, and all text since the last string
  /// or number began.
  std::size_t start_of_token(std::size_t position, const std::string& token) const {
    const bool is_string = token.size() > 1 && token.front() == '"' && token.back() == '"';
    const bool is_number = !token.empty() && token.find_first_not_of("+-.0123456789eE") == std::string::npos;
    const bool is_there = position >= token.size() && position <= text_.size() &&
                          text_.substr(position - token.size(), token.size()) == token;
    return position - ((is_string || is_number) && is_there ? token.size() : std::min<std::size_t>(position, 1));
  }
  /// Returns the problem in the words of this format where its cause is known, else in those of the library.
  std::string problem_at(std::size_t at, const std::string& message) const {
    if (text_.find_first_not_of(" \t\r\n", at) == std::string_view::npos) return "the file ends too early" + unclosed();
    if (std::string number = problem_of_number(word_at(at)); !number.empty()) return number;
    if (text_[at] == '#') return "comments begin with // or stand between /* and */";
    if (text_[at] == '\'') return "strings have double quotes";
    if (levels_.empty() && !is_after_value_) return "expected {, with which the JSON of a scene begins";
    const char* hint = levels_.empty()           ? "; nothing but comments may follow the last } or ]"
                       : is_after_last_comma(at) ? "; remove the comma before it"
                       : is_without_comma(at)    ? "; a comma is probably missing before it"
                                                 : "";
    return readable(message) + hint;
  }
  /// Returns the word or number around the place.
  std::string_view word_at(std::size_t at) const {
    const auto is_part = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(text_[i])) != 0 || std::string_view("+-.").find(text_[i]) < 3;
    };
    std::size_t end = at;
    while (at > 0 && is_part(at - 1)) --at;
    while (end < text_.size() && is_part(end)) ++end;
    return text_.substr(at, end - at);
  }
  /// Returns where the text that has ended was: `, within bodies[0].material`.
  std::string unclosed() const {
    if (levels_.empty()) return "";
    const std::string within = place();
    return (within.empty() ? "" : ", within " + within) +
           fmt::format("; {} closing bracket{} missing", levels_.size(), levels_.size() == 1 ? " is" : "s are");
  }
  bool is_after_comma(std::size_t at) const {
    const std::size_t last = text_.substr(0, at).find_last_not_of(" \t\r\n");
    return last != std::string_view::npos && text_[last] == ',';
  }
  /// True if a list or an object ends here, after a comma.
  bool is_after_last_comma(std::size_t at) const {
    return at < text_.size() && (text_[at] == '}' || text_[at] == ']') && is_after_comma(at);
  }
  /// True if a key or a value begins here directly after another one, without a comma.
  bool is_without_comma(std::size_t at) const {
    if (levels_.empty() || !is_after_value_ || at >= text_.size() || is_after_comma(at)) return false;
    return std::isalnum(static_cast<unsigned char>(text_[at])) != 0 ||
           std::string_view("\"{[-").find(text_[at]) != std::string_view::npos;
  }
  bool close() {
    Json value = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(value));
  }
  bool add(Json value) {
    is_after_value_ = true;
    if (levels_.empty()) {
      root = std::move(value);
    } else if (levels_.back().value.is_object()) {
      levels_.back().value[levels_.back().key] = std::move(value);
    } else {
      levels_.back().value.push_back(std::move(value));
    }
    return true;
  }

  // No format that we read is nested deeper; the bound keeps recursion over values safe.
  static constexpr std::size_t max_depth = 64;

  std::string_view text_;
  const char* const& reached_;
  std::vector<Level> levels_;
  bool is_after_value_ = false;
};

}  // namespace

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

Result<Json> parse_json_text(std::string_view text) {
  const char* reached = text.data();
  Handler handler(text, reached);
  const bool is_parsed = Json::sax_parse(Reader(text.data(), reached), Reader(text.data() + text.size(), reached),
                                         &handler, nlohmann::detail::input_format_t::json, true, true);
  if (is_parsed && handler.issues.empty()) return std::move(handler.root);
  if (handler.issues.empty()) handler.issues.push_back({"", "", "", "this is not valid JSON"});
  return handler.issues;
}

Result<Json> read_json(const std::filesystem::path& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.issues();
  Result<Json> root = parse_json_text(*text);
  if (root) return root;
  Issues issues = root.issues();
  set_file(issues, path.string());
  return issues;
}

}  // namespace clearance
