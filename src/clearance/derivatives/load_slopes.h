// How the dead loads of the solids of a scene follow from masses and shapes at rest, for derivatives in reverse mode.
//
// A force is spread over faces by their areas, a traction is one per area, and an acceleration acts on the masses of
// nodes. Formulas also read where vertices are at rest.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clearance/simulation/build/scene_model.h"

namespace clearance::derivatives {

class LoadSlopes {
 public:
  LoadSlopes(const SceneDesc& desc, const SceneModel& scene);

  /// False if some load is spread over curved faces or thin bodies, where derivatives by shapes hold it.
  bool knows_all() const { return knows_all_; }
  /// Returns, per block, the product of its motion and its acceleration by loads in the step of `h` [s] that ends at
  /// `time_t1`; empty if no load is an acceleration.
  VecX powers(double h, double time_t1, const VecX& motion) const;
  /// Adds the derivatives of motion . (the sum of all loads) by the nodes at rest, masses and accelerations held.
  void add_by_shape(double h, double time_t1, const VecX& motion, VecX& rest) const;

 private:
  struct Load {
    const LoadDesc* desc;
    std::string place;
    int body;                               // of the scene
    std::vector<int> nodes;                 // vertices of the body on which it acts
    std::vector<std::array<int, 3>> faces;  // that spread it
    std::vector<double> weights;            // of the nodes: factors of the values there
    double shared = 1.0;                    // [m^2] (2D: m) over which a force is shared out; 1 of other loads
  };
  std::vector<Vec<3>> values(const Load& load, double time_t1, const Vec<3>& shift) const;
  int block_of(const Load& load, int vertex) const {
    return scene_.blocks[static_cast<std::size_t>(load.body)].block_of_node[static_cast<std::size_t>(vertex)];
  }
  Vec<3> motion_of(const Load& load, int vertex, const VecX& motion) const;

  const SceneModel& scene_;
  std::vector<Load> loads_;
  bool knows_all_ = true;
};

}  // namespace clearance::derivatives
