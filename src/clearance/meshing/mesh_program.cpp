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
    return {failure(
        "bare surfaces are meshed by the program clearance-mesh, which is neither beside this one nor on the PATH: it "
        "is built where CGAL is found (`./dev deps` installs it, on Debian the package libcgal-dev; then build again), "
        "is a package of its own (clearance-mesh), or CLEARANCE_MESH names it")};
  }
  const TemporaryFolder folder("clearance-mesh");
  if (folder.path().empty()) return {failure("cannot make a temporary folder (TMPDIR names where)")};
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
