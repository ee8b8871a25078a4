// The published CCD queries [Fer23, sec. 3.4]: a folder per scene, in it `vertex-face` and `edge-edge`, in these
// files of comma-separated values. Eight rows are one query: the four vertices at t0, then at t1; a row is x, y and z,
// each as numerator and denominator, and the answer, 0 or 1, which is the same in all eight.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/ccd/exact_query.h"
#include "clearance/io/ccd/ccd_query_file.h"

namespace clearance {

struct PublishedQuery {
  CcdQuery query;           ///< every coordinate rounded to the nearest double
  RationalVertices t0, t1;  ///< as published
  bool is_hit = false;      ///< the published answer
  bool is_exact = true;     ///< all coordinates are doubles: `query` is the published one
};

/// All queries of one file, or its first problems.
Result<std::vector<PublishedQuery>> read_ccd_queries(const std::filesystem::path& file, QueryKind kind);

struct PublishedQueryFile {
  std::filesystem::path path;
  std::string set;  ///< name of the scene: `erleben-spikes`; of a binary file: its name without the extension
  QueryKind kind = QueryKind::point_triangle;
  bool is_binary = false;  ///< io/ccd/ccd_query_file.h; each query tells its kind
};

/// The .csv and .ccd (binary) files below a folder, or the one file, in the order of their paths; a file of another
/// name that is `path` itself is taken for binary. The folder a .csv file lies in tells the kind of its queries; one
/// elsewhere is a problem if it is `path` itself and is passed over otherwise.
Result<std::vector<PublishedQueryFile>> find_ccd_query_files(const std::filesystem::path& path);

/// The queries of one of these. Answers to queries that are no doubles are those of other queries: they are left out.
Result<std::vector<LabelledQuery>> read_labelled_queries(const PublishedQueryFile& file);

}  // namespace clearance
