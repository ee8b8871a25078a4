#include "clearance/math/svd.h"

#include <cmath>

#include "clearance/math/svd_kernel.h"

namespace clearance {

template <int dim>
RotationVariantSvd<dim> rotation_variant_svd(const Mat<dim>& f) {
  // Far from 1 the kernel's products of four entries would leave the range of double: scale by a power of two, exactly.
  const double largest = f.cwiseAbs().maxCoeff();
  int exponent = 0;
  if (largest > 0 && std::isfinite(largest) && (largest < 1e-60 || largest > 1e60)) std::frexp(largest, &exponent);
  SmallMatrix<double, dim> scaled;
  for (int i = 0; i < dim * dim; ++i) scaled.m[i] = std::ldexp(f.data()[i], -exponent);

  const SvdFrame<double, dim> frame = compute_svd(scaled);
  RotationVariantSvd<dim> svd;
  svd.u = Eigen::Map<const Mat<dim>>(frame.u.m);
  svd.v = Eigen::Map<const Mat<dim>>(frame.v.m);
  for (int i = 0; i < dim; ++i) svd.sigma[i] = std::ldexp(frame.sigma[i], exponent);
  return svd;
}

template <int dim>
Mat<dim> nearest_rotation(const Mat<dim>& f) {
  const RotationVariantSvd<dim> svd = rotation_variant_svd<dim>(f);
  return svd.u * svd.v.transpose();
}

template RotationVariantSvd<2> rotation_variant_svd(const Mat<2>&);
template RotationVariantSvd<3> rotation_variant_svd(const Mat<3>&);
template Mat<2> nearest_rotation(const Mat<2>&);
template Mat<3> nearest_rotation(const Mat<3>&);

}  // namespace clearance
