#include "clearance/io/ipc/ipc_script_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace clearance {
namespace {

constexpr std::string_view blanks = " \t\r\f\v";

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(blanks);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace

std::optional<double> parse_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_whole_word = status == std::errc() && end == word.data() + word.size();
  if (!is_whole_word || !std::isfinite(value)) return std::nullopt;
  return value;
}

IpcLine::IpcLine(std::string_view text, int number, Issues* issues)
    : words_(split(text)), number_(number), issues_(issues) {}

std::string IpcLine::place() const {
  return fmt::format("line {}", number_);
}

std::string IpcLine::word(const char* what) {
  if (!is_empty()) return words_[next_++];
  error(fmt::format("{} is missing", what));
  return {};
}

double IpcLine::real(const char* what) {
  if (next_is_number()) return *parse_number(words_[next_++]);
  error(fmt::format("expected a number for {}", what), is_empty() ? "the end of the line" : peek());
  // One message a line is enough: the rest of it has lost its meaning.
  next_ = words_.size();
  return 0.0;
}

int IpcLine::whole(const char* what) {
  const double value = real(what);
  if (value == std::floor(value) && std::abs(value) <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  error(fmt::format("expected a whole number for {}", what), fmt::format("{}", value));
  return 0;
}

Vec<3> IpcLine::vector(const char* what) {
  Vec<3> value = Vec<3>::Zero();
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && is_empty()) {
      error(fmt::format("expected 3 numbers for {}, not {}", what, i));
      return value;
    }
    value[i] = real(what);
  }
  return value;
}

bool IpcLine::take_continuation() {
  if (is_empty() || words_.back() != "\\") return false;
  words_.pop_back();
  return true;
}

void IpcLine::append(const IpcLine& more) {
  for (std::size_t i = more.next_; i < more.words_.size(); ++i) words_.push_back(more.words_[i]);
}

void IpcLine::error(const std::string& message, const std::string& value) const {
  issues_->push_back({"", place(), value, message, Severity::error});
}

void IpcLine::warning(const std::string& message, const std::string& value) const {
  issues_->push_back({"", place(), value, message, Severity::warning});
}

std::optional<IpcLine> IpcText::next_line() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = rest_.find('\n');
  const IpcLine line(rest_.substr(0, end), ++num_lines_, issues_);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  return line;
}

std::vector<double> IpcText::next_numbers(int count, const IpcLine& keyword_line) {
  std::vector<double> numbers;
  while (static_cast<int>(numbers.size()) < count) {
    auto line = next_line();
    if (!line) {
      keyword_line.error(fmt::format("{} numbers must follow, found {}", count, numbers.size()));
      break;
    }
    while (!line->is_empty() && static_cast<int>(numbers.size()) < count) {
      if (!line->next_is_number()) {
        line->error(fmt::format("expected a number: {} belong to line {}", count, keyword_line.number()), line->peek());
        return numbers;
      }
      numbers.push_back(line->real("the list"));
    }
  }
  return numbers;
}

}  // namespace clearance
