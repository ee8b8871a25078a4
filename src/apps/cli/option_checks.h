// Checks of the values of options, with messages that say what was expected and what was got.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace clearance::cli {

/// From `smallest` to what an int can hold. Of the text, before the program converts it: `1.5` and `abc` get the same
/// message as `-1`.
CLI::Validator whole_number(int smallest);

/// A finite number of at least 0, or above it.
CLI::Validator not_negative();
CLI::Validator positive();

/// One of the names, replaced by its number.
CLI::Validator one_of(const std::map<std::string, int>& names);

/// What is wrong with a command line: a word in place of a command or an option that there is not, with the nearest
/// one.
std::string usage_problem(const CLI::App& app, const CLI::Error& error, int argc, char** argv);

}  // namespace clearance::cli
