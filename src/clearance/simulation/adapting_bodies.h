// Deformable bodies whose elements adapt: what a run starts from, and what the scene says of their parts
// (docs/remeshing.md).
#pragma once

#include <memory>
#include <vector>

#include "clearance/remesh/remesher.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

using BodyMeshes = std::vector<std::shared_ptr<const BodyMesh>>;

class AdaptingBodies {
 public:
  /// One body, as it was at the start. Faces and cells of one class are the same to everything in the scene, so that
  /// operations may do as they like within it; classes of faces lie in one plane each.
  struct Body {
    int body = 0;
    std::shared_ptr<const BodyMesh> start;
    std::shared_ptr<const BodyInstance> instance;
    std::vector<RegionDesc> regions;  ///< those of BodyMesh::nodes_of_region
    RemeshOptions options;
    std::vector<int> class_of_face, class_of_cell;
    std::vector<int> face_of_class, cell_of_class;                            ///< one of each class
    std::vector<std::uint64_t> regions_of_face_class, regions_of_cell_class;  ///< bit k: region k means it
    std::vector<double> area_of_face_class;                                   ///< [m^2]; 2D: [m]
    std::vector<char> is_kept_vertex;
    std::uint64_t boundary_sets = 0, frozen_sets = 0;
  };

  AdaptingBodies() = default;
  /// Of a scene at its start, which has been checked (scene/validate_remesh.cpp, remesh_checks.h).
  AdaptingBodies(const SceneDesc& desc, const SceneModel& scene);

  bool is_empty() const { return bodies_.empty(); }
  const std::vector<Body>& bodies() const { return bodies_; }
  /// Of operations and a solve within a step, at most.
  int num_rounds() const { return num_rounds_; }

  /// What a body's elements are in a state: those of its meshes, or of the start.
  std::shared_ptr<const BodyMesh> mesh_of(const Body& body, const BodyMeshes& meshes) const;
  /// Why the elements of a checkpoint cannot be those of the scene's bodies; empty if they can.
  std::string misfit(const State& state) const;
  /// All bodies of the scene with these elements.
  std::vector<BodyInstance> instances(const BodyMeshes& meshes) const;

 private:
  std::vector<std::shared_ptr<const BodyInstance>> all_;  // of the scene, at its start
  std::vector<Body> bodies_;
  int num_rounds_ = 0;
};

/// Fields of the nodes of one body, from the state that a step starts from and the solution `x1` so far.
template <int dim>
AdaptingBody<dim> make_adapting_body(const SceneDesc& desc, const AdaptingBodies::Body& body,
                                     const std::shared_ptr<const BodyMesh>& mesh, const SceneModel& scene,
                                     const State& state, const VecX& x1, const PrescribedTargets& targets);

/// The elements that operations have left, and per vertex its number in `adapted`.
template <int dim>
std::shared_ptr<const BodyMesh> body_mesh_of(const AdaptingBodies::Body& body, const BodyMesh& before,
                                             const AdaptingBody<dim>& adapted, std::vector<int>& vertex_of);

/// Every element split into 8 (2D: 4), with midpoints of all edges after the vertices; `parents`: per vertex the two
/// that it lies between, or twice itself.
std::shared_ptr<const BodyMesh> refine_body_mesh(const AdaptingBodies::Body& body, const BodyMesh& mesh,
                                                 std::vector<std::array<int, 2>>& parents);

}  // namespace clearance
