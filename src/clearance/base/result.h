// Failure as data. User input is never answered with an exception, an exit or an assertion, but with all problems
// found, each with its place and what was expected.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace clearance {

enum class Severity { error, warning };

/// One problem in the user's input.
struct Issue {
  std::string file;     ///< path of the file as the user wrote it; empty if there is none
  std::string place;    ///< place in the file: `bodies[2].material.density`, `line 17`; empty for the whole file
  std::string value;    ///< the offending value as text; empty if there is none
  std::string message;  ///< what is wrong and what was expected
  Severity severity = Severity::error;
};

using Issues = std::vector<Issue>;

/// Returns `file: place: message (got value)`.
std::string to_string(const Issue& issue);

bool has_errors(const Issues& issues);

/// A value, or the reasons why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Issues issues) : content_(std::move(issues)) {}
  Result(Issue issue) : content_(Issues{std::move(issue)}) {}

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return std::get<0>(content_); }
  const T& value() const& { return std::get<0>(content_); }
  T&& value() && { return std::get<0>(std::move(content_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  /// Returns the issues; empty if there is a value.
  const Issues& issues() const& {
    static const Issues none;
    return has_value() ? none : std::get<1>(content_);
  }
  Issues issues() && { return has_value() ? Issues{} : std::get<1>(std::move(content_)); }

 private:
  std::variant<T, Issues> content_;
};

/// Success without a value.
struct Done {};

}  // namespace clearance
