#include "apps/cli/mesh.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/console.h"
#include "apps/cli/run.h"
#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/meshing/volume_mesh.h"
#include "clearance/simulation/load/mesh_units.h"

namespace clearance::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// [1] of the diagonal; a sphere of 20 linear elements deviates by 0.1
constexpr double coarse_tolerance = 0.005;

/// Checks the output first, so that problems are told before anything takes time.
Issues check_output(const MeshOptions& options) {
  std::error_code error;
  const std::string file = options.output.string();
  const fs::path extension = options.output.extension();
  if (extension != ".msh" && extension != ".vtu") {
    return {{file, "", extension.string(), "expected the extension .msh or .vtu", Severity::error}};
  }
  if (!options.is_overwriting && fs::exists(options.output, error)) {
    return {
        {file, "", "", "this file exists; replace it with --overwrite, or choose another with -o", Severity::error}};
  }
  return {};
}

/// Warns of sizes that suggest another unit than metres, which nobody has asked for.
Issues find_warnings(const MeshOptions& options, const Mesh& surface) {
  const std::string file = options.surface.string();
  const double size = bounding_box_of_elements(surface).size().maxCoeff();
  const std::string doubt = options.units ? "" : doubt_of_unit(file, size, "use `--units mm`");
  if (doubt.empty()) return {};
  return {{file, "", "", fmt::format("the surface, with a size of {:.4g} m, {}", size, doubt), Severity::warning}};
}

Json json_of(const VolumeMesh& made) {
  const VolumeMeshReport& r = made.report;
  Json json = {{"vertices", made.mesh.vertices.size()},
               {"elements", made.mesh.dim == 2 ? made.mesh.triangles.size() : made.mesh.tets.size()},
               {"edge_length", r.edge_length},
               {"smallest_angle", r.smallest_angle},
               {"deviation", r.deviation()},
               {"deviation_of_mesh", r.farthest_of_mesh},
               {"deviation_of_surface", r.farthest_of_given},
               {"volume", r.volume},
               {"volume_of_surface", r.given_volume},
               {"repairs", r.repairs},
               {"defects", r.defects},
               {"wrapped", r.was_wrapped},
               {"seconds", r.seconds}};
  if (r.curving) {
    json["order"] = made.mesh.order_of_cell(0);
    json["straight_volume"] = r.curving->straight_volume;
    json["straight_deviation"] = r.curving->straight_deviation;
    json["boundary_nodes"] = r.curving->num_nodes;
    json["held_nodes"] = r.curving->num_held;
    json["least_volume_ratio"] = r.curving->flattest;
  }
  return json;
}

/// Tells how the curved elements differ from the same ones with straight edges.
void print_curving(const VolumeMeshReport& r) {
  const CurvingReport& curving = *r.curving;
  const auto error = [&](double volume) { return 100.0 * (volume / r.given_volume - 1.0); };
  fmt::print(
      "the same elements with straight edges: deviation {:.3g} m, volume {:+.2g} % (curved: {:.3g} m, {:+.2g} %)\n",
      curving.straight_deviation, error(curving.straight_volume), r.deviation(), error(r.volume));
  fmt::print("valid at every point; least ratio of volumes within an element: {:.2f}\n", curving.flattest);
  if (curving.num_held == 0) return;
  fmt::print("{} of {} nodes between the corners of the boundary are off the surface, or elements would be inverted\n",
             curving.num_held, curving.num_nodes);
}

void print_report(const MeshOptions& options, const VolumeMesh& made) {
  const VolumeMeshReport& r = made.report;
  const bool is_plane = options.dim == 2;
  if (!r.repairs.empty()) fmt::print("repaired: {}\n", r.repairs);
  if (!r.defects.empty()) {
    fmt::print("{}, because the surface does not enclose a volume: {}\n", r.was_wrapped ? "wrapped" : "closed",
               r.defects);
  }
  fmt::print("{}: {} vertices, {} {} with edges of about {:.3g} m, {:.1f} s\n", options.output.string(),
             made.mesh.vertices.size(), is_plane ? made.mesh.triangles.size() : made.mesh.tets.size(),
             is_plane    ? "triangles"
             : r.curving ? fmt::format("tetrahedra of order {}", made.mesh.order_of_cell(0))
                         : "tetrahedra",
             r.edge_length, r.seconds);
  fmt::print("smallest {}: {:.1f} degrees\n", is_plane ? "angle" : "dihedral angle", r.smallest_angle);
  fmt::print(
      "largest deviation: {:.3g} m ({:.3g} m of the mesh from the surface, {:.3g} m of the surface from the mesh)\n",
      r.deviation(), r.farthest_of_mesh, r.farthest_of_given);
  fmt::print("{}: {:.6g} {}, of the surface {:.6g} {}\n", is_plane ? "area" : "volume", r.volume,
             is_plane ? "m^2" : "m^3", r.given_volume, is_plane ? "m^2" : "m^3");
  if (r.curving) print_curving(r);
}

}  // namespace

int run_mesh(const MeshOptions& options) {
  const auto refuse = [&](Issues issues) {
    set_file(issues, options.surface.string());
    report_issues(issues, options.json);
    return exit_bad_input;
  };
  if (Issues problems = check_output(options); !problems.empty()) return refuse(problems);
  Result<Mesh> surface = read_mesh(options.surface, {.dim = options.dim});
  if (!surface) return refuse(surface.issues());
  convert_to_metres(options.units.value_or(LengthUnit::metre), options.up, *surface);
  const Issues warnings = find_warnings(options, *surface);
  if (!options.json) report_issues(warnings, false);
  const std::optional<double> tolerance = options.is_coarse ? coarse_tolerance : options.tolerance;
  const Result<VolumeMesh> made = make_volume_mesh(*surface, {options.edge_length, options.order, tolerance});
  if (!made) return refuse(made.issues());
  if (const auto written = write_mesh(options.output, made->mesh); !written) return refuse(written.issues());
  if (options.json) {
    Json json = json_of(*made);
    json["warnings"] = cli::json_of(warnings);
    fmt::print("{}\n", json.dump(2));
  } else {
    print_report(options, *made);
  }
  return exit_done;
}

}  // namespace clearance::cli
