// The published CCD queries [Fer23, sec. 3.4]. Each scene is a folder with the subfolders `vertex-face` and
// `edge-edge`, which hold files of comma-separated values. Eight rows are one query: the four vertices at t0, then at
// t1. A row is x, y and z, each as numerator and denominator, and the answer, 0 or 1, which is the same in all eight.
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
  bool is_exact = true;     ///< true if all coordinates are doubles, so that `query` is the published one
};

/// Returns all queries of one file, or its first problems.
Result<std::vector<PublishedQuery>> read_ccd_queries(const std::filesystem::path& file, QueryKind kind);

struct PublishedQueryFile {
  std::filesystem::path path;
  std::string set;  ///< name of the scene: `erleben-spikes`; of a binary file: its name without the extension
  QueryKind kind = QueryKind::point_triangle;
  bool is_binary = false;  ///< io/ccd/ccd_query_file.h; each query tells its kind
};

/// Returns the .csv and .ccd (binary) files below a folder, or the one file, in the order of their paths. A file of
/// another name that is `path` itself is taken as binary. The folder of a .csv file gives the kind of its queries; a
/// .csv file elsewhere is a problem if it is `path` itself and is ignored otherwise.
Result<std::vector<PublishedQueryFile>> find_ccd_query_files(const std::filesystem::path& path);

/// Returns the queries of one of these files. Leaves out queries whose coordinates are not doubles, because their
/// answers would be those of different queries.
Result<std::vector<LabelledQuery>> read_labelled_queries(const PublishedQueryFile& file);

}  // namespace clearance
