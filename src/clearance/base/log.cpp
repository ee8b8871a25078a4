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

Result<Done> open_log(const std::filesystem::path& path) {
  try {
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    sink() = std::make_shared<spdlog::logger>("clearance", file);
  } catch (const spdlog::spdlog_ex& error) {
    return Issue{path.string(), "", "", std::string("cannot be opened: ") + error.what(), Severity::error};
  }
  sink()->set_level(spdlog::level::info);
  sink()->flush_on(spdlog::level::info);
  sink()->set_error_handler([](const std::string&) {});
  return Done{};
}

void log_text(LogLevel level, const std::string& text) {
  if (sink()) sink()->log(spdlog_level(level), text);
}

}  // namespace clearance
