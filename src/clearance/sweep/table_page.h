// The table of the runs as one HTML file for any browser: sortable, with pictures, without a network.
#pragma once

#include <string>
#include <vector>

#include "clearance/sweep/run_table.h"

namespace clearance::sweep {

struct TablePage {
  std::string title;
  std::vector<std::string> links;     ///< of the rows: address of the run's folder, relative to the page; escaped here
  std::vector<std::string> pictures;  ///< of the rows: bytes of a PNG file, or empty; no entries: no column for them
  int picture_width = 240, picture_height = 180;  ///< [px]
};

std::string html_text(const RunTable& table, const TablePage& page);

/// A text within an element or a quoted attribute.
std::string html_escaped(const std::string& text);

}  // namespace clearance::sweep
