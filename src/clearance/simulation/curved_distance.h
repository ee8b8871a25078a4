// How far curved boundaries are from the flat pieces that touch for them.
#pragma once

namespace clearance {

/// Of the body whose boundary is farthest from its pieces.
struct CurvedDistance {
  double distance = 0.0;  ///< [m] certified: an upper bound
  double share = 0.0;     ///< twice the distance over min_separation: beyond 1 boundaries might meet
  int body = -1;          ///< -1: no body's boundary is curved, or nothing asks for it
};

}  // namespace clearance
