// Pictures: pixels, PNG files, films through ffmpeg.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::render {

/// 8-bit sRGB, rows from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;

  Image(int w, int h) : width(w), height(h), rgb(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  std::uint8_t* pixel(int x, int y) { return &rgb[3 * (static_cast<std::size_t>(y) * width + x)]; }
  const std::uint8_t* pixel(int x, int y) const { return &rgb[3 * (static_cast<std::size_t>(y) * width + x)]; }
};

/// Returns the bytes of a PNG file (8-bit RGB, zlib compression).
std::string encode_png(const Image& image);
Result<Done> write_png(const std::filesystem::path& path, const Image& image);

/// Pipes raw pictures to the program ffmpeg, which must be on the PATH. Writes H.264 in an MP4 that every player opens.
class FilmWriter {
 public:
  /// Starts ffmpeg. `width` and `height` are even.
  static Result<FilmWriter> open(const std::filesystem::path& path, int width, int height, int frames_per_second);
  FilmWriter(FilmWriter&& other) noexcept;
  FilmWriter& operator=(FilmWriter&&) = delete;
  ~FilmWriter();

  /// Writes a picture. Returns false if ffmpeg has stopped reading; close() tells why.
  bool add(const Image& image);
  Result<Done> close();

 private:
  FilmWriter(std::filesystem::path path, int pipe, pid_t process)
      : path_(std::move(path)), pipe_(pipe), process_(process) {}
  std::filesystem::path path_;
  int pipe_ = -1;
  pid_t process_ = -1;
};

}  // namespace clearance::render
