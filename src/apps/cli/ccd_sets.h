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

/// `vertex-face` or `edge-edge`
std::string_view name_of(QueryKind kind);

/// All files of one name are one set, split by kind; in the order of their first file. All problems of all files.
Result<std::vector<QuerySet>> read_query_sets(std::span<const std::filesystem::path> paths);

/// Evenly spread over the set.
void keep_at_most(QuerySet& set, std::size_t count);

/// The exact oracle's answers to the queries that have none, or to all where `min_separation` is not zero; on all
/// threads.
void answer_exactly(QuerySet& set, double min_separation);

}  // namespace clearance::cli
