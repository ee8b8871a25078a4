#include "apps/cli/option_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "clearance/scene/nearest_name.h"

namespace clearance::cli {

namespace {

/// Parses the text; nothing if it is more, or less, than a number.
template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

CLI::Validator check(std::string expected, std::function<bool(const std::string&)> is_good) {
  const auto operation = [=](const std::string& text) {
    return is_good(text) ? std::string() : fmt::format("expected {} (got {})", expected, text);
  };
  return {operation, "", ""};
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

std::string nearest_text(const std::string& word, const std::vector<std::string>& known) {
  const std::string_view nearest = nearest_name(word, views(known));
  return nearest.empty() ? fmt::format("known: {}", quoted_list(views(known)))
                         : fmt::format("did you mean `{}`?", nearest);
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames()[0]);
  }
  return names;
}

}  // namespace

CLI::Validator whole_number(int smallest) {
  return check(fmt::format("a whole number from {} to {}", smallest, std::numeric_limits<int>::max()),
               [=](const std::string& text) {
                 const auto number = parse<int>(text);
                 return number && *number >= smallest;
               });
}

CLI::Validator not_negative() {
  return check("a number of at least 0", [](const std::string& text) {
    const auto number = parse<double>(text);
    return number && std::isfinite(*number) && *number >= 0.0;
  });
}

CLI::Validator positive() {
  return check("a number above 0", [](const std::string& text) {
    const auto number = parse<double>(text);
    return number && std::isfinite(*number) && *number > 0.0;
  });
}

CLI::Validator one_of(const std::map<std::string, int>& names) {
  const auto operation = [=](std::string& text) {
    const auto found = names.find(text);
    if (found != names.end()) {
      text = std::to_string(found->second);
      return std::string();
    }
    std::vector<std::string> known;
    for (const auto& [name, number] : names) known.push_back(name);
    return fmt::format("expected one of {} (got {})", quoted_list(views(known)), text);
  };
  return {operation, "", ""};
}

std::string usage_problem(const CLI::App& app, const CLI::Error& error, int argc, char** argv) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  const std::vector<CLI::App*> given = app.get_subcommands();
  if (given.empty() && argc > 1) {
    const std::string word = argv[1];
    return fmt::format("there is no command `{}`; {}", word, nearest_text(word, commands));
  }
  if (given.empty()) return fmt::format("expected a command: {}", quoted_list(views(commands)));
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return error.what();
  // If a command has commands of its own, the message names the innermost one that was given.
  const CLI::App* last = given[0];
  std::string command = last->get_name();
  while (!last->get_subcommands().empty()) {
    last = last->get_subcommands()[0];
    command += " " + last->get_name();
  }
  const auto option = std::find_if(left.begin(), left.end(), [](const auto& word) { return word.starts_with("-"); });
  // The parser has read a misspelt command of `sweep` as its plan.
  std::vector<std::string> inner;
  for (const CLI::App* one : last->get_subcommands([](const CLI::App*) { return true; })) {
    inner.push_back(one->get_name());
  }
  const std::string first = argc > 2 && last == given[0] ? argv[2] : "";
  if (const std::string_view nearest = nearest_name(first, views(inner)); option == left.end() && !nearest.empty()) {
    return fmt::format("{0}: there is no command `{1}`; did you mean `clearance {0} {2}`?", command, first, nearest);
  }
  if (option == left.end()) return fmt::format("{}: the argument `{}` is one too many", command, left[0]);
  return fmt::format("{}: there is no option `{}`; {}", command, *option, nearest_text(*option, option_names(*last)));
}

}  // namespace clearance::cli
