#include "clearance/io/mesh/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>

#include "clearance/io/files/text_lines.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

constexpr int most_alike = 3;         // problems with the same message that are told one by one
constexpr int most_counted = 10'000;  // problems from which on reading stops
/// Largest size of a file, far above that of any mesh. It keeps a sparse file of terabytes from taking all memory.
constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 36;

/// Returns at most 40 characters that any log or JSON file can hold.
std::string printable(std::string_view value) {
  constexpr std::size_t max_length = 40;
  std::string text(value.substr(0, max_length));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return value.size() > max_length ? text + "..." : text;
}

}  // namespace

MeshInput::MeshInput(const fs::path& path) : file_(path.string()) {
  load(path);
}

void MeshInput::load(const fs::path& path) {
  // A pipe or device could block forever, so only regular files are read.
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return add_issue("", "", "file not found");
  if (!fs::is_regular_file(status)) return add_issue("", "", "expected a regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return add_issue("", "", "cannot read the file: " + error.message());
  if (size > max_file_bytes) return add_issue("", fmt::format("{} bytes", size), "the file is larger than 64 GiB");

  const OpenFile file(std::fopen(file_.c_str(), "rb"));
  if (!file) return add_issue("", "", fmt::format("cannot open the file: {}", std::strerror(errno)));
  bytes_.resize(size);
  bytes_.resize(std::fread(bytes_.data(), 1, bytes_.size(), file.get()));
  if (std::ferror(file.get()) != 0) add_issue("", "", fmt::format("cannot read the file: {}", std::strerror(errno)));
}

bool MeshInput::is_full() const {
  return std::ssize(issues_) >= max_mesh_issues || num_found_ >= most_counted;
}

bool MeshInput::is_counted_only(const std::string& message) const {
  const auto found = alike_.find(message);
  return found != alike_.end() && found->second.count >= most_alike;
}

void MeshInput::add_issue(std::string place, std::string_view value, std::string message) {
  if (is_full()) return;
  ++num_found_;
  Alike& alike = alike_[message];
  if (++alike.count > most_alike) {
    const int others = alike.count - most_alike;
    issues_[alike.last].message = fmt::format("{}; there {} {}{} more like this", message, others == 1 ? "is" : "are",
                                              num_found_ >= most_counted ? "at least " : "", others);
    return;
  }
  alike.last = issues_.size();
  issues_.push_back({file_, std::move(place), printable(value), std::move(message), Severity::error});
}

void MeshInput::replace(std::string bytes, std::vector<Piece> pieces) {
  bytes_ = std::move(bytes);
  pieces_ = std::move(pieces);
  last_place_ = 0;
  last_line_ = 1;
}

std::string MeshInput::place_of_line(std::size_t offset) {
  const auto is_after = [](std::size_t at, const Piece& piece) { return at < piece.begin; };
  const Piece& piece = *std::prev(std::upper_bound(pieces_.begin(), pieces_.end(), offset, is_after));
  if (offset < last_place_ || last_place_ < piece.begin) {
    last_place_ = piece.begin;
    last_line_ = piece.line;
  }
  const std::string_view between = std::string_view(bytes_).substr(last_place_, offset - last_place_);
  last_line_ += line_number(between, between.size()) - 1;
  last_place_ = offset;
  return piece.file.empty() ? fmt::format("line {}", last_line_) : fmt::format("line {} of {}", last_line_, piece.file);
}

void MeshInput::add_issue_at_line(std::size_t offset, std::string_view value, std::string message) {
  // Lines are counted only now: good files need no line numbers.
  std::string place = is_counted_only(message) ? "" : place_of_line(offset);
  add_issue(std::move(place), value, std::move(message));
}

void MeshInput::add_issue_at_byte(std::size_t offset, std::string_view value, std::string message) {
  add_issue(fmt::format("byte {}", offset), value, std::move(message));
}

}  // namespace clearance
