#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "clearance/render/image.h"

extern char** environ;

namespace clearance::render {

Result<FilmWriter> FilmWriter::open(const std::filesystem::path& path, int width, int height, int frames_per_second) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Issue{path.string(), "", "", std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);

  // `file:` keeps a name with a colon from being taken for a protocol, and one with a leading dash for an option.
  std::vector<std::string> words = {"ffmpeg",     "-y",
                                    "-loglevel",  "error",
                                    "-f",         "rawvideo",
                                    "-pix_fmt",   "rgb24",
                                    "-s",         fmt::format("{}x{}", width, height),
                                    "-r",         std::to_string(frames_per_second),
                                    "-i",         "-",
                                    "-an",        "-c:v",
                                    "libx264",    "-preset",
                                    "medium",     "-crf",
                                    "18",         "-pix_fmt",
                                    "yuv420p",    "-movflags",
                                    "+faststart", "file:" + path.string()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  pid_t process = -1;
  const int error = posix_spawnp(&process, "ffmpeg", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  if (error != 0) {
    ::close(ends[1]);
    return Issue{path.string(), "", "",
                 error == ENOENT ? "a film needs the program ffmpeg on the PATH (Debian: apt-get install ffmpeg)"
                                 : fmt::format("ffmpeg cannot be started: {}", std::strerror(error))};
  }
  // Ignoring SIGPIPE makes write() fail if ffmpeg has died, instead of ending this program.
  signal(SIGPIPE, SIG_IGN);
  return FilmWriter(path, ends[1], process);
}

FilmWriter::FilmWriter(FilmWriter&& other) noexcept
    : path_(std::move(other.path_)),
      pipe_(std::exchange(other.pipe_, -1)),
      process_(std::exchange(other.process_, -1)) {}

FilmWriter::~FilmWriter() {
  (void)close();
}

bool FilmWriter::add(const Image& image) {
  std::size_t written = 0;
  while (written < image.rgb.size()) {
    const ssize_t count = write(pipe_, image.rgb.data() + written, image.rgb.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += count;
  }
  return true;
}

Result<Done> FilmWriter::close() {
  if (process_ < 0) return Done{};
  ::close(std::exchange(pipe_, -1));
  int status = 0;
  const pid_t process = std::exchange(process_, -1);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Done{};
  return Issue{path_.string(), "", "", "ffmpeg failed; its own message is above"};
}

}  // namespace clearance::render
