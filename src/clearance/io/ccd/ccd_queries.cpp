#include "clearance/io/ccd/ccd_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/mesh_file.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr int num_rows = 8, num_columns = 7;
/// Far above any rational double; keeps a damaged file from asking for numbers of millions of digits
constexpr std::size_t max_digits = 2000;

bool parse_integer(std::string_view word, mpz_class& value) {
  const std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || digits.size() > max_digits || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return false;
  }
  return value.set_str(std::string(word), 10) == 0;
}

/// Returns the double nearest to x; get_d() alone truncates.
double nearest_double(const mpq_class& x) {
  const double below = x.get_d();
  if (!std::isfinite(below) || mpq_class(below) == x) return below;
  const double above = std::nextafter(below, sgn(x) * std::numeric_limits<double>::infinity());
  if (!std::isfinite(above)) return below;
  return abs(x - mpq_class(below)) <= abs(mpq_class(above) - x) ? below : above;
}

/// Reads the rows of a file one by one and reports their problems.
class RowReader {
 public:
  explicit RowReader(MeshInput& input) : input_(input), rest_(input.bytes()) {}

  bool is_at_end() {
    skip_empty_lines();
    return rest_.empty();
  }

  /// Reads one vertex and the answer; returns false for any other row.
  bool read(std::array<mpq_class, 3>& vertex, bool& is_hit) {
    skip_empty_lines();
    const std::string_view line = take_line();
    std::array<std::string_view, num_columns> words;
    if (!split(line, words)) {
      return fail(line, "expected 7 integers: x, y and z, each as numerator and denominator, and the answer");
    }
    for (int i = 0; i < 3; ++i) {
      mpz_class numerator, denominator;
      if (!parse_integer(words[2 * i], numerator)) return fail(words[2 * i], "expected an integer");
      if (!parse_integer(words[2 * i + 1], denominator) || denominator == 0) {
        return fail(words[2 * i + 1], "expected a denominator: an integer that is not zero");
      }
      vertex[i] = mpq_class(numerator, denominator);
      vertex[i].canonicalize();
    }
    if (words[6] != "0" && words[6] != "1") return fail(words[6], "expected the answer: 0 or 1");
    is_hit = words[6] == "1";
    return true;
  }

  bool fail(std::string_view value, std::string message) {
    input_.add_issue_at_line(line_offset_, value, std::move(message));
    return false;
  }

 private:
  void skip_empty_lines() {
    while (!rest_.empty() && trimmed(rest_.substr(0, rest_.find('\n'))).empty()) take_line();
  }
  std::string_view take_line() {
    line_offset_ = input_.bytes().size() - rest_.size();
    const std::size_t length = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, length);
    rest_.remove_prefix(std::min(length + 1, rest_.size()));
    return trimmed(line);
  }
  static bool split(std::string_view line, std::array<std::string_view, num_columns>& words) {
    for (int i = 0; i < num_columns; ++i) {
      const std::size_t comma = line.find(',');
      if ((comma == line.npos) != (i + 1 == num_columns)) return false;
      words[i] = trimmed(line.substr(0, comma));
      if (comma != line.npos) line.remove_prefix(comma + 1);
    }
    return true;
  }

  MeshInput& input_;
  std::string_view rest_;
  std::size_t line_offset_ = 0;
};

bool read_query(RowReader& rows, PublishedQuery& query) {
  for (int row = 0; row < num_rows; ++row) {
    if (rows.is_at_end()) return rows.fail("", fmt::format("expected {} more rows of this query", num_rows - row));
    bool is_hit = false;
    if (!rows.read(row < 4 ? query.t0[row] : query.t1[row - 4], is_hit)) return false;
    if (row > 0 && is_hit != query.is_hit) {
      return rows.fail(is_hit ? "1" : "0", "expected the answer of the other rows of this query");
    }
    query.is_hit = is_hit;
  }
  return true;
}

/// Rounds the coordinates. Returns false if one is too large for a double.
bool round(PublishedQuery& query) {
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 3; ++i) {
      for (const bool is_start : {true, false}) {
        const mpq_class& exact = is_start ? query.t0[k][i] : query.t1[k][i];
        double& rounded = is_start ? query.query.motion.t0[k][i] : query.query.motion.t1[k][i];
        rounded = nearest_double(exact);
        if (!std::isfinite(rounded)) return false;
        query.is_exact = query.is_exact && mpq_class(rounded) == exact;
      }
    }
  }
  return true;
}

std::optional<QueryKind> kind_of_folder(const fs::path& file) {
  const fs::path folder = file.parent_path().filename();
  if (folder == "vertex-face") return QueryKind::point_triangle;
  if (folder == "edge-edge") return QueryKind::edge_edge;
  return std::nullopt;
}

}  // namespace

Result<std::vector<PublishedQuery>> read_ccd_queries(const fs::path& file, QueryKind kind) {
  MeshInput input(file);
  std::vector<PublishedQuery> queries;
  RowReader rows(input);
  // After a bad row it is unknown where the next query starts: the first problem is the only one.
  while (!input.has_failed() && !rows.is_at_end()) {
    PublishedQuery query;
    query.query.kind = kind;
    if (!read_query(rows, query)) break;
    if (!round(query)) rows.fail("", "expected coordinates that a double can hold in this query");
    queries.push_back(std::move(query));
  }
  if (input.has_failed()) return input.issues();
  return queries;
}

Result<std::vector<PublishedQueryFile>> find_ccd_query_files(const fs::path& path) {
  std::error_code error;
  std::vector<PublishedQueryFile> files;
  const auto add_binary = [&](const fs::path& file) {
    files.push_back({file, file.stem().string(), QueryKind::point_triangle, true});
  };
  const auto add_csv = [&](const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const std::optional<QueryKind> kind = kind_of_folder(whole);
    if (kind) files.push_back({file, whole.parent_path().parent_path().filename().string(), *kind});
  };
  if (fs::is_directory(path, error)) {
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".ccd") add_binary(entry->path());
      if (entry->path().extension() == ".csv") add_csv(entry->path());
    }
    if (error) return Issue{path.string(), "", "", "cannot read the folder: " + error.message(), Severity::error};
  } else if (fs::is_regular_file(path, error)) {
    path.extension() == ".csv" ? add_csv(path) : add_binary(path);
  } else {
    return Issue{path.string(), "", "", "file or folder not found", Severity::error};
  }
  if (files.empty()) {
    return Issue{path.string(), "", "", "expected .ccd files, or .csv files in folders `vertex-face` or `edge-edge`",
                 Severity::error};
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

Result<std::vector<LabelledQuery>> read_labelled_queries(const PublishedQueryFile& file) {
  if (file.is_binary) return read_ccd_query_file(file.path);
  const Result<std::vector<PublishedQuery>> published = read_ccd_queries(file.path, file.kind);
  if (!published) return published.issues();
  std::vector<LabelledQuery> queries;
  for (const PublishedQuery& q : *published) {
    queries.push_back({q.query, q.is_exact ? std::optional(q.is_hit) : std::nullopt});
  }
  return queries;
}

}  // namespace clearance
