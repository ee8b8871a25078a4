// A result folder that is watched while a run writes into it, or after that.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "clearance/io/result/run_control.h"
#include "clearance/page/packed_run.h"

namespace clearance::view {

/// How much of a run a page has.
struct Seen {
  std::int64_t generation = 0;  ///< another one: the folder has another run, or one that goes on from an earlier step
  std::int64_t version = 0;     ///< of what the follower knows
  std::size_t frames = 0, steps = 0, probes = 0;
};

/// What a page does not have yet.
struct News {
  Seen seen;             ///< with it
  bool is_anew = false;  ///< the page has to be loaded again
  nlohmann::ordered_json json;
};

class Follower {
 public:
  /// Reads the folder, and goes on doing so in a thread of its own. An issue if it is no result, or has no frame yet
  /// and `is_waiting` is not set; then a run is to come, and pages show that.
  static Result<std::unique_ptr<Follower>> start(const std::filesystem::path& folder, bool is_waiting);
  ~Follower();

  /// Null while there is no frame.
  std::optional<nlohmann::ordered_json> head() const;
  /// Null if the frame is not the first of its topology.
  std::shared_ptr<const std::string> topology(std::size_t index);
  /// Null if there is no such frame, or it cannot be read any more.
  std::shared_ptr<const std::string> frame(std::size_t index);

  /// Waits for something new, not longer than half a second.
  std::optional<News> wait_for_news(const Seen& seen) const;
  /// Ends all waiting.
  void close();

  Result<Done> set(RunWish wish);

 private:
  explicit Follower(std::filesystem::path folder);
  Result<Done> look();
  void follow();
  std::string status() const;

  using Packed = std::list<std::pair<std::size_t, std::shared_ptr<const std::string>>>;  ///< the latest first
  /// What is kept of this number, or else what `pack` makes; null if it cannot.
  static std::shared_ptr<const std::string> packed(Packed& kept, std::size_t index,
                                                   const std::function<Result<page::Packer>()>& pack);

  std::filesystem::path folder_;

  std::mutex looking_;  ///< one look at a time; before the others
  std::mutex packing_;  ///< one frame at a time; before mutex_
  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::optional<page::PackedRun> run_;  ///< changes with packing_ and mutex_ both held: either suffices to read it
  std::int64_t generation_ = 0, version_ = 0;
  std::string status_, signature_;
  RunControl control_;
  bool is_closed_ = false;

  Packed topologies_, frames_;  ///< of packing_

  std::thread thread_;
};

}  // namespace clearance::view
