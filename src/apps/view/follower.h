// A result folder that is watched while a run writes into it, or afterwards.
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

/// The part of a run that a page already has.
struct Seen {
  std::int64_t generation = 0;  ///< differs if the folder has another run, or one that goes on from an earlier step
  std::int64_t version = 0;     ///< version of the follower's knowledge
  std::size_t frames = 0, steps = 0, probes = 0;
};

/// The part of a run that a page does not have yet.
struct News {
  Seen seen;             ///< the state of the page once it has this
  bool is_anew = false;  ///< true if the page has to be loaded again
  nlohmann::ordered_json json;
};

class Follower {
 public:
  /// Reads the folder, and keeps reading it in a thread of its own. Returns an issue if the folder is no result, or if
  /// it has no frame yet and `is_waiting` is not set; with `is_waiting`, pages show that a run is to come.
  static Result<std::unique_ptr<Follower>> start(const std::filesystem::path& folder, bool is_waiting);
  ~Follower();

  /// Null if there is no frame yet.
  std::optional<nlohmann::ordered_json> head() const;
  /// Null if the frame is not the first one with its topology.
  std::shared_ptr<const std::string> topology(std::size_t index);
  /// Null if there is no such frame, or if it can no longer be read.
  std::shared_ptr<const std::string> frame(std::size_t index);

  /// Waits for news, at most half a second.
  std::optional<News> wait_for_news(const Seen& seen) const;
  /// Ends all waiting.
  void close();

  Result<Done> set(RunRequest request);

 private:
  explicit Follower(std::filesystem::path folder);
  Result<Done> update();
  void follow();
  std::string status() const;

  using Packed = std::list<std::pair<std::size_t, std::shared_ptr<const std::string>>>;  ///< the latest first
  /// Returns the packed data that is kept for this number, or else the result of `pack`; null if that fails.
  static std::shared_ptr<const std::string> packed(Packed& kept, std::size_t index,
                                                   const std::function<Result<page::Packer>()>& pack);

  std::filesystem::path folder_;

  std::mutex looking_;  ///< held while the folder is read; locked before the others
  std::mutex packing_;  ///< held while a frame is packed; locked before mutex_
  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::optional<page::PackedRun> run_;  ///< changes only with both packing_ and mutex_ held: either suffices to read it
  std::int64_t generation_ = 0, version_ = 0;
  std::string status_, signature_;
  RunControl control_;
  bool is_closed_ = false;

  Packed topologies_, frames_;  ///< guarded by packing_

  std::thread thread_;
};

}  // namespace clearance::view
