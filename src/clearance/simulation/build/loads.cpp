#include "clearance/simulation/build/loads.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/bodies/affine/torque_potential.h"
#include "clearance/bodies/fem/load_potential.h"
#include "clearance/bodies/fem/pressure_potential.h"
#include "clearance/geometry/surface.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/kept_shape.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

/// A load with its nodes found. The force on node k is weights[k] times the value there.
struct PreparedLoad {
  LoadDesc desc;
  std::string place;            ///< in the scene file
  std::vector<int> blocks;      ///< ascending
  std::vector<double> weights;  ///< [kg] for an acceleration, [m^2] (plane: [m]) for a traction, [1] for a force
  std::vector<Vec<3>> points;   ///< [m] at the scene's start
};

/// Spreads a force on nodes of a sheet or a rod over the edges between them, or evenly over nodes without edges. Solids
/// list no edges.
std::vector<double> line_weights(const LoadDesc& load, const BodyInstance& body, const TransformDesc& transform) {
  std::vector<double> weights(body.mesh.vertices.size(), 0.0);
  const std::vector<int> nodes = select_nodes(body, transform, load.region, 3);
  const auto is_selected = [&](int v) { return std::binary_search(nodes.begin(), nodes.end(), v); };
  double total = 0.0;
  Edges edges = unique_edges(body.mesh.triangles);
  edges.insert(edges.end(), body.mesh.edges.begin(), body.mesh.edges.end());
  for (const auto& [a, b] : edges) {
    if (!is_selected(a) || !is_selected(b)) continue;
    const double length = (body.mesh.vertices[b] - body.mesh.vertices[a]).norm();
    weights[a] += 0.5 * length;
    weights[b] += 0.5 * length;
    total += length;
  }
  for (const int v : nodes) weights[v] = total > 0.0 ? weights[v] / total : 1.0 / static_cast<double>(nodes.size());
  return weights;
}

/// Computes the factor of a load's value for each vertex of the mesh.
std::vector<double> vertex_weights(const LoadDesc& load, const BodyInstance& body, const TransformDesc& transform,
                                   SpaceOfFaces space, const VecX& weighing, const BodyBlocks& blocks) {
  if (load.kind != LoadKind::acceleration) {
    std::vector<double> weights = share_face_areas(body, transform, load.region, space);
    give_to_nodes(body, weights);
    double total = 0.0;
    for (double weight : weights) total += weight;
    // Boxes and groups without a face are mistakes in solids; nodes that are listed are meant.
    if (load.kind == LoadKind::force && total == 0.0 && (is_thin(body.kind) || !load.region.nodes.empty())) {
      return line_weights(load, body, transform);
    }
    if (load.kind == LoadKind::force && total > 0.0) {
      for (double& weight : weights) weight /= total;
    }
    return weights;
  }
  std::vector<double> weights(body.mesh.vertices.size(), 0.0);
  for (int v : select_nodes(body, transform, load.region, space.dim)) {
    if (blocks.of_node(v) >= 0) weights[v] = weighing[blocks.of_node(v)];
  }
  return weights;
}

PreparedLoad prepare(const LoadDesc& load, std::string place, const Unknowns& unknowns, const BodyTerms& terms,
                     bool is_axisymmetric, const BodyInstance& body, const TransformDesc& transform,
                     const BodyBlocks& blocks) {
  const int dim = unknowns.layout.dim;
  PreparedLoad prepared{load, std::move(place), {}, {}, {}};
  if (is_stiff(body.kind)) {
    // The load acts on the centre of mass.
    Vec<3> center = Vec<3>::Zero();
    center.head(dim) = unknowns.x_rest.segment(dim * blocks.first, dim);
    prepared.blocks = {blocks.first};
    prepared.weights = {load.kind == LoadKind::acceleration ? terms.mass[blocks.first] : 1.0};
    prepared.points = {center - body.shift};
    return prepared;
  }
  const std::vector<double> weights =
      vertex_weights(load, body, transform, {dim, is_axisymmetric}, terms.weighing, blocks);
  for (std::size_t v = 0; v < weights.size(); ++v) {
    if (weights[v] == 0.0) continue;
    prepared.blocks.push_back(blocks.block_of_node[v]);
    prepared.weights.push_back(weights[v]);
    prepared.points.push_back(body.mesh.vertices[v] - body.shift);
  }
  return prepared;
}

Result<Done> add_forces(const PreparedLoad& load, const Controls& controls, int dim, double time_t1, VecX& force) {
  std::vector<Vec<3>> values(load.blocks.size(), load.desc.value);
  if (load.desc.expression) {
    auto evaluated = evaluate(*load.desc.expression, load.place + ".expression", time_t1, load.points, controls);
    if (!evaluated) return evaluated.issues();
    values = std::move(evaluated).value();
  }
  for (std::size_t k = 0; k < load.blocks.size(); ++k) {
    force.segment(dim * load.blocks[k], dim) += load.weights[k] * values[k].head(dim);
  }
  return Done{};
}

/// Finds the nodes and faces of the loads of a scene.
class LoadMaker {
 public:
  using PotentialPointer = std::shared_ptr<const Potential>;

  LoadMaker(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
            const BodyTerms& terms, const std::shared_ptr<const Controls>& controls, Issues& idle)
      : desc_(desc), bodies_(bodies), unknowns_(unknowns), terms_(terms), controls_(controls), idle_(idle) {}

  /// Each function returns null if the scene has no such load.
  PotentialPointer make_dead_loads();
  template <int dim>
  PotentialPointer make_pressures();
  template <int dim>
  PotentialPointer make_torques();

 private:
  /// Calls prepare(load, place, body, transform, blocks) for the loads of all bodies and their copies whose kind is
  /// wanted; it returns true if it finds something. Warns of a load that finds nothing in any copy.
  template <class Wants, class Prepare>
  void prepare_all(const Wants& wants, const Prepare& prepare) {
    for (int d = 0; d < static_cast<int>(desc_.bodies.size()); ++d) {
      const BodyDesc& body_desc = desc_.bodies[d];
      for (std::size_t i = 0; i < body_desc.loads.size(); ++i) {
        const LoadDesc& load = body_desc.loads[i];
        if (!wants(load.kind)) continue;
        const std::string place = fmt::format("bodies[{}].loads[{}]", d, i);
        bool finds_something = false;
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
          if (bodies_[b].desc != d) continue;
          finds_something =
              prepare(load, place, bodies_[b], body_desc.transform, unknowns_.blocks[b]) || finds_something;
        }
        if (!finds_something) warn_of_idle_load(body_desc, load, place);
      }
    }
  }

  void warn_of_idle_load(const BodyDesc& body, const LoadDesc& load, const std::string& place) {
    const char* what = load.kind == LoadKind::acceleration ? "node" : "boundary face";
    idle_.push_back(
        {"", place + ".region", "",
         fmt::format("the region contains no {} of body '{}', so that the load has no effect", what, body.name),
         Severity::warning});
  }

  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const Unknowns& unknowns_;
  const BodyTerms& terms_;
  std::shared_ptr<const Controls> controls_;
  Issues& idle_;
};

template <int dim>
PressureLoad<dim> prepare_pressure(const LoadDesc& load, const std::string& place,
                                   const std::shared_ptr<const Controls>& controls, bool is_axisymmetric,
                                   const BodyInstance& body, const TransformDesc& transform, const BodyBlocks& blocks) {
  PressureLoad<dim> prepared({}, [=](double h, double time_t1) -> Result<double> {
    if (!is_acting(load, h, time_t1)) return 0.0;
    return evaluate_time_formula(load.pressure, place + ".pressure", time_t1, *controls);
  });
  const std::vector<std::array<int, 3>> faces = select_faces(body, transform, load.region, dim);
  const std::vector<std::vector<int>> curved = nodes_of_curved_faces<dim>(body.mesh, faces);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (curved[f].empty() && is_axisymmetric) {
      prepared.curved_faces.push_back({blocks.of_node(faces[f][0]), blocks.of_node(faces[f][1])});
    } else if (curved[f].empty()) {
      std::array<int, dim>& corners = prepared.faces.emplace_back();
      for (std::size_t i = 0; i < dim; ++i) corners[i] = blocks.of_node(faces[f][i]);
    } else {
      std::vector<int>& nodes = prepared.curved_faces.emplace_back();
      for (const int v : curved[f]) nodes.push_back(blocks.of_node(v));
    }
  }
  return prepared;
}

/// Evaluates a torque [N m]. Formulas read the centre of mass at the scene's start.
Result<Vec<3>> torque_at(const LoadDesc& load, const std::string& place, const Vec<3>& center, double time_t1,
                         const Controls& controls) {
  if (!load.expression) return load.value;
  const auto values = evaluate(*load.expression, place + ".expression", time_t1, std::array{center}, controls);
  if (!values) return values.issues();
  return (*values)[0];
}

std::vector<TorqueLoad> torques_on(const StiffUnit& unit, const BodyDesc& body,
                                   const std::shared_ptr<const Controls>& controls) {
  std::vector<TorqueLoad> torques;
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    const LoadDesc& load = body.loads[i];
    if (load.kind != LoadKind::torque) continue;
    const std::string place = fmt::format("{}.loads[{}]", unit.place, i);
    const Vec<3> center = unit.frame.center;
    torques.push_back({unit.first_block, unit.frame.radius, [=](double h, double time_t1) -> Result<Vec<3>> {
                         if (!is_acting(load, h, time_t1)) return Vec<3>(Vec<3>::Zero());
                         return torque_at(load, place, center, time_t1, *controls);
                       }});
  }
  return torques;
}

LoadMaker::PotentialPointer LoadMaker::make_dead_loads() {
  std::vector<PreparedLoad> loads;
  const auto is_dead = [](LoadKind kind) { return kind != LoadKind::torque && kind != LoadKind::pressure; };
  prepare_all(is_dead, [&](const LoadDesc& load, const std::string& place, const auto&... where) {
    loads.push_back(prepare(load, place, unknowns_, terms_, desc_.axisymmetric, where...));
    return !loads.back().blocks.empty();
  });
  if (loads.empty() && !desc_.applied_forces) return nullptr;
  return std::make_shared<LoadPotential>(unknowns_.layout.num_unknowns(),
                                         [dim = unknowns_.layout.dim, loads = std::move(loads), controls = controls_](
                                             double h, double time_t1, VecX& force) -> Result<Done> {
                                           for (const PreparedLoad& load : loads) {
                                             if (!is_acting(load.desc, h, time_t1)) continue;
                                             if (Result<Done> added = add_forces(load, *controls, dim, time_t1, force);
                                                 !added)
                                               return added;
                                           }
                                           if (controls->applied.size() > 0) force += controls->applied;
                                           return Done{};
                                         });
}

template <int dim>
LoadMaker::PotentialPointer LoadMaker::make_pressures() {
  std::vector<PressureLoad<dim>> pressures;
  const auto is_pressure = [](LoadKind kind) { return kind == LoadKind::pressure; };
  prepare_all(is_pressure, [&](const LoadDesc& load, const std::string& place, const auto&... where) {
    pressures.push_back(prepare_pressure<dim>(load, place, controls_, desc_.axisymmetric, where...));
    return !(pressures.back().faces.empty() && pressures.back().curved_faces.empty());
  });
  if (pressures.empty()) return nullptr;
  return std::make_shared<PressurePotential<dim>>(pressures, desc_.axisymmetric);
}

template <int dim>
LoadMaker::PotentialPointer LoadMaker::make_torques() {
  std::vector<TorqueLoad> torques;
  for (const StiffUnit& unit : unknowns_.stiff_units) {
    if (unit.is_part()) continue;
    const int body = bodies_[unit.body].desc;
    const std::vector<TorqueLoad> on_unit = torques_on(unit, desc_.bodies[body], controls_);
    torques.insert(torques.end(), on_unit.begin(), on_unit.end());
  }
  if (torques.empty()) return nullptr;
  return std::make_shared<TorquePotential<dim>>(std::move(torques));
}

}  // namespace

bool is_acting(const LoadDesc& load, double h, double time_t1) {
  return TimeWindow{load.start, load.end}.contains(time_t1 - h, h);
}

std::vector<std::shared_ptr<const Potential>> make_loads(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                                         const Unknowns& unknowns, const BodyTerms& terms,
                                                         const std::shared_ptr<const Controls>& controls,
                                                         Issues& idle) {
  LoadMaker maker(desc, bodies, unknowns, terms, controls, idle);
  std::vector<std::shared_ptr<const Potential>> loads;
  const auto add = [&](std::shared_ptr<const Potential> potential) {
    if (potential) loads.push_back(std::move(potential));
  };
  add(maker.make_dead_loads());
  with_dimension(unknowns.layout.dim, [&](auto dim) {
    add(maker.make_pressures<dim>());
    add(maker.make_torques<dim>());
  });
  return loads;
}

}  // namespace clearance
