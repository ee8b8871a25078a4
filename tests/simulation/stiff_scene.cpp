#include "simulation/stiff_scene.h"

#include <Eigen/SVD>

namespace clearance {

double StiffScene::strain(int u) const {
  return (Eigen::JacobiSVD<Mat<3>>(map(u)).singularValues() - Vec<3>::Ones()).cwiseAbs().maxCoeff();
}

}  // namespace clearance
