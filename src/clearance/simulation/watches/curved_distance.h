// Distance of curved boundaries from the flat pieces that stand for them in contact.
#pragma once

namespace clearance {

/// Distance of the body whose boundary is farthest from its pieces.
struct CurvedDistance {
  double distance = 0.0;  ///< [m] certified upper bound
  double share = 0.0;     ///< twice the distance over min_separation; above 1 boundaries might meet
  int body = -1;          ///< -1 if no body's boundary is curved, or if the scene does not ask for the distance
};

}  // namespace clearance
