// A sparse matrix that is made once and multiplied a few times.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// A matrix as a list of its entries, of which several may be at one place: they add up.
class EntryList {
 public:
  EntryList() = default;
  EntryList(Eigen::Index num_rows, Eigen::Index num_columns) : num_rows_(num_rows), num_columns_(num_columns) {}

  void add(Eigen::Index row, Eigen::Index column, double value) {
    entries_.push_back({static_cast<int>(row), static_cast<int>(column), value});
  }
  Eigen::Index rows() const { return num_rows_; }
  Eigen::Index cols() const { return num_columns_; }

  /// Returns A x.
  VecX multiply(const VecX& x) const {
    VecX y = VecX::Zero(num_rows_);
    for (const Entry& entry : entries_) y[entry.row] += entry.value * x[entry.column];
    return y;
  }
  /// Returns A^T x.
  VecX multiply_transposed(const VecX& x) const {
    VecX y = VecX::Zero(num_columns_);
    for (const Entry& entry : entries_) y[entry.column] += entry.value * x[entry.row];
    return y;
  }

 private:
  struct Entry {
    int row, column;
    double value;
  };
  Eigen::Index num_rows_ = 0, num_columns_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace clearance
