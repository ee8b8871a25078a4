#include "clearance/geometry/principal_axes.h"

#include "clearance/math/symmetric_modes.h"

namespace clearance {

Mat<3> principal_axes(const std::vector<Vec<3>>& points) {
  Vec<3> mean = Vec<3>::Zero();
  for (const Vec<3>& x : points) mean += x / static_cast<double>(points.size());
  Mat<3> moments = Mat<3>::Zero();
  for (const Vec<3>& x : points) moments += (x - mean) * (x - mean).transpose();
  return symmetric_modes(moments).vectors;
}

}  // namespace clearance
