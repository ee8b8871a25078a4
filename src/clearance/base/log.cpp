#include "clearance/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

namespace clearance {

namespace {

std::shared_ptr<spdlog::logger>& sink() {
  static std::shared_ptr<spdlog::logger> logger;
  return logger;
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void open_log(const std::filesystem::path& path) {
  auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
  sink() = std::make_shared<spdlog::logger>("clearance", file);
  sink()->set_level(spdlog::level::debug);
  sink()->flush_on(spdlog::level::info);
}

void close_log() {
  sink().reset();
}

void log_text(LogLevel level, const std::string& text) {
  if (sink()) sink()->log(spdlog_level(level), text);
}

}  // namespace clearance
