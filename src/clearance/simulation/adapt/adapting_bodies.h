// Deformable bodies whose elements adapt: their elements at the start of a run, and what the scene specifies for their
// parts (docs/remeshing.md).
#pragma once

#include <memory>
#include <vector>

#include "clearance/remesh/remesher.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

using BodyMeshes = std::vector<std::shared_ptr<const BodyMesh>>;

class AdaptingBodies {
 public:
  /// One body, as it was at the start. The scene treats all faces and cells of one class alike, so that operations may
  /// rearrange elements freely within a class. All faces of one class lie in one plane.
  struct Body {
    int body = 0;
    std::shared_ptr<const BodyMesh> start;
    std::shared_ptr<const BodyInstance> instance;
    std::vector<RegionDesc> regions;  ///< the regions of BodyMesh::nodes_of_region
    RemeshOptions options;
    std::vector<int> class_of_face, class_of_cell;
    std::vector<int> face_of_class, cell_of_class;  ///< a member of each class
    /// Sets of regions that select each class: bit k stands for region k.
    std::vector<std::uint64_t> regions_of_face_class, regions_of_cell_class;
    std::vector<double> area_of_face_class;  ///< [m^2]; 2D: [m]
    std::vector<char> is_kept_vertex;
    std::uint64_t boundary_sets = 0, frozen_sets = 0;
  };

  AdaptingBodies() = default;
  /// Collects the adapting bodies of a scene at its start. The scene has passed its checks (scene/validate_remesh.cpp,
  /// remesh_checks.h).
  AdaptingBodies(const SceneDesc& desc, const SceneModel& scene);

  bool is_empty() const { return bodies_.empty(); }
  const std::vector<Body>& bodies() const { return bodies_; }
  /// Largest number of rounds in a step; a round consists of operations and a solve.
  int num_rounds() const { return num_rounds_; }

  /// Returns the elements of a body in a state: those in `meshes`, or those of the start if the body has none there.
  std::shared_ptr<const BodyMesh> mesh_of(const Body& body, const BodyMeshes& meshes) const;
  /// Returns why the elements of a checkpoint do not belong to the bodies of the scene; empty if they do.
  std::string misfit(const State& state) const;
  /// Returns all bodies of the scene, with these elements.
  std::vector<BodyInstance> instances(const BodyMeshes& meshes) const;

 private:
  std::vector<std::shared_ptr<const BodyInstance>> all_;  // all bodies of the scene, at its start
  std::vector<Body> bodies_;
  int num_rounds_ = 0;
};

/// Collects the fields of the nodes of one body, from the state that a step starts from and the solution so far, `x1`.
template <int dim>
AdaptingBody<dim> make_adapting_body(const SceneDesc& desc, const AdaptingBodies::Body& body,
                                     const std::shared_ptr<const BodyMesh>& mesh, const SceneModel& scene,
                                     const State& state, const VecX& x1, const PrescribedTargets& targets);

/// Returns the elements that remain after the operations. `vertex_of` receives the number in `adapted` of each vertex.
template <int dim>
std::shared_ptr<const BodyMesh> body_mesh_of(const AdaptingBodies::Body& body, const BodyMesh& before,
                                             const AdaptingBody<dim>& adapted, std::vector<int>& vertex_of);

/// Splits every element into 8 (2D: 4). The midpoints of all edges follow the old vertices. `parents` receives for each
/// vertex the two vertices that it lies between, or twice itself.
std::shared_ptr<const BodyMesh> refine_body_mesh(const AdaptingBodies::Body& body, const BodyMesh& mesh,
                                                 std::vector<std::array<int, 2>>& parents);

}  // namespace clearance
