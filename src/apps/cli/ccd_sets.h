// Sets of queries of one kind with their true answers.
#pragma once

#include <span>

#include "clearance/io/ccd/ccd_queries.h"

namespace clearance::cli {

struct QuerySet {
  std::string name;  ///< folder of published queries, or binary file
  QueryKind kind = QueryKind::point_triangle;
  std::vector<LabelledQuery> queries;
};

/// Returns `vertex-face` or `edge-edge`.
std::string_view name_of(QueryKind kind);

/// Reads query files. Files of the same name form one set, split by kind; the sets are in the order of their first
/// file. Reports all problems of all files.
Result<std::vector<QuerySet>> read_query_sets(std::span<const std::filesystem::path> paths);

/// Keeps at most `count` queries, evenly spread over the set.
void keep_at_most(QuerySet& set, std::size_t count);

/// Fills in the exact oracle's answers: for the queries that have none, or for all if `min_separation` is not zero.
/// Uses all threads.
void answer_exactly(QuerySet& set, double min_separation);

}  // namespace clearance::cli
