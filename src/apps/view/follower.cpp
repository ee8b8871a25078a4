#include "apps/view/follower.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "clearance/io/result/folder_claim.h"
#include "clearance/io/result/result_files.h"

namespace clearance::view {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Bytes of frames that stay packed, because many pages ask for the same ones.
constexpr std::size_t room_for_frames = 256'000'000;

/// Returns a signature of the files that change when a run goes on, as the file system tells their versions apart.
std::string signature_of(const fs::path& folder) {
  std::string text;
  for (const char* name : {"frames.pvd", "stats.jsonl", "summary.json", "scene.json"}) {
    struct stat info = {};
    if (::stat((folder / name).c_str(), &info) != 0) continue;
    text += fmt::format("{} {} {} {}.{};", name, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  }
  return text;
}

/// Returns the columns from a row on.
Json rows_from(const Json& columns, std::size_t row) {
  Json rows = Json::object();
  for (const auto& [name, column] : columns.items()) {
    if (column.is_object()) {
      rows[name] = rows_from(column, row);
    } else {
      rows[name] = Json::array();
      for (std::size_t i = row; i < column.size(); ++i) rows[name].push_back(column[i]);
    }
  }
  return rows;
}

std::size_t num_rows(const Json& columns, const char* name) {
  return columns.contains(name) ? columns[name].size() : 0;
}

/// True if `now` is the same run with more of it.
bool goes_on(const page::RunFiles& before, const page::RunFiles& now) {
  return now.frames.size() >= before.frames.size() && num_rows(now.stats, "step") >= num_rows(before.stats, "step") &&
         now.scene == before.scene && now.names == before.names &&
         std::equal(before.steps.begin(), before.steps.end(), now.steps.begin());
}

}  // namespace

Follower::Follower(fs::path folder) : folder_(std::move(folder)), control_(folder_) {}

Result<std::unique_ptr<Follower>> Follower::start(const fs::path& folder, bool is_waiting) {
  std::unique_ptr<Follower> follower(new Follower(folder));
  if (const Result<Done> updated = follower->update(); !updated && !is_waiting) return updated.issues();
  follower->thread_ = std::thread([f = follower.get()] { f->follow(); });
  return follower;
}

Follower::~Follower() {
  close();
  if (thread_.joinable()) thread_.join();
}

void Follower::close() {
  const std::scoped_lock lock(mutex_);
  is_closed_ = true;
  news_.notify_all();
}

void Follower::follow() {
  Clock::duration pause = 100ms;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (news_.wait_for(lock, pause, [&] { return is_closed_; })) return;
    }
    const auto start = Clock::now();
    (void)update();  // what cannot be read now may be whole at the next look
    // Watching takes at most a twentieth of a processor.
    pause = std::max<Clock::duration>(100ms, 20 * (Clock::now() - start));
  }
}

/// Returns `running`, `paused` or `stopping` while a run writes; later the end that summary.json tells, or `ended` if a
/// run was killed; `waiting` if there is none yet.
std::string Follower::status() const {
  if (is_being_written(folder_)) {
    const RunRequest request = read_request(folder_);
    return request == RunRequest::pause ? "paused" : request == RunRequest::stop ? "stopping" : "running";
  }
  std::ifstream file(folder_ / "summary.json");
  const Json summary = file ? Json::parse(file, nullptr, false) : Json();
  if (!summary.is_object()) return run_ ? "ended" : "waiting";
  return summary.value("finished", "ended");
}

Result<Done> Follower::update() {
  const std::scoped_lock looking(looking_);
  const std::string signature = signature_of(folder_);
  std::string status = this->status();
  {
    const std::scoped_lock lock(mutex_);
    if (run_ && signature == signature_ && status == status_) return Done{};
  }
  Result<page::RunFiles> files = page::read_run_files(folder_);
  if (!files) return files.issues();

  std::optional<page::PackedRun> other;
  if (!run_ || !goes_on(run_->files(), *files)) {
    Result<page::PackedRun> run = page::PackedRun::open(std::move(*files));
    if (!run) return run.issues();
    other = std::move(*run);
  }
  const std::scoped_lock lock(packing_, mutex_);
  if (other) {
    run_ = std::move(other);
    ++generation_;
    topologies_.clear();
    frames_.clear();
  } else {
    run_->extend(std::move(*files));
  }
  signature_ = signature;
  status_ = std::move(status);
  ++version_;
  news_.notify_all();
  return Done{};
}

std::optional<Json> Follower::head() const {
  const std::scoped_lock lock(mutex_);
  if (!run_) return std::nullopt;
  Json head = run_->head();
  head["status"] = status_;
  head["generation"] = generation_;
  return head;
}

std::shared_ptr<const std::string> Follower::topology(std::size_t index) {
  const std::scoped_lock packing(packing_);
  if (!run_ || index >= run_->files().frames.size() || run_->topology_of(index) != index) return nullptr;
  return packed(topologies_, index, [&] { return run_->topology(index); });
}

std::shared_ptr<const std::string> Follower::frame(std::size_t index) {
  const std::scoped_lock packing(packing_);
  if (!run_ || index >= run_->files().frames.size()) return nullptr;
  return packed(frames_, index, [&] { return run_->frame(index); });
}

std::shared_ptr<const std::string> Follower::packed(Packed& kept, std::size_t index,
                                                    const std::function<Result<page::Packer>()>& pack) {
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const auto& p) { return p.first == index; });
  if (known != kept.end()) {
    kept.splice(kept.begin(), kept, known);
    return known->second;
  }
  const Result<page::Packer> packer = pack();
  if (!packer) return nullptr;
  auto bytes = std::make_shared<const std::string>(packer->bytes());
  kept.emplace_front(index, bytes);
  const std::size_t room = std::max<std::size_t>(4, room_for_frames / (bytes->size() + 1));
  while (kept.size() > room) kept.pop_back();
  return bytes;
}

std::optional<News> Follower::wait_for_news(const Seen& seen) const {
  std::unique_lock lock(mutex_);
  const bool is_new = news_.wait_for(
      lock, 500ms, [&] { return is_closed_ || version_ != seen.version || (run_ && generation_ != seen.generation); });
  if (!is_new || is_closed_ || !run_) return std::nullopt;
  News news;
  const page::RunFiles& files = run_->files();
  news.seen = {generation_, version_, files.frames.size(), num_rows(files.stats, "step"),
               num_rows(files.probes, "step")};
  news.is_anew = generation_ != seen.generation || seen.frames > files.frames.size();
  if (news.is_anew) return news;
  Json frames = Json::array();
  for (std::size_t i = seen.frames; i < files.frames.size(); ++i) {
    frames.push_back({{"time", files.times[i]}, {"step", files.steps[i]}});
    if (run_->adapts()) frames.back()["topology"] = run_->topology_of(i);
  }
  news.json = {{"status", status_},
               {"frames", std::move(frames)},
               {"stats", rows_from(files.stats, seen.steps)},
               {"probes", rows_from(files.probes, seen.probes)},
               {"warnings", files.warnings}};
  return news;
}

Result<Done> Follower::set(RunRequest request) {
  Result<Done> done = Done{};
  {
    const std::scoped_lock lock(mutex_);
    done = control_.set(request);
  }
  (void)update();
  return done;
}

}  // namespace clearance::view
