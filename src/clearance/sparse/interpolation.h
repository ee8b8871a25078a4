// How the blocks of a system follow those of a coarser one.
#pragma once

#include <span>
#include <vector>

namespace clearance {

/// Block b of a system moves by the weighted sum of the coarse blocks of its terms.
struct Interpolation {
  struct Term {
    int block = 0;  ///< of the coarse system
    double weight = 0.0;
  };
  int num_coarse = 0;          ///< 0: there is no coarser system
  std::vector<int> starts{0};  ///< per block, and one past the last, into `terms`
  std::vector<Term> terms;

  bool is_empty() const { return num_coarse == 0; }
  int num_blocks() const { return static_cast<int>(starts.size()) - 1; }
  std::span<const Term> of(int block) const { return {terms.data() + starts[block], terms.data() + starts[block + 1]}; }
};

}  // namespace clearance
