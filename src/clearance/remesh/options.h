// The remeshing options of a body in absolute units; the simulation derives them from the scene (RemeshDesc).
#pragma once

#include "clearance/base/methods.h"

namespace clearance {

struct RemeshOptions {
  RemeshCriterion criterion = RemeshCriterion::energy;
  /// Share that the estimated energy of the error of an element may have in the elastic energy of the body. It decides
  /// instead of the criterion; 0: the criterion decides.
  double error = 0.0;
  /// The same share of all elements together. It decides instead of both; 0: they decide.
  double total_error = 0.0;
  bool split = true, collapse = true, swap = false, smooth = false;
  double gain = 0.0;            ///< [J] delta_s of [Fer23, alg. 6.2]; 0: use relative_gain
  double relative_gain = 1e-4;  ///< of the elastic and contact energy of the body
  double loss = 0.0;            ///< [J] -delta_c; 0: use relative_loss
  double relative_loss = 1e-7;
  double split_quantile = 0.0;      ///< eps_S
  double collapse_quantile = 0.01;  ///< eps_C
  int depth = 3;                    ///< largest number of successive splits of an edge within one step
  double longest_collapse = 0.0;    ///< [m] at rest: only shorter edges are collapsed; 0: the body's median length
  double smallest_edge = 0.0;       ///< [m] at rest
  int largest_count = 0;            ///< largest number of elements; 0: no limit
  double quality = 0.05;            ///< least mean_ratio
  double size_strain = 0.1;         ///< criterion size: largest change of strain between neighbours
  double size_contact = 1.0;        ///< criterion size: largest edge at a contact, in activation distances

  bool is_by_error() const { return error > 0.0 || total_error > 0.0; }
};

}  // namespace clearance
