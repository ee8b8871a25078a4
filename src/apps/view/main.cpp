// The program `clearance-view`: a live page of a run, for browsers on this machine. `clearance view` and `clearance run
// --view` call it; it is a program of its own so that a run need not load what a server takes.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "apps/view/server.h"
#include "clearance/page/page.h"

namespace clearance::view {
namespace {

namespace fs = std::filesystem;

int refuse(const Issues& issues) {
  for (const Issue& issue : issues) fmt::print(stderr, "{}\n", to_string(issue));
  return 2;
}

struct Options {
  fs::path folder;
  int port = 0;
  bool is_of_run = false;
};

int view(const Options& options) {
  const Result<fs::path> viewer = page::find_viewer();
  if (!viewer) return refuse(viewer.issues());
  const Result<page::Viewer> text = page::read_viewer(*viewer, "");
  if (!text) return refuse(text.issues());

  // One thread waits for signals; all others leave them to it.
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  if (options.is_of_run) ::prctl(PR_SET_PDEATHSIG, SIGTERM);

  const Result<std::unique_ptr<Follower>> follower = Follower::start(options.folder, options.is_of_run);
  if (!follower) return refuse(follower.issues());
  const Result<std::unique_ptr<Server>> server = Server::open(
      **follower, text->before + R"(<script id="live-run" type="application/json">{}</script>)" + text->after,
      options.port);
  if (!server) return refuse(server.issues());
  fmt::print("{} is shown at\n  {}\n{}", options.folder.string(), (*server)->address(),
             options.is_of_run ? "" : "until Ctrl-C\n");
  std::fflush(stdout);

  std::thread thread([&] { (*server)->serve(); });
  int signal = 0;
  ::sigwait(&signals, &signal);
  (*server)->stop();
  thread.join();
  return 0;
}

}  // namespace
}  // namespace clearance::view

int main(int argc, char** argv) {
  CLI::App app{"A page of a run for browsers on this machine (called by `clearance view`)", "clearance-view"};
  clearance::view::Options options;
  app.add_option("folder", options.folder, "result folder")->required();
  app.add_option("--port", options.port, "port; 0: a free one")->check(CLI::Range(0, 65535));
  app.add_flag("--of-run", options.is_of_run, "the run is to come, and ends this program with its own");
  CLI11_PARSE(app, argc, argv);
  return clearance::view::view(options);
}
