// The table of the runs as one HTML file for any browser. It is sortable, has pictures and needs no network.
#pragma once

#include <string>
#include <vector>

#include "clearance/sweep/run_table.h"

namespace clearance::sweep {

struct TablePage {
  std::string title;
  std::vector<std::string> links;     ///< address of each row's run folder, relative to the page; escaped here
  std::vector<std::string> pictures;  ///< bytes of each row's PNG file, or empty; no entries: no column of pictures
  int picture_width = 240, picture_height = 180;  ///< [px]
};

std::string html_text(const RunTable& table, const TablePage& page);

/// Escapes a text for use in an element or a quoted attribute.
std::string html_escaped(const std::string& text);

}  // namespace clearance::sweep
