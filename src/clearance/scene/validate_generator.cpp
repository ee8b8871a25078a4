#include "clearance/scene/validate_generator.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "clearance/base/machine_memory.h"
#include "clearance/scene/body_names.h"
#include "clearance/scene/default_units.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

using Kind = GeneratorKind;

std::size_t num_sizes(Kind shape) {
  switch (shape) {
    case Kind::sphere:
    case Kind::disk:
    case Kind::line:
      return 1;
    case Kind::torus:
    case Kind::cylinder:
    case Kind::sheet:
    case Kind::bowl:
    case Kind::rectangle:
    case Kind::capsule:
      return 2;
    case Kind::box:
    case Kind::mat:
    case Kind::blocks:
    case Kind::funnel:
    case Kind::link:
    case Kind::gear:
    case Kind::bolt:
      return 3;
    case Kind::nut:
      return 4;
  }
  return 3;
}

std::size_t num_resolutions(Kind shape) {
  switch (shape) {
    case Kind::blocks:
      return 0;
    case Kind::sphere:
    case Kind::disk:
    case Kind::bolt:
    case Kind::nut:
    case Kind::bowl:
    case Kind::capsule:
    case Kind::line:
      return 1;
    case Kind::torus:
    case Kind::cylinder:
    case Kind::link:
    case Kind::gear:
    case Kind::sheet:
    case Kind::funnel:
    case Kind::rectangle:
      return 2;
    case Kind::box:
    case Kind::mat:
      return 3;
  }
  return 3;
}

/// Returns the number of elements of a shape: tetrahedra, triangles or edges. That of threads, links and gears is a
/// lower bound. Blocks have a limit of their own (make_blocks).
double num_elements(const GeneratorDesc& generator) {
  const std::vector<int>& resolution = generator.resolution;
  if (resolution.empty()) return 0.0;
  // The last number also stands for the missing ones.
  const auto n = [&](std::size_t i) -> double { return resolution[std::min(i, resolution.size() - 1)]; };
  switch (generator.kind) {
    case Kind::blocks:
      return 0.0;
    case Kind::box:
    case Kind::mat:
      return 6.0 * n(0) * n(1) * n(2);
    case Kind::sphere:
      return 20.0 * n(0) * n(0) * n(0);
    case Kind::torus:
    case Kind::link:
      return 18.0 * n(0) * n(1) * n(1);
    case Kind::cylinder:
      return 18.0 * n(0) * n(0) * n(1);
    case Kind::gear:
      return 12.0 * n(0) * n(1);
    case Kind::sheet:
    case Kind::rectangle:
    case Kind::funnel:
      return 2.0 * n(0) * n(1);
    case Kind::disk:
    case Kind::bowl:
      return 6.0 * n(0) * n(0);
    case Kind::capsule:
      return 12.0 * n(0) * n(0);
    // A thread has at least two pitches, of four rings each.
    case Kind::bolt:
    case Kind::nut:
      return 16.0 * n(0);
    case Kind::line:
      return n(0);
  }
  return 0.0;
}

/// Returns the documentation of the resolution of a shape.
std::string_view resolution_text(Kind shape) {
  constexpr std::string_view intro = "resolution: ";
  for (const auto& known : EnumInfo<Kind>::values) {
    const std::size_t at = known.doc.find(intro);
    if (known.value == shape && at != std::string_view::npos) return known.doc.substr(at + intro.size());
  }
  return {};
}

class GeneratorCheck : SceneCheck {
 public:
  GeneratorCheck(const SceneDesc& scene, const BodyDesc& body, std::string place, Issues& issues)
      : SceneCheck(scene, issues),
        body_(body),
        generator_(*body.generator),
        place_(std::move(place)),
        name_(enum_name(generator_.kind)) {}

  void run(BodyKind kind) {
    const Kind shape = generator_.kind;
    const bool is_flat = shape == Kind::rectangle || shape == Kind::disk;
    if (is_flat != is_plane()) {
      error(place_ + ".kind",
            is_flat ? "this is a 2D shape in a 3D scene; a 2D scene has `\"dimension\": 2`"
                    : "this is a 3D shape in a 2D scene",
            name_);
    }
    check_sizes();
    check_resolution();
    check_count();
    if ((shape == Kind::blocks) == generator_.blocks.empty()) {
      error(place_ + ".blocks", shape == Kind::blocks ? "a generator of kind blocks needs at least one box"
                                                      : "only a generator of kind blocks has boxes");
    }
    if (generator_.is_exact.value_or(false) && shape != Kind::sphere && shape != Kind::capsule) {
      error(place_ + ".exact", "only spheres and capsules are exact", name_);
    }
    if (kind == BodyKind::rod && shape != Kind::line) {
      error(place_ + ".kind", "a rod consists of edges: a line, or a `mesh` or `geometry` of edges", name_);
    }
    if (kind == BodyKind::shell && shape == Kind::line) {
      error(place_ + ".kind", "a shell consists of triangles, and this shape of edges", name_);
    }
    if (kind != BodyKind::deformable) return;
    if (shape == Kind::line) error(place_ + ".kind", "a deformable body needs volume elements", name_);
    const bool is_open = shape == Kind::sheet || shape == Kind::bowl || shape == Kind::funnel;
    if (is_open) error(place_ + ".kind", "an open surface can only be a shell, an obstacle or stiff", name_);
    if (shape == Kind::bolt || shape == Kind::nut || shape == Kind::capsule) {
      error(place_ + ".kind",
            "this shape is a surface without volume elements; its body can only be a shell, an obstacle or stiff",
            name_);
    }
    if (generator_.is_surface) {
      error(place_ + ".is_surface",
            "a deformable body needs volume elements; only an obstacle or a stiff body can be a surface", "true");
    }
  }

 private:
  void check_sizes() {
    const std::vector<double>& size = generator_.size;
    const std::size_t needed = num_sizes(generator_.kind);
    if (size.size() < needed) {
      error(place_ + ".size", fmt::format("a {} needs {} sizes, not {}", name_, needed, size.size()));
      return;
    }
    // (The default has three.)
    if (size.size() > needed && size != defaults_of<GeneratorDesc>(scene_).size) {
      warning(place_ + ".size",
              fmt::format("a {} uses {} of these values (see `kind`); the others have no effect", name_, needed),
              fmt::format("{} sizes", size.size()));
    }
    for (std::size_t i = 0; i < size.size(); ++i) {
      // Squares and cubes of sizes beyond these are no numbers any more.
      const bool is_tiny = size[i] > 0.0 && size[i] < 1e-12;
      if (!is_tiny && !(size[i] > 1e12)) continue;
      error(element_path(place_ + ".size", i), "expected a size between 1e-12 and 1e12 m", fmt::format("{}", size[i]));
      return;
    }
    const auto require = [&](bool is_right, const char* message) {
      if (!is_right) error(place_ + ".size", message);
    };
    switch (generator_.kind) {
      case Kind::torus:
        require(size[1] < size[0], "the ring radius must exceed the tube radius");
        break;
      case Kind::link:
        require(size[0] >= size[1], "the length of a link must not be less than its width");
        require(size[1] > 4.0 * size[2],
                "the width of a link must exceed four wire radii, so that the link has a hole");
        break;
      case Kind::gear:
        check_gear(size, generator_.resolution);
        break;
      case Kind::nut:
        require(size[3] < 0.5 * size[2],
                "the clearance of a nut must be less than half the pitch; otherwise the thread holds nothing");
        [[fallthrough]];
      case Kind::bolt:
        require(size[2] <= size[0], "the pitch of a thread must not exceed its radius");
        require(size[1] >= 2.0 * size[2], "a thread must be at least two pitches long");
        break;
      default:
        break;
    }
  }

  void check_gear(const std::vector<double>& size, const std::vector<int>& resolution) {
    if (resolution.empty()) return;
    const int teeth = resolution[0];
    if (teeth < 6) {
      error(place_ + ".resolution[0]", "a gear needs at least 6 teeth", fmt::format("{}", teeth));
      return;
    }
    const double root_radius = size[0] * (1.0 - 2.5 / teeth);
    if (size[2] < root_radius) return;
    error(place_ + ".size[2]",
          fmt::format("the bore radius must be less than the radius of the root circle of the teeth, {:g} m",
                      root_radius),
          fmt::format("{}", size[2]));
  }

  void check_resolution() {
    if (generator_.resolution.empty()) error(place_ + ".resolution", "the resolution needs at least one entry");
    // (The default has three.)
    const std::size_t used = num_resolutions(generator_.kind);
    if (generator_.resolution.size() > used && generator_.resolution != GeneratorDesc{}.resolution) {
      warning(place_ + ".resolution",
              used == 0 ? fmt::format("{} do not use a resolution; `size` gives the largest extents of a cell", name_)
                        : fmt::format("a {} uses {} of these values ({}); the others have no effect", name_, used,
                                      resolution_text(generator_.kind)),
              fmt::format("[{}]", fmt::join(generator_.resolution, ", ")));
    }
  }

  /// Refuses shapes that do not fit into the memory, before the time that making them would take.
  void check_count() {
    // Least memory [bytes] of a tetrahedron of a deformable body, for which `clearance check` needs 820, and of another
    // element. It needs 190 for a tetrahedron whose surface alone is kept.
    constexpr double tetrahedron = 600.0, other = 100.0, gigabyte = 1e9;
    // The list of the corners of all tetrahedra is counted in ints.
    constexpr double most_elements = 5e8;
    const double elements = num_elements(generator_);
    const double all = elements * num_copies(body_);
    const bool has_tets = body_.kind == BodyKind::deformable && !is_plane();
    const double needed = all * (has_tets ? tetrahedron : other), memory = machine_memory();
    const auto refuse = [&](const std::string& limit) {
      error(place_ + ".resolution",
            fmt::format("body '{}' would have {:.2g} elements{}, {}; use fewer cells", body_.name, all,
                        num_copies(body_) > 1.0 ? " in all of its copies" : "", limit),
            fmt::format("[{}]", fmt::join(generator_.resolution, ", ")));
    };
    if (needed > memory) {
      refuse(fmt::format("which need at least {:.2g} GB of memory, and this machine has {:.2g} GB", needed / gigabyte,
                         memory / gigabyte));
    } else if (elements > most_elements) {
      refuse(fmt::format("and a mesh can have at most {:.0e}", most_elements));
    }
  }

  const BodyDesc& body_;
  const GeneratorDesc& generator_;
  std::string place_;
  std::string name_;
};

}  // namespace

void check_generator(const SceneDesc& scene, const BodyDesc& body, const std::string& place, Issues& issues) {
  GeneratorCheck(scene, body, place, issues).run(body.kind);
}

}  // namespace clearance
