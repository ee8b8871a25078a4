#include "apps/cli/ccd_bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/ccd_sets.h"

namespace clearance::cli {
namespace {

using Results = std::vector<CcdBenchResult>;

/// Returns the different values of a member, in the order of their first appearance.
template <class T>
std::vector<T> distinct(const Results& results, T CcdBenchResult::*member) {
  std::vector<T> values;
  for (const CcdBenchResult& result : results) {
    if (std::find(values.begin(), values.end(), result.*member) == values.end()) values.push_back(result.*member);
  }
  return values;
}

std::string row(const CcdBenchResult& r) {
  return fmt::format("  {:<32}{:>9}{:>12.3f}{:>12.3f}{:>12.3f}{:>14.3f}{:>8}{:>8}\n", r.method, r.times.size(),
                     mean(r.times), percentile(r.times, 0.5), percentile(r.times, 0.99), percentile(r.times, 1.0),
                     r.false_positives, r.false_negatives);
}

std::string head(std::string_view title) {
  return fmt::format("{}\n  {:<32}{:>9}{:>12}{:>12}{:>12}{:>14}{:>8}{:>8}\n", title, "method", "queries", "mean us",
                     "median us", "p99 us", "max us", "FP", "FN");
}

/// Sums up one method over all sets of a kind.
CcdBenchResult total(const Results& results, const std::string& method, QueryKind kind) {
  CcdBenchResult sum{method, "", kind, 0, 0, {}};
  for (const CcdBenchResult& r : results) {
    if (r.method != method || r.kind != kind) continue;
    sum.false_positives += r.false_positives;
    sum.false_negatives += r.false_negatives;
    sum.times.insert(sum.times.end(), r.times.begin(), r.times.end());
  }
  std::sort(sum.times.begin(), sum.times.end());
  return sum;
}

// --- histogram ---

constexpr int first_decade = -2, last_decade = 6;  // 10 ns to 1 s; slower queries count in the last bar
constexpr int bars_per_decade = 10;
constexpr int num_bars = (last_decade - first_decade) * bars_per_decade;
constexpr int bar_width = 8, row_height = 56, left = 230, top = 30, bottom = 40;

std::vector<long> count_bars(const std::vector<float>& times) {
  std::vector<long> counts(num_bars, 0);
  for (const float time : times) {
    const double at = bars_per_decade * (std::log10(std::max<double>(time, 1e-9)) - first_decade);
    ++counts[std::clamp(at, 0.0, num_bars - 1.0)];
  }
  return counts;
}

double x_of(double time) {
  const double at = bars_per_decade * (std::log10(std::max(time, 1e-9)) - first_decade);
  return left + bar_width * std::clamp<double>(at, 0.0, num_bars);
}

std::string text(double x, double y, std::string_view anchor, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, content);
}

/// Draws the times of one method over sets and kinds; the red line is the mean.
std::string histogram_row(const std::string& method, const std::vector<float>& times, int y, double highest) {
  std::string svg = text(left - 10, y + 0.6 * row_height, "end", method);
  const std::vector<long> counts = count_bars(times);
  const int floor = y + row_height - 4;
  for (int i = 0; i < num_bars; ++i) {
    const double height = (row_height - 10) * std::log10(1.0 + counts[i]) / highest;
    if (height == 0.0) continue;
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"#4878a8\"/>\n",
                       left + i * bar_width, floor - height, bar_width - 1, height);
  }
  svg += fmt::format("<path d=\"M{} {}H{}\" stroke=\"#888\"/>\n", left, floor, left + num_bars * bar_width);
  svg += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#c03028\" stroke-width=\"2\"/>\n", x_of(mean(times)), y + 4,
                     floor);
  return svg;
}

}  // namespace

double mean(const std::vector<float>& ascending) {
  double sum = 0.0;
  for (const float time : ascending) sum += time;
  return ascending.empty() ? 0.0 : sum / static_cast<double>(ascending.size());
}

double percentile(const std::vector<float>& ascending, double fraction) {
  if (ascending.empty()) return 0.0;
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

std::string format_tables(const Results& results) {
  std::string text;
  const std::vector<std::string> sets = distinct(results, &CcdBenchResult::set);
  for (const QueryKind kind : distinct(results, &CcdBenchResult::kind)) {
    for (const std::string& set : sets) {
      std::string rows;
      for (const CcdBenchResult& r : results) rows += r.kind == kind && r.set == set ? row(r) : "";
      if (!rows.empty()) text += head(fmt::format("{}, {}", set, name_of(kind))) + rows + "\n";
    }
  }
  for (const QueryKind kind : distinct(results, &CcdBenchResult::kind)) {
    text += head(fmt::format("all sets, {}", name_of(kind)));
    for (const std::string& method : distinct(results, &CcdBenchResult::method)) {
      text += row(total(results, method, kind));
    }
    text += "\n";
  }
  return text + "FP: false positives; FN: false negatives; us: microseconds\n";
}

std::string format_json(const Results& results) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CcdBenchResult& r : results) {
    list.push_back({{"method", r.method},
                    {"set", r.set},
                    {"kind", name_of(r.kind)},
                    {"queries", r.times.size()},
                    {"mean_us", mean(r.times)},
                    {"median_us", percentile(r.times, 0.5)},
                    {"p99_us", percentile(r.times, 0.99)},
                    {"max_us", percentile(r.times, 1.0)},
                    {"false_positives", r.false_positives},
                    {"false_negatives", r.false_negatives}});
  }
  return nlohmann::ordered_json{{"results", list}}.dump(2) + "\n";
}

std::string format_histogram(const Results& results) {
  // Collect the times of each method over all sets and kinds, and find the highest bar of all.
  const std::vector<std::string> methods = distinct(results, &CcdBenchResult::method);
  std::vector<std::vector<float>> times(methods.size());
  double highest = 1.0;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    for (const CcdBenchResult& r : results) {
      if (r.method == methods[m]) times[m].insert(times[m].end(), r.times.begin(), r.times.end());
    }
    for (const long count : count_bars(times[m])) highest = std::max(highest, std::log10(1.0 + count));
  }

  const int floor = top + row_height * static_cast<int>(methods.size());
  const int width = left + num_bars * bar_width + 40, height = floor + bottom;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  constexpr std::string_view labels[] = {"10 ns", "100 ns", "1 µs",   "10 µs", "100 µs",
                                         "1 ms",  "10 ms",  "100 ms", "1 s"};
  for (int decade = 0; decade <= last_decade - first_decade; ++decade) {
    const int x = left + decade * bars_per_decade * bar_width;
    svg += fmt::format("<path d=\"M{} {}V{}\" stroke=\"#ddd\"/>\n", x, top, floor);
    svg += text(x, floor + 18, "middle", labels[decade]);
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    svg += histogram_row(methods[m], times[m], top + row_height * static_cast<int>(m), highest);
  }
  svg += text(left, top - 10, "start", "number of queries (height: logarithm) by time of a query; red: mean");
  return svg + "</svg>\n";
}

}  // namespace clearance::cli
