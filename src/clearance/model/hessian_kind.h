// The kind of Hessian to compute for an energy.
#pragma once

namespace clearance {

enum class HessianKind {
  projected,  ///< positive semi-definite, stencil by stencil
  exact       ///< may be indefinite: for the end of Newton's iteration
};

}  // namespace clearance
