// Which of the three changes of the convergent formulation [Li23] are made to the barrier of [Fer23, ch. 2].
#pragma once

namespace clearance {

struct ContactWeighting {
  bool has_areas = false;             ///< pairs count by the area at rest that they stand for
  bool has_improved_max = false;      ///< what neighbouring primitives repel more than once is subtracted
  bool has_physical_barrier = false;  ///< energy per area: kappa is in Pa

  bool is_plain() const { return !has_areas && !has_improved_max && !has_physical_barrier; }
};

}  // namespace clearance
