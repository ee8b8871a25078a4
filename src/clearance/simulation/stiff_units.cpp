#include "clearance/simulation/stiff_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/simulation/region.h"

namespace clearance {

namespace {

template <class Visit>
void for_each_element(const Mesh& mesh, const Visit& visit) {
  if (mesh.dim == 2) {
    for (const auto& triangle : mesh.triangles) visit(triangle);
  } else {
    for (const auto& tet : mesh.tets) visit(tet);
  }
}

/// The elements of a deformable mesh with all nodes among `nodes`.
Mesh elements_within(const Mesh& mesh, const std::vector<int>& nodes) {
  Mesh part;
  part.dim = mesh.dim;
  part.vertices = mesh.vertices;
  for_each_element(mesh, [&](const auto& element) {
    const bool is_inside = std::all_of(element.begin(), element.end(),
                                       [&](int v) { return std::binary_search(nodes.begin(), nodes.end(), v); });
    if (!is_inside) return;
    if constexpr (std::tuple_size_v<std::decay_t<decltype(element)>> == 3) {
      part.triangles.push_back(element);
    } else {
      part.tets.push_back(element);
    }
  });
  return part;
}

class Finder {
 public:
  Finder(const SceneDesc& scene, const std::vector<BodyInstance>& bodies, Issues& issues)
      : scene_(scene), bodies_(bodies), issues_(issues) {}

  std::vector<StiffUnit> run() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const BodyInstance& body = bodies_[b];
      const BodyDesc& desc = scene_.bodies[static_cast<std::size_t>(body.desc)];
      unit_ = {};
      unit_.body = static_cast<int>(b);
      unit_.place = fmt::format("bodies[{}]", body.desc);
      if (is_stiff(body.kind)) {
        add_body(body, desc);
      } else if (!body.is_obstacle) {
        add_parts(body, desc);
      }
    }
    return std::move(units_);
  }

 private:
  void add_body(const BodyInstance& body, const BodyDesc& desc) {
    unit_.stiffness = desc.material.stiffness;
    unit_.is_rigid = body.kind == BodyKind::rigid;
    add(body.mesh, {desc.material.density, desc.mass, desc.thickness, 10.0 * scene_.contact.dhat}, body.name);
  }

  void add_parts(const BodyInstance& body, const BodyDesc& desc) {
    std::vector<char> is_taken(body.mesh.vertices.size(), 0);
    for (std::size_t p = 0; p < desc.stiff_parts.size(); ++p) {
      const StiffPartDesc& part = desc.stiff_parts[p];
      StiffUnit& unit = unit_;
      unit.place = fmt::format("bodies[{}].stiff_parts[{}]", body.desc, p);
      unit.stiffness = part.stiffness;
      unit.tied_nodes = select_nodes(body, desc.transform, part.region, scene_.dimension);
      for (int v : unit.tied_nodes) {
        if (std::exchange(is_taken[static_cast<std::size_t>(v)], 1) == 0) continue;
        issues_.push_back(
            {"", unit.place + ".region", "", "shares nodes with another stiff part of the body", Severity::error});
        break;
      }
      add(elements_within(body.mesh, unit.tied_nodes), {part.density, {}, {}, 1.0}, body.name);
    }
  }

  void add(const Mesh& mesh, const StiffBodyOptions& options, const std::string& name) {
    Result<AffineFrame> frame = make_affine_frame(mesh, options);
    if (!frame) {
      for (Issue issue : frame.issues()) {
        issue.place = unit_.place;
        issue.message = fmt::format("body '{}': {}", name, issue.message);
        issues_.push_back(std::move(issue));
      }
      return;
    }
    unit_.frame = std::move(frame).value();
    units_.push_back(unit_);
  }

  const SceneDesc& scene_;
  const std::vector<BodyInstance>& bodies_;
  Issues& issues_;
  StiffUnit unit_;
  std::vector<StiffUnit> units_;
};

}  // namespace

std::vector<StiffUnit> find_stiff_units(const SceneDesc& scene, const std::vector<BodyInstance>& bodies,
                                        Issues& issues) {
  return Finder(scene, bodies, issues).run();
}

std::vector<char> stiff_elements(const Mesh& mesh, const std::vector<StiffUnit>& units, int body) {
  std::vector<int> unit_of_node(mesh.vertices.size(), -1);
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (units[u].body != body) continue;
    for (int v : units[u].tied_nodes) unit_of_node[static_cast<std::size_t>(v)] = static_cast<int>(u);
  }
  std::vector<char> is_stiff_element;
  for_each_element(mesh, [&](const auto& element) {
    const int unit = unit_of_node[static_cast<std::size_t>(element[0])];
    is_stiff_element.push_back(unit >= 0 && std::all_of(element.begin(), element.end(), [&](int v) {
                                 return unit_of_node[static_cast<std::size_t>(v)] == unit;
                               }));
  });
  return is_stiff_element;
}

}  // namespace clearance
