#include "clearance/io/result/probe_cells.h"

#include <algorithm>

namespace clearance {

std::vector<std::string_view> probe_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

}  // namespace clearance
