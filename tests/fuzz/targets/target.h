// Code that the fuzz targets share. A target reads one mutated input with everything that would read it from a user: it
// must end in a result or in issues that say something. Everything else aborts, and libFuzzer keeps the input.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "clearance/base/result.h"

namespace clearance::fuzz {

/// Ends the process with a message if a promise is broken.
inline void require(bool is_kept, const std::string& promise) {
  if (is_kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}

/// Expects that a refusal says why, in a message of a length that somebody reads.
inline void require_reasons(const Issues& issues) {
  require(has_errors(issues), "what is refused has an error");
  for (const Issue& issue : issues) {
    require(!issue.message.empty(), "an issue has a message");
    require(to_string(issue).size() < 4000, "an issue is short");
  }
}

/// A folder of this process for files that readers take by their names; it disappears at the end.
class InputFolder {
 public:
  InputFolder() : path_(std::filesystem::temp_directory_path() / ("clearance_fuzz_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~InputFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  /// Writes a file and returns its path.
  std::filesystem::path put(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace clearance::fuzz
