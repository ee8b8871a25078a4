// Checks of the values of options, with messages that say what was expected and what was got.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace clearance::cli {

/// Accepts a whole number from `smallest` to the largest int. It checks the text before the program converts it, so
/// that `1.5` and `abc` get the same message as `-1`.
CLI::Validator whole_number(int smallest);

/// Accepts a finite number of at least 0; `positive` accepts one above 0.
CLI::Validator not_negative();
CLI::Validator positive();

/// Accepts one of the names and replaces it by its number.
CLI::Validator one_of(const std::map<std::string, int>& names);

/// Describes an error of the command line: a word in place of a command, or an option that does not exist, with the
/// nearest one that does.
std::string usage_problem(const CLI::App& app, const CLI::Error& error, int argc, char** argv);

}  // namespace clearance::cli
