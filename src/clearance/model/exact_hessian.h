// Tells which potentials have their whole second derivative.
#pragma once

namespace clearance {

/// Interface that a Potential has besides if add_exact_derivatives adds the derivative of its gradient, with nothing
/// left out. Derivatives of a run then need no differences of its forces.
class ExactHessian {
 public:
  virtual ~ExactHessian() = default;
  virtual bool has_exact_hessian() const { return true; }
};

}  // namespace clearance
