// The program `clearance-mesh`: everything that CGAL does, whose meshing is under the GPL. `clearance` calls it as a
// process of its own, so that no part of CGAL is in the simulator.
#include <sys/prctl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>

#include "apps/mesh/tetrahedra.h"
#include "apps/mesh/triangles.h"
#include "apps/mesh/wrap.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"

namespace {

using namespace clearance;

constexpr int exit_bad_input = 2;

struct Files {
  std::filesystem::path input;
  std::filesystem::path output;
};

int report(const Issues& issues) {
  for (const Issue& issue : issues) std::cerr << to_string(issue) << '\n';
  return exit_bad_input;
}

/// Reads the input, makes the mesh and writes it.
template <class Make>
int convert(const Files& files, int dim, const Make& make) {
  const Result<Mesh> input = read_mesh(files.input, {.dim = dim});
  if (!input) return report(input.issues());
  const Mesh output = make(*input);
  if (output.vertices.empty()) {
    return report({{"", "", "", "CGAL found nothing that this surface encloses", Severity::error}});
  }
  const Result<Done> done = write_mesh(files.output, output);
  return done ? 0 : report(done.issues());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Meshes for Clearance, made by CGAL. `clearance mesh` calls this program and checks what it makes.",
               "clearance-mesh"};
  // Nobody waits for a mesh once the caller is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  app.require_subcommand(1);
  app.fallthrough();
  rlim_t max_seconds = RLIM_INFINITY;
  app.add_option("--max-seconds", max_seconds, "processor time after which the program ends by the signal XCPU");
  app.parse_complete_callback([&] {
    const rlimit limit{max_seconds, RLIM_INFINITY};
    ::setrlimit(RLIMIT_CPU, &limit);
  });
  Files files;
  const auto add_command = [&](const char* name, const char* what) {
    CLI::App* command = app.add_subcommand(name, what);
    command->add_option("input", files.input)->required();
    command->add_option("output", files.output)->required();
    return command;
  };
  int status = 0;

  mesh::FillOptions fill;
  CLI::App* tetrahedra = add_command("tetrahedra", "fill a closed surface");
  tetrahedra->add_option("--edge-length", fill.edge_length)->required()->check(CLI::PositiveNumber);
  tetrahedra->add_option("--facet-distance", fill.facet_distance, "of the edge length")
      ->required()
      ->check(CLI::PositiveNumber);
  tetrahedra->add_option("--thin-share", fill.thin_share, "longest edges in thin walls, of their thickness");
  tetrahedra->add_option("--feature-angle", fill.feature_angle, "0: keep no edges");
  tetrahedra->add_option("--max-vertices", fill.max_vertices, "0: no limit");
  tetrahedra->add_option("--max-work", fill.max_work, "lengths that refinement may ask for; 0: no limit");
  tetrahedra->callback([&] {
    status = convert(files, 3, [&](const Mesh& surface) { return mesh::fill_with_tetrahedra(surface, fill); });
  });

  mesh::WrapOptions wrap;
  CLI::App* wrapped = add_command("wrap", "put a closed surface around triangles");
  wrapped->add_option("--alpha", wrap.alpha)->required()->check(CLI::PositiveNumber);
  wrapped->add_option("--offset", wrap.offset)->required()->check(CLI::PositiveNumber);
  wrapped->callback(
      [&] { status = convert(files, 3, [&](const Mesh& surface) { return mesh::wrap_surface(surface, wrap); }); });

  double edge_length = 0.0;
  CLI::App* triangles = add_command("triangles", "fill closed outlines in the plane z = 0");
  triangles->add_option("--edge-length", edge_length)->required()->check(CLI::PositiveNumber);
  triangles->callback([&] {
    status = convert(files, 2, [&](const Mesh& outline) { return mesh::fill_with_triangles(outline, edge_length); });
  });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : (app.exit(error), exit_bad_input);
  } catch (const std::exception& error) {
    return report({{"", "", "", error.what(), Severity::error}});
  }
  return status;
}
