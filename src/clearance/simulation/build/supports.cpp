#include "clearance/simulation/build/supports.h"

#include <algorithm>
#include <numeric>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/contact_set.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/body_names.h"

namespace clearance {

namespace {

/// Sets of bodies that are connected. One more member stands for the world.
class Supports {
 public:
  Supports(const SceneDesc& desc, const SceneModel& scene)
      : desc_(desc), scene_(scene), parent_(scene.bodies.size() + 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
    world_ = static_cast<int>(scene.bodies.size());
  }

  void add_holds() {
    add_fixed_bodies();
    add_motions();
    add_joints();
    for (const auto& [body, other] : scene_.attachments.bodies) join(body, other < 0 ? world_ : other);
    for (const auto& [body, other] : scene_.springs.bodies) join(body, other < 0 ? world_ : other);
  }
  void add_contacts();
  std::vector<int> free_bodies() {
    std::vector<int> found;
    for (int b = 0; b < world_; ++b) {
      if (root(b) != root(world_)) found.push_back(b);
    }
    return found;
  }

 private:
  int root(int b) {
    while (at(b) != b) b = at(b) = at(at(b));
    return b;
  }
  int& at(int b) { return parent_[b]; }
  void join(int a, int b) { at(root(a)) = root(b); }

  void add_fixed_bodies() {
    for (int b = 0; b < world_; ++b) {
      const BodyInstance& body = scene_.bodies[b];
      const auto& fixed = desc_.bodies[body.desc].fixed_translation;
      if (body.is_obstacle || (fixed[0] && fixed[1] && (fixed[2] || scene_.dim == 2))) join(b, world_);
    }
  }

  void add_motions() {
    for (const PreparedMotion& motion : scene_.motions) {
      if (motion.blocks.empty() || motion.desc.start > 0.0) continue;
      join(motion.body, world_);
    }
  }

  void add_joints() {
    for (const JointDesc& joint : desc_.joints) join(body_of(joint.bodies[0]), body_of(joint.bodies[1]));
  }
  /// Returns the body of a name in a joint; an empty name is the world.
  int body_of(const std::string& name) const {
    const std::optional<NamedBody> named = find_body(desc_, name);
    if (!named) return world_;
    int b = 0;
    while (b < world_ && scene_.bodies[b].desc != static_cast<int>(named->body)) ++b;
    return std::min(b + named->copy.value_or(0), world_);
  }

  int body_of_vertex(int v) const { return scene_.model.surface.vertex_body[v]; }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  std::vector<int> parent_;
  int world_ = 0;
};

void Supports::add_contacts() {
  // Bodies that start closer than dhat have had their dhat reduced, so that they would not be contacts. The test uses
  // the full distance.
  Model model = scene_.model;
  model.contact_scales = {};
  const VecX x = model.surface_map.apply(scene_.initial_state.x);
  const BarrierOptions& barrier = scene_.options.barrier;
  const auto broad_phase = make_broad_phase(scene_.dim, model.surface);
  const Candidates candidates = find_contact_candidates(*broad_phase, model, barrier, x, x);
  const ContactSet set =
      with_dimension(scene_.dim, [&](auto dim) { return build_contact_set<dim>(model, x, candidates, barrier); });
  for (const Contact& contact : set.contacts) {
    const int first = body_of_vertex(contact.vertices[0]);
    if (contact.kind == ContactKind::half_space) join(first, world_);
    for (int i = 1; i < contact.num_vertices(); ++i) {
      join(first, body_of_vertex(contact.vertices[i]));
    }
  }
}

}  // namespace

std::vector<int> find_unheld_bodies(const SceneDesc& desc, const SceneModel& scene) {
  Supports supports(desc, scene);
  supports.add_holds();
  return supports.free_bodies();
}

std::vector<int> find_free_bodies(const SceneDesc& desc, const SceneModel& scene) {
  Supports supports(desc, scene);
  supports.add_holds();
  // Contacts cost a search, so that they are added only if the scene needs it.
  if (desc.contact.enabled && !supports.free_bodies().empty()) supports.add_contacts();
  return supports.free_bodies();
}

}  // namespace clearance
