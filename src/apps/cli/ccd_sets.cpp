#include "apps/cli/ccd_sets.h"

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/ccd/exact_ccd.h"

namespace clearance::cli {
namespace {

QuerySet& find_set(std::vector<QuerySet>& sets, const std::string& name, QueryKind kind) {
  const auto found =
      std::find_if(sets.begin(), sets.end(), [&](const QuerySet& s) { return s.name == name && s.kind == kind; });
  if (found != sets.end()) return *found;
  return sets.emplace_back(QuerySet{name, kind, {}});
}

}  // namespace

std::string_view name_of(QueryKind kind) {
  return kind == QueryKind::point_triangle ? "vertex-face" : "edge-edge";
}

Result<std::vector<QuerySet>> read_query_sets(std::span<const std::filesystem::path> paths) {
  std::vector<QuerySet> sets;
  Issues issues;
  const auto add_issues = [&](const Issues& more) { issues.insert(issues.end(), more.begin(), more.end()); };
  for (const auto& path : paths) {
    const auto files = find_ccd_query_files(path);
    if (!files) {
      add_issues(files.issues());
      continue;
    }
    for (const PublishedQueryFile& file : *files) {
      const auto queries = read_labelled_queries(file);
      if (!queries) {
        add_issues(queries.issues());
        continue;
      }
      for (const QueryKind kind : {QueryKind::point_triangle, QueryKind::edge_edge}) {
        const auto is_of_kind = [kind](const LabelledQuery& q) { return q.query.kind == kind; };
        if (std::none_of(queries->begin(), queries->end(), is_of_kind)) continue;
        std::vector<LabelledQuery>& all = find_set(sets, file.set, kind).queries;
        std::copy_if(queries->begin(), queries->end(), std::back_inserter(all), is_of_kind);
      }
    }
  }
  if (has_errors(issues)) return issues;
  return sets;
}

void keep_at_most(QuerySet& set, std::size_t count) {
  const std::size_t size = set.queries.size();
  if (size <= count) return;
  for (std::size_t i = 0; i < count; ++i) set.queries[i] = set.queries[i * size / count];
  set.queries.resize(count);
}

void answer_exactly(QuerySet& set, double min_separation) {
  parallel_for(static_cast<int>(set.queries.size()), 16, [&](int i) {
    LabelledQuery& q = set.queries[i];
    if (!q.is_hit || min_separation > 0.0) q.is_hit = is_hit(q.query, min_separation);
  });
}

}  // namespace clearance::cli
