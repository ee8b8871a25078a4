#include "clearance/study/probe_table.h"

#include <fmt/format.h>

#include <limits>
#include <sstream>

#include "clearance/io/files/text_file.h"
#include "clearance/scene/json.h"

namespace clearance::study {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

double number_in(const std::string& cell) {
  const Json number = Json::parse(cell, nullptr, false);
  return number.is_number() ? number.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Result<ProbeTable> read_probe_table(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "probes.csv";
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.issues();
  std::istringstream lines(*text);
  std::string line;
  // The first two columns are the step and its time.
  constexpr std::size_t num_leading = 2;
  if (!std::getline(lines, line) || cells_of(line).size() < num_leading) {
    return Issue{path.string(), "line 1", line, "expected a head of names: step, time [s] and the columns of probes"};
  }
  ProbeTable table;
  table.columns = cells_of(line);
  table.columns.erase(table.columns.begin(), table.columns.begin() + num_leading);
  table.numbers.resize(table.columns.size());
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::size_t cell = i + num_leading;
      table.numbers[i].push_back(number_in(cell < cells.size() ? cells[cell] : ""));
    }
  }
  return table;
}

}  // namespace clearance::study
