// Cauchy stress at any point of elements, recovered from the stresses at the points where elements are most accurate.
//
// The displacements of elements of order p give a stress of order p - 1 that jumps from element to element. It is most
// accurate inside and least at the boundary, where stresses are largest. Around each corner, a polynomial of degree p
// is fitted to the stresses at the points of stress_points [Zie92]. The stress at a point of an element is the mean of
// the polynomials of its corners, weighted by its barycentric coordinates [Bla94]. It is continuous within a body and a
// material, and never averaged across them.
#pragma once

#include <vector>

#include "clearance/simulation/output/stress_patches.h"

namespace clearance {

/// The recovered stress of a state.
class RecoveredStress {
 public:
  /// Fits the stress at the unknowns x, with the history of the potentials. `scene` and `patches` must outlive the
  /// object. `is_wanted` tells for each patch whether it is needed; empty: all are.
  RecoveredStress(const SceneModel& scene, const StressPatches& patches, const VecX& x, const History& history,
                  const std::vector<char>& is_wanted = {});

  /// Returns the stress [Pa] at a point of an element whose corners' patches are wanted.
  StressVector at(int element, const Barycentrics& point) const;

 private:
  /// A polynomial in (X - origin) / scale, component by component. Its degree is the order of the elements.
  struct Polynomial {
    Vec<3> origin = Vec<3>::Zero(), scale = Vec<3>::Ones();  // [m]
    std::vector<StressVector> coefficients;                  // [Pa] per monomial
  };
  struct Samples;

  static std::vector<int> points_of(const Samples& samples, const std::vector<int>& elements);
  static Polynomial frame_of(const Samples& samples, const std::vector<int>& points);
  Vec<3> rest_position(int element, const Barycentrics& point) const;
  Polynomial fit(int patch, const Samples& samples) const;
  StressVector evaluate(int patch, const Vec<3>& at_rest) const;

  const SceneModel& scene_;
  const StressPatches& patches_;
  std::vector<Polynomial> polynomials_;  // per patch
};

/// Returns the matrix of a stress.
Mat<3> to_matrix(const StressVector& stress);
/// Returns the equivalent stress of von Mises [Pa].
double von_mises(const StressVector& stress);

/// The recovered stress of a node.
struct NodeStress {
  int vertex = -1;  ///< of frames
  StressVector stress = StressVector::Zero();
};

/// The nodes of elements, as vertices of frames, and one element that has each of them. A vertex where materials meet
/// is listed once for each of them.
class StressNodes {
 public:
  /// `is_wanted` tells for each vertex of frames whether it is needed; empty: all are.
  StressNodes(const SceneModel& scene, const StressPatches& patches, const std::vector<char>& is_wanted = {});

  bool is_empty() const { return nodes_.empty(); }
  /// Returns the stress at each node at the unknowns x, with the history of the potentials (State::history).
  std::vector<NodeStress> stresses(const VecX& x, const History& history = {}) const;

 private:
  struct Node {
    int vertex, zone, element, number;  // number of the node in the element
  };
  const SceneModel& scene_;
  const StressPatches& patches_;
  std::vector<Node> nodes_;
  std::vector<char> is_wanted_patch_;
};

}  // namespace clearance
