#include "clearance/io/mesh/weights_reader.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include "clearance/io/mesh/quiet_hdf5.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr const char* group_name = "weight_triplets";
constexpr double sum_tolerance = 1e-6;
// Largest number of entries, for 4 GB of memory at most, because a file may declare any number without holding it.
constexpr std::int64_t most_entries = std::int64_t{1} << 28;
constexpr std::int64_t most_rows = most_entries;

/// Closes an object of HDF5; a negative number is no object.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

struct Triplets {
  std::array<std::int64_t, 2> shape = {0, 0};
  std::vector<double> values;
  std::vector<std::int64_t> rows, columns;
};

class WeightsReader {
 public:
  explicit WeightsReader(const fs::path& path) : path_(path) {}

  Result<SurfaceWeights> read() {
    SurfaceWeights weights;
    if (const std::optional<Triplets> triplets = read_triplets()) add_up(*triplets, weights);
    if (!issues_.empty()) return issues_;
    return weights;
  }

 private:
  void error(std::string place, std::string value, std::string message) {
    issues_.push_back({path_.string(), std::move(place), std::move(value), std::move(message)});
  }

  /// Reads the triplets; returns nothing after an issue.
  std::optional<Triplets> read_triplets() {
    std::error_code ignored;
    if (!fs::is_regular_file(path_, ignored)) {
      error("", "", "the file does not exist");
      return std::nullopt;
    }
    const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file.is_open()) {
      error("", "", "the file cannot be read; expected an HDF5 file");
      return std::nullopt;
    }
    const Handle group(H5Gopen2(file, group_name, H5P_DEFAULT), H5Gclose);
    if (!group.is_open()) {
      error("", "",
            fmt::format("the file has no group `{}`; expected this group with the datasets `values`, `rows` and `cols` "
                        "and the attribute `shape`",
                        group_name));
      return std::nullopt;
    }
    Triplets triplets;
    read_shape(group, triplets.shape);
    read_dataset(group, "values", {H5T_FLOAT, H5T_INTEGER}, H5T_NATIVE_DOUBLE, "numbers", triplets.values);
    read_dataset(group, "rows", {H5T_INTEGER}, H5T_NATIVE_INT64, "integers", triplets.rows);
    read_dataset(group, "cols", {H5T_INTEGER}, H5T_NATIVE_INT64, "integers", triplets.columns);
    if (issues_.empty()) check(triplets);
    if (!issues_.empty()) return std::nullopt;
    return triplets;
  }

  static std::string place_of(const char* name) { return fmt::format("{}/{}", group_name, name); }

  void read_shape(hid_t group, std::array<std::int64_t, 2>& shape) {
    const std::string place = place_of("shape");
    constexpr const char* expected = "expected an attribute of two integers: how many rows and columns";
    const Handle attribute(H5Aopen(group, "shape", H5P_DEFAULT), H5Aclose);
    if (!attribute.is_open()) return error(place, "", fmt::format("this attribute is missing: {}", expected));
    const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 2 ||
        H5Aread(attribute, H5T_NATIVE_INT64, shape.data()) < 0) {
      return error(place, "", expected);
    }
    if (shape[0] < 1 || shape[1] < 1 || shape[0] > most_rows || shape[1] > std::numeric_limits<int>::max()) {
      error(place, fmt::format("{} x {}", shape[0], shape[1]),
            fmt::format("expected 1 to {} rows and 1 to {} columns", most_rows, std::numeric_limits<int>::max()));
    }
  }

  /// Reads a list of numbers of one of these classes.
  template <class T>
  void read_dataset(hid_t group, const char* name, const std::vector<H5T_class_t>& classes, hid_t as, const char* what,
                    std::vector<T>& numbers) {
    const std::string place = place_of(name);
    const Handle dataset(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose);
    if (!dataset.is_open())
      return error(place, "", fmt::format("this dataset is missing; expected a list of {}", what));
    const Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    const hssize_t length = H5Sget_simple_extent_npoints(space);
    if (std::find(classes.begin(), classes.end(), H5Tget_class(type)) == classes.end() || length < 0) {
      return error(place, "", fmt::format("expected a list of {}", what));
    }
    if (length > most_entries) {
      return error(place, fmt::format("{}", length), fmt::format("expected at most {} {}", most_entries, what));
    }
    numbers.resize(length);
    if (H5Dread(dataset, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0) {
      error(place, "", "the dataset cannot be read, because the file is damaged or its compression is not installed");
    }
  }

  void check(const Triplets& triplets) {
    const std::size_t num_entries = triplets.values.size();
    if (triplets.rows.size() != num_entries || triplets.columns.size() != num_entries) {
      return error(group_name, "",
                   fmt::format("expected as many `rows` and `cols` as `values`, not {}, {} and {}",
                               triplets.rows.size(), triplets.columns.size(), num_entries));
    }
    check_range("rows", triplets.rows, triplets.shape[0]);
    check_range("cols", triplets.columns, triplets.shape[1]);
    const auto bad = std::find_if(triplets.values.begin(), triplets.values.end(),
                                  [](double value) { return !std::isfinite(value); });
    if (bad == triplets.values.end()) return;
    error(fmt::format("{}[{}]", place_of("values"), bad - triplets.values.begin()), fmt::format("{}", *bad),
          "expected a finite number");
  }

  void check_range(const char* name, const std::vector<std::int64_t>& numbers, std::int64_t count) {
    const auto bad = std::find_if(numbers.begin(), numbers.end(), [&](std::int64_t n) { return n < 0 || n >= count; });
    if (bad == numbers.end()) return;
    error(fmt::format("{}[{}]", place_of(name), bad - numbers.begin()), fmt::format("{}", *bad),
          fmt::format("expected a number from 0 to {}, as `shape` says", count - 1));
  }

  void add_up(const Triplets& triplets, SurfaceWeights& weights) {
    weights.num_nodes = triplets.shape[1];
    weights.rows.resize(triplets.shape[0]);
    for (std::size_t i = 0; i < triplets.values.size(); ++i) {
      weights.rows[triplets.rows[i]].push_back({static_cast<int>(triplets.columns[i]), triplets.values[i]});
    }
    std::size_t num_bad = 0, worst = 0;
    double worst_sum = 1.0;
    for (std::size_t r = 0; r < weights.rows.size(); ++r) {
      const double sum = add_up(weights.rows[r]);
      if (std::abs(sum - 1.0) <= sum_tolerance) continue;
      ++num_bad;
      if (std::abs(sum - 1.0) <= std::abs(worst_sum - 1.0)) continue;
      worst = r;
      worst_sum = sum;
    }
    if (num_bad == 0) return;
    error(group_name, "",
          fmt::format("the weights of row {} add up to {:.9g}{}: expected 1, so that the surface follows translations",
                      worst, worst_sum, num_bad > 1 ? fmt::format(" (the worst of {} rows)", num_bad) : ""));
  }

  /// Adds up the weights of each node, in the order of the file, and returns the sum of all.
  static double add_up(std::vector<NodeWeight>& row) {
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
    std::vector<NodeWeight> sums;
    double sum = 0.0;
    for (const auto& [node, weight] : row) {
      sum += weight;
      if (sums.empty() || sums.back().node != node) sums.push_back({node, 0.0});
      sums.back().weight += weight;
    }
    std::erase_if(sums, [](const auto& entry) { return entry.weight == 0.0; });
    row = std::move(sums);
    return sum;
  }

  fs::path path_;
  Issues issues_;
};

}  // namespace

Result<SurfaceWeights> read_weights(const fs::path& path) {
  // HDF5 is not thread-safe in every build.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const QuietHdf5 quiet;
  return WeightsReader(path).read();
}

double distance_of_weights(const NodeWeights& weights, const std::vector<Vec<3>>& vertices,
                           const std::vector<Vec<3>>& nodes) {
  double largest = 0.0;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    Vec<3> x = Vec<3>::Zero() - vertices[v];
    for (const auto& [node, weight] : weights[v]) x += weight * nodes[node];
    largest = std::max(largest, x.norm());
  }
  return largest;
}

}  // namespace clearance
