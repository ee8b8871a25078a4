#include "clearance/simulation/build/motions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "clearance/math/rotation.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

/// Adds the blocks of a stiff body, all at the centre of its bounding box.
void add_blocks_of_stiff(const BodyInstance& body, const BodyBlocks& blocks, int dim, PreparedMotion& prepared) {
  const BoundingBox bounds = bounding_box(body.mesh.vertices);
  for (int i = 0; i <= dim; ++i) {
    prepared.blocks.push_back(blocks.first + i);
    prepared.points.push_back(0.5 * (bounds.min + bounds.max));
  }
}

/// Prepares the motion of one body or of one copy of it.
PreparedMotion prepare(const MotionDesc& motion, int body_number, const TransformDesc& transform,
                       const BodyInstance& body, const Unknowns& unknowns) {
  const BodyBlocks& blocks = unknowns.blocks[body_number];
  const int dim = unknowns.layout.dim;
  PreparedMotion prepared;
  prepared.desc = motion;
  prepared.body = body_number;
  prepared.is_obstacle = body.is_obstacle;
  prepared.is_stiff = is_stiff(body.kind);
  if (prepared.is_stiff) {
    add_blocks_of_stiff(body, blocks, dim, prepared);
    prepared.center = motion.center ? *motion.center : prepared.points[0];
    return prepared;
  }
  BoundingBox box;
  for (int v : select_nodes(body, transform, motion.region, dim)) {
    if (blocks.of_node(v) < 0) continue;
    prepared.blocks.push_back(blocks.of_node(v));
    prepared.nodes.push_back(v);
    prepared.points.push_back(body.mesh.vertices[v]);
    box.extend(prepared.points.back());
  }
  prepared.center = motion.center ? *motion.center : Vec<3>(0.5 * (box.min + box.max));
  return prepared;
}

/// Returns the files of a sequence that the run needs.
Result<std::vector<std::filesystem::path>> sequence_files(const SceneDesc& desc, const BodyDesc& body,
                                                          const MotionDesc& motion) {
  namespace fs = std::filesystem;
  const TimeWindow window{motion.start, motion.end};
  const int num_moving_steps = window.count_steps(num_steps(desc.time), desc.time.step);
  if (!motion.mesh_files.empty()) {
    std::vector<fs::path> files;
    for (const std::string& file : motion.mesh_files) files.push_back(fs::path(desc.base_directory) / file);
    // With one file per step, files that the run does not reach are not needed.
    if (motion.mesh_rate == 0.0 && num_moving_steps < static_cast<int>(files.size())) {
      files.resize(std::max(num_moving_steps, 1));
    }
    return files;
  }
  const double num_intervals = std::ceil(motion.mesh_rate * num_moving_steps * desc.time.step);
  const int count = motion.mesh_rate == 0.0 ? num_moving_steps : static_cast<int>(std::min(num_intervals + 1.0, 1e6));
  return find_numbered_files(fs::path(desc.base_directory) / motion.mesh_sequence, fs::path(body.mesh).extension(),
                             motion.mesh_sequence_first, count, motion.mesh_rate > 0.0);
}

Result<MeshSequence> open_sequence(const SceneDesc& desc, const MotionDesc& motion, const BodyInstance& body) {
  const BodyDesc& body_desc = desc.bodies[body.desc];
  auto files = sequence_files(desc, body_desc, motion);
  if (!files) return files.issues();
  return MeshSequence::open(std::move(files).value(), body, desc.dimension,
                            motion.mesh_is_placed ? nullptr : &body_desc.transform,
                            unit_system_of(desc).from_si(1.0, dimension::length));
}

/// Number of a body in the scene, and of a motion in that body.
struct MotionNumber {
  int body;
  std::size_t index;
};

std::string motion_place(const MotionNumber& number) {
  return fmt::format("bodies[{}].motions[{}]", number.body, number.index);
}

void add_sequence_issues(const Issues& found, const MotionDesc& motion, const std::string& place, Issues& issues) {
  for (Issue issue : found) {
    issue.message =
        fmt::format("{}.{}: {}", place, motion.mesh_files.empty() ? "mesh_sequence" : "mesh_files", issue.message);
    issues.push_back(std::move(issue));
  }
}

bool holds_tied_nodes(const PreparedMotion& motion, const std::vector<Tie>& ties) {
  return std::any_of(ties.begin(), ties.end(), [&](const Tie& tie) {
    return std::binary_search(motion.blocks.begin(), motion.blocks.end(), tie.block);
  });
}

/// Completes the prepared motion of one copy by its sequence of meshes, if it has one. Returns what is wrong with it.
Issues complete(const SceneDesc& desc, const BodyInstance& body, const std::vector<Tie>& ties,
                PreparedMotion& prepared) {
  const MotionDesc& motion = prepared.desc;
  // All copies have the same place in the scene, so that one error is enough.
  if (holds_tied_nodes(prepared, ties)) {
    return {
        {"", prepared.place + ".region", "",
         "the region contains nodes of a stiff part, which can only move with that part; choose nodes outside of it",
         Severity::error}};
  }
  Issues issues;
  if (!motion.has_mesh_sequence()) return issues;
  Result<MeshSequence> sequence = open_sequence(desc, motion, body);
  if (sequence) {
    prepared.sequence = std::move(sequence).value();
  } else {
    add_sequence_issues(sequence.issues(), motion, prepared.place, issues);
  }
  return issues;
}

/// True if both ends of an edge of a sheet or a rod are among the nodes of the motion.
bool holds_an_edge(const BodyInstance& body, const PreparedMotion& motion) {
  Edges edges = unique_edges(body.mesh.triangles);
  edges.insert(edges.end(), body.mesh.edges.begin(), body.mesh.edges.end());
  const auto is_held = [&](int v) { return std::binary_search(motion.nodes.begin(), motion.nodes.end(), v); };
  return std::any_of(edges.begin(), edges.end(),
                     [&](const auto& edge) { return is_held(edge[0]) && is_held(edge[1]); });
}

/// Prepares one motion of a body and all its copies. Warns of a motion that finds no node in any copy.
void prepare_motion(const SceneDesc& desc, const MotionNumber& number, const std::vector<BodyInstance>& bodies,
                    const Unknowns& unknowns, std::vector<PreparedMotion>& motions, Issues& issues, Issues& idle) {
  const BodyDesc& body_desc = desc.bodies[number.body];
  const MotionDesc& motion = body_desc.motions[number.index];
  bool finds_nothing = true;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].desc != number.body) continue;
    PreparedMotion prepared = prepare(motion, static_cast<int>(b), body_desc.transform, bodies[b], unknowns);
    if (prepared.blocks.empty()) continue;
    finds_nothing = false;
    prepared.place = motion_place(number);
    if (motion.clamp && !holds_an_edge(bodies[b], prepared)) {
      idle.push_back(
          {"", prepared.place + ".clamp", "true",
           fmt::format("no edge of body '{}' has both ends in the region, so that there is nothing to clamp; "
                       "widen the region to a row of nodes (of a rod: two)",
                       bodies[b].name),
           Severity::warning});
    }
    const Issues found = complete(desc, bodies[b], unknowns.ties, prepared);
    if (!found.empty()) {
      issues.insert(issues.end(), found.begin(), found.end());
      return;
    }
    motions.push_back(std::move(prepared));
  }
  if (!finds_nothing) return;
  idle.push_back(
      {"", motion_place(number) + ".region", "",
       fmt::format("the region contains no node of body '{}', so that the motion has no effect", body_desc.name),
       Severity::warning});
}

}  // namespace

Issues find_missing_sequences(const SceneDesc& desc) {
  Issues issues;
  for (std::size_t b = 0; b < desc.bodies.size(); ++b) {
    const BodyDesc& body = desc.bodies[b];
    for (std::size_t m = 0; m < body.motions.size(); ++m) {
      if (!body.motions[m].has_mesh_sequence()) continue;
      const auto files = sequence_files(desc, body, body.motions[m]);
      if (!files) add_sequence_issues(files.issues(), body.motions[m], motion_place({static_cast<int>(b), m}), issues);
    }
  }
  return issues;
}

std::vector<PreparedMotion> prepare_motions(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                            const Unknowns& unknowns, Issues& issues, Issues& idle) {
  std::vector<PreparedMotion> motions;
  for (int b = 0; b < static_cast<int>(desc.bodies.size()); ++b) {
    const std::size_t num_motions = desc.bodies[b].motions.size();
    for (std::size_t m = 0; m < num_motions; ++m) {
      prepare_motion(desc, {b, m}, bodies, unknowns, motions, issues, idle);
    }
  }
  return motions;
}

std::vector<char> always_prescribed_blocks(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns) {
  std::vector<char> is_prescribed(unknowns.layout.num_blocks, 0);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].is_obstacle) continue;
    for (const int block : unknowns.blocks[b].block_of_node) is_prescribed[block] = 1;
  }
  return is_prescribed;
}

}  // namespace clearance
