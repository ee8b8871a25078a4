#include "clearance/meshing/mesh_program.h"

#include "clearance/io/files/program.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"

namespace clearance {

namespace {

namespace fs = std::filesystem;

Issue failure(std::string message) {
  return {"", "", "", std::move(message), Severity::error};
}

}  // namespace

fs::path find_mesh_program() {
  return find_program("clearance-mesh", "CLEARANCE_MESH");
}

ProgramMesh run_mesh_program(const std::string& command, const Mesh& input, const std::vector<std::string>& options) {
  const fs::path program = find_mesh_program();
  if (program.empty()) {
    return {
        failure("the program clearance-mesh, which meshes bare surfaces, is neither beside this program nor on the "
                "PATH; to get it, install the package clearance-mesh, or install CGAL (`./dev deps`; on Debian the "
                "package libcgal-dev) and build again; or set CLEARANCE_MESH to its path")};
  }
  const TemporaryFolder folder("clearance-mesh");
  if (folder.path().empty())
    return {failure("a temporary folder cannot be created; set TMPDIR to a folder that can be written into")};
  const fs::path source = folder.path() / "input.obj";
  const fs::path made = folder.path() / (command == "wrap" ? "output.obj" : "output.msh");
  if (const auto written = write_mesh(source, input); !written) return {written.issues()};
  std::vector<std::string> words = {program.string(), command, source.string(), made.string()};
  words.insert(words.end(), options.begin(), options.end());
  const ChildOutcome outcome = run_child_program(words, folder);
  if (outcome.end != ChildEnd::good) return {outcome.issues, outcome.end, outcome.seconds};
  return {read_mesh(made, {.dim = input.dim}), outcome.end, outcome.seconds};
}

}  // namespace clearance
