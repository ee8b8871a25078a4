#include "clearance/meshing/mesh_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "clearance/io/files/program.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"

namespace clearance {

namespace {

namespace fs = std::filesystem;

Issue failure(std::string message) {
  return {"", "", "", std::move(message), Severity::error};
}

/// A new folder that is gone in the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "clearance-mesh-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  /// Empty: none could be made.
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Waits for the end of a process in a folder, where its messages go to a file; nothing if it was a good one.
Issues run_process(const std::vector<std::string>& words, const fs::path& folder) {
  const fs::path messages = folder / "messages.txt";
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  // (CGAL leaves what it stumbles over in files.)
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t process = 0;
  const int error = ::posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {failure(fmt::format("cannot start {}: {}", words[0], std::strerror(error)))};

  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return {failure(fmt::format("lost {}: {}", words[0], std::strerror(errno)))};
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU) return {failure("clearance-mesh found no end in the time it had")};
    return {failure(fmt::format("clearance-mesh was ended by signal {}{}", signal,
                                signal == SIGKILL ? ", for lack of memory perhaps" : ""))};
  }
  if (WEXITSTATUS(status) == 0) return {};
  const Result<std::string> text = read_text_file(messages);
  const std::string said = text ? text->substr(0, text->find_last_not_of(" \n") + 1) : "";
  return {failure(fmt::format("clearance-mesh failed: {}", said.empty() ? "without a word" : said))};
}

}  // namespace

fs::path find_mesh_program() {
  return find_program("clearance-mesh", "CLEARANCE_MESH");
}

Result<Mesh> run_mesh_program(const std::string& command, const Mesh& input, const std::vector<std::string>& options) {
  const fs::path program = find_mesh_program();
  if (program.empty()) {
    return failure(
        "bare surfaces are meshed by the program clearance-mesh, which is neither beside this one nor on the PATH: it "
        "is built where CGAL is found (`./dev deps` installs it, on Debian the package libcgal-dev; then build again), "
        "is a package of its own (clearance-mesh), or CLEARANCE_MESH names it");
  }
  const TemporaryFolder folder;
  if (folder.path().empty()) return failure("cannot make a temporary folder (TMPDIR names where)");
  const fs::path source = folder.path() / "input.obj";
  const fs::path made = folder.path() / (command == "wrap" ? "output.obj" : "output.msh");
  if (const auto written = write_mesh(source, input); !written) return written.issues();
  std::vector<std::string> words = {program.string(), command, source.string(), made.string()};
  words.insert(words.end(), options.begin(), options.end());
  if (Issues problems = run_process(words, folder.path()); !problems.empty()) return problems;
  return read_mesh(made, {.dim = input.dim});
}

}  // namespace clearance
