#include "clearance/sweep/table_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "clearance/page/packing.h"

namespace clearance::sweep {
namespace {

constexpr const char* style = R"(
:root{color-scheme:light dark;--back:#fbfbfa;--text:#1c1e21;--soft:#6a7078;--line:#e3e4e6;--head:#f1f2f3;--bar:#cfe0f5;
--given:#f3f7ec;--good:#2c7a3f;--bad:#b3261e;--busy:#1f5fa8}
@media (prefers-color-scheme:dark){:root{--back:#17191c;--text:#e6e7e9;--soft:#9aa0a8;--line:#2d3136;--head:#202327;
--bar:#264566;--given:#20281c;--good:#7fce90;--bad:#ff8f86;--busy:#8fbdf2}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:14px/1.45 system-ui,sans-serif}
header{display:flex;flex-wrap:wrap;gap:6px 18px;align-items:baseline;padding:16px 20px 12px}
h1{font-size:19px;font-weight:600;margin:0}
header p{margin:0;color:var(--soft)}
header input{margin-left:auto;font:inherit;color:inherit;background:var(--head);border:1px solid var(--line);
border-radius:6px;padding:4px 10px;width:16em;max-width:100%}
main{overflow:auto;max-height:calc(100vh - 62px);border-top:1px solid var(--line)}
table{border-collapse:separate;border-spacing:0;width:100%}
th,td{padding:5px 12px;border-bottom:1px solid var(--line);text-align:left;vertical-align:middle;white-space:nowrap}
th{position:sticky;top:0;z-index:1;background:var(--head);padding:0}
th button{all:unset;cursor:pointer;display:block;width:100%;padding:8px 12px;font-weight:600;box-sizing:border-box;
white-space:normal;min-width:5.5em;max-width:16em;overflow-wrap:break-word}
th span{display:block;padding:8px 12px;font-weight:600}
th button:focus-visible{outline:2px solid var(--busy);outline-offset:-2px}
th[aria-sort=ascending] button::after{content:" \25B2"}
th[aria-sort=descending] button::after{content:" \25BC"}
td.number{text-align:right;font-variant-numeric:tabular-nums;
background-image:linear-gradient(var(--bar),var(--bar));background-repeat:no-repeat;
background-position:12px calc(100% - 3px);background-size:calc((100% - 24px)*var(--share,0)) 3px}
td.given,th.given{background-color:var(--given)}
td.reason{white-space:normal;min-width:18em;color:var(--bad)}
.complete{color:var(--good)}.failed,.foreign{color:var(--bad);font-weight:600}.running{color:var(--busy)}
.interrupted,.waiting{color:var(--soft)}
tbody tr:hover td{background-color:var(--head)}
td img{display:block;width:120px;height:auto;border-radius:4px;cursor:zoom-in;background:var(--head)}
a{color:var(--busy)}
dialog{border:0;padding:0;background:none;max-width:96vw}
dialog img{display:block;max-width:96vw;max-height:92vh;min-width:min(720px,96vw);image-rendering:auto;border-radius:8px}
dialog::backdrop{background:rgba(0,0,0,.6)}
)";

constexpr const char* script = R"(
'use strict';
const body = document.querySelector('tbody'), rows = [...body.rows];
const heads = [...document.querySelectorAll('th')], shown = document.querySelector('#shown');
const value = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent;
// Numbers by size, other texts by letters, nothing at the end whichever way.
function compare(a, b, sign) {
  if (a === '' || b === '') return (a === '') - (b === '');
  const x = Number(a), y = Number(b);
  return sign * (Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y);
}
heads.forEach((head, i) => head.querySelector('button')?.addEventListener('click', () => {
  const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
  heads.forEach(other => other.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
  const sorted = rows.map((row, n) => [value(row, i), n, row]);
  sorted.sort((a, b) => compare(a[0], b[0], sign) || a[1] - b[1]);
  body.append(...sorted.map(entry => entry[2]));
}));
document.querySelector('input').addEventListener('input', event => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(word => word);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    count += !row.hidden;
  }
  shown.textContent = words.length ? `${count} shown` : '';
});
const dialog = document.querySelector('dialog');
body.addEventListener('click', event => {
  if (event.target.tagName !== 'IMG') return;
  dialog.querySelector('img').src = event.target.src;
  dialog.querySelector('img').alt = event.target.alt;
  dialog.showModal();
});
dialog.addEventListener('click', () => dialog.close());
)";

/// Escapes file and folder names for an address. Other characters than letters, digits and /._-~ become %XX.
std::string address_escaped(const std::string& path) {
  std::string address;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("/._-~").find(c) != std::string_view::npos);
    address += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return address;
}

/// Returns a number with few digits for comparison; the cell's title shows all of them.
std::string short_number(const Json& value) {
  if (value.is_number_integer()) return cell_text(value);
  const std::string full = cell_text(value), brief = fmt::format("{:.5g}", value.get<double>());
  return brief.size() < full.size() ? brief : full;
}

struct Range {
  double low = 0.0, high = 0.0;
  bool is_empty = true;
};

Range range_of(const RunTable& table, std::size_t column) {
  Range range;
  for (const Values& row : table.rows) {
    if (!row[column].is_number()) continue;
    const double value = row[column].get<double>();
    range.low = range.is_empty ? value : std::min(range.low, value);
    range.high = range.is_empty ? value : std::max(range.high, value);
    range.is_empty = false;
  }
  return range;
}

std::string cell(const Json& value, const RunTable::Column& column, const Range& range) {
  std::string classes = column.is_parameter ? "given" : "";
  if (!value.is_number()) {
    const std::string text = cell_text(value);
    if (column.name == "state") classes = text;
    if (column.name == "reason") classes = "reason";
    return fmt::format("<td class=\"{}\">{}</td>", html_escaped(classes), html_escaped(text));
  }
  classes += classes.empty() ? "number" : " number";
  const std::string full = cell_text(value);
  std::string share;
  if (range.high > range.low) {
    share = fmt::format(" style=\"--share:{:.3f}\"", (value.get<double>() - range.low) / (range.high - range.low));
  }
  return fmt::format("<td class=\"{0}\" data-v=\"{1}\" title=\"{1}\"{2}>{3}</td>", classes, full, share,
                     short_number(value));
}

std::string counts_text(const RunTable& table) {
  std::array<int, 6> counts = {};
  for (const RunState& state : table.states) ++counts[static_cast<std::size_t>(state.phase)];
  std::string text = fmt::format("{} runs", table.rows.size());
  for (const RunPhase phase : {RunPhase::complete, RunPhase::failed, RunPhase::foreign, RunPhase::running,
                               RunPhase::interrupted, RunPhase::waiting}) {
    const int count = counts[static_cast<std::size_t>(phase)];
    if (count > 0) text += fmt::format(" &middot; <span class=\"{0}\">{1} {0}</span>", to_string(phase), count);
  }
  return text;
}

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string html_text(const RunTable& table, const TablePage& page) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>" +
      html_escaped(page.title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<header><h1>" +
      html_escaped(page.title) + "</h1><p>" + counts_text(table) +
      "</p><p id=\"shown\" role=\"status\"></p><input type=\"search\" aria-label=\"only rows with\" "
      "placeholder=\"only rows with ...\"></header>\n<main><table>\n<thead><tr>";
  const bool has_pictures = !page.pictures.empty();
  // The column of reasons takes up room, and is usually empty; it is hidden then.
  const auto is_shown = [&](std::size_t i) {
    return table.columns[i].name != "reason" ||
           std::any_of(table.rows.begin(), table.rows.end(), [&](const Values& row) { return !row[i].is_null(); });
  };
  // Ranges of the columns that have bars, which are all but the numbers of the runs.
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const RunTable::Column& column = table.columns[i];
    ranges.push_back(i == 0 ? Range() : range_of(table, i));
    if (!is_shown(i)) continue;
    html += fmt::format("<th{}><button>{}</button></th>", column.is_parameter ? " class=\"given\"" : "",
                        html_escaped(column.name));
    if (i == 0 && has_pictures) html += "<th><span>picture</span></th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    html += fmt::format("<tr><td data-v=\"{}\"><a href=\"{}/\">{}</a></td>", row,
                        html_escaped(address_escaped(page.links[row])), run_name(static_cast<int>(row)));
    if (has_pictures) {
      const std::string& png = page.pictures[row];
      html += "<td data-v=\"\">";
      if (!png.empty()) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(png.data());
        html += fmt::format("<img alt=\"run {}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">", row,
                            page.picture_width, page.picture_height, page::base64({bytes, png.size()}));
      }
      html += "</td>";
    }
    for (std::size_t i = 1; i < table.columns.size(); ++i)
      if (is_shown(i)) html += cell(table.rows[row][i], table.columns[i], ranges[i]);
    html += "</tr>\n";
  }
  html += "</tbody>\n</table></main>\n<dialog><img alt=\"\"></dialog>\n<script>";
  return html + script + "</script>\n</body>\n</html>\n";
}

}  // namespace clearance::sweep
