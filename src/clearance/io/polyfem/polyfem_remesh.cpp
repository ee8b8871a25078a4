#include "clearance/io/polyfem/polyfem_remesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace clearance {
namespace {

const Field at_least_zero = at_least(0.0, "", "");

class RemeshReader {
 public:
  explicit RemeshReader(const ForeignObject& from)
      : from_(from), split_(from.child("split")), collapse_(from.child("collapse")) {}

  RemeshDesc read() {
    RemeshDesc remesh;
    const std::string type = from_.word("type", "physics");
    if (type == "sizing_field") {
      remesh.criterion = RemeshCriterion::size;
    } else if (type != "physics") {
      from_.error("type", "expected physics or sizing_field");
    }
    read_splits(remesh);
    read_others(remesh);
    warn_of_the_rest();
    return remesh;
  }

 private:
  void read_splits(RemeshDesc& remesh) {
    remesh.split = split_.flag("enabled", true);
    // A native value of 0 means something else. PolyFEM's 0 accepts any fall of the energy, and any length.
    constexpr double least = std::numeric_limits<double>::min();
    remesh.gain = std::max(split_.number("acceptance_tolerance", 1e-3, at_least_zero), least);
    remesh.split_quantile = split_.number("culling_threshold", 0.95, at_least_zero.below(1.0, true));
    remesh.depth = split_.integer("max_depth", 3);
    if (remesh.depth < 1) split_.error("max_depth", "must be at least 1");
    // PolyFEM's limit is that of edges before they are split.
    remesh.smallest_edge = std::max(split_.number("min_edge_length", 1e-6, at_least_zero) / 2.0, least);
  }

  /// Reads the other operations, which share a single loss.
  void read_others(RemeshDesc& remesh) {
    remesh.collapse = collapse_.flag("enabled", true);
    remesh.collapse_quantile = collapse_.number("culling_threshold", 0.01, at_least_zero.below(1.0, false));
    const ForeignObject swap = from_.child("swap"), smooth = from_.child("smooth");
    remesh.swap = swap.flag("enabled", false);
    remesh.smooth = smooth.flag("enabled", false);
    bool is_known = false;
    const std::pair<const ForeignObject*, bool> operations[] = {
        {&collapse_, remesh.collapse}, {&swap, remesh.swap}, {&smooth, remesh.smooth}};
    for (const auto& [object, is_used] : operations) {
      const double tolerance = object->number("acceptance_tolerance", -1e-8, at_most_zero());
      if (!is_used) continue;
      if (!is_known) remesh.loss = 0.0 - tolerance;
      if (is_known && 0.0 - tolerance != remesh.loss) {
        object->warning(
            "acceptance_tolerance",
            fmt::format(
                "this tolerance has no effect: the {:g} J of collapses is used for all operations except splits",
                remesh.loss));
      }
      is_known = true;
    }
    if (remesh.loss == 0.0) remesh.relative_loss = 0.0;
  }

  static Field at_most_zero() {
    Field field = any("", "");
    field.max = 0.0;
    return field;
  }

  void warn_of_the_rest() const {
    const ForeignObject swap = from_.child("swap"), smooth = from_.child("smooth"),
                        local = from_.child("local_relaxation");
    warn_unless(collapse_, "max_depth", 3.0);
    warn_unless(collapse_, "rel_max_edge_length", 1.0);
    warn_unless(collapse_, "abs_max_edge_length", 1e100);
    warn_unless(swap, "max_depth", 3.0);
    warn_unless(smooth, "max_iters", 1.0);
    warn_unless(local, "local_mesh_n_ring", 2.0);
    warn_unless(local, "local_mesh_rel_area", 0.01);
    warn_unless(local, "max_nl_iterations", 1.0);
  }

  static void warn_unless(const ForeignObject& from, const char* key, double usual) {
    if (from.number(key, usual) != usual) {
      from.warning(key,
                   fmt::format("this key has no counterpart; the run behaves as with PolyFEM's usual {:g}", usual));
    }
  }

  const ForeignObject& from_;
  ForeignObject split_, collapse_;
};

}  // namespace

void read_polyfem_remesh(const ForeignObject& root, SceneDesc& scene) {
  const ForeignObject remesh = root.child("space").child("remesh");
  if (!remesh.flag("enabled", false)) return;
  scene.remesh = RemeshReader(remesh).read();
  // Contacts of elements that adapt have one stiffness for a pair of bodies.
  scene.contact.stiffness = ContactStiffnessKind::bodies;
}

}  // namespace clearance
