#include "clearance/io/result/certificate_file.h"

#include <zlib.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "clearance/base/hash.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t magic = 0x50524c43;  // "CLRP" in little endian
constexpr std::uint32_t version = 1;
constexpr std::uint32_t kind_start = 0, kind_step = 1;
constexpr std::size_t head_size = 16;  // magic, kind, size of the content
constexpr std::size_t hash_size = 32;

template <class Number>
void put(Number number, std::string& bytes) {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), &number, sizeof(Number));
  bytes.append(raw.data(), raw.size());
}

/// Appends all first bytes of words, then all second ones, ...: the upper bytes are mostly zeros.
void put_planes(const std::vector<std::uint64_t>& words, std::string& bytes) {
  for (int plane = 7; plane >= 0; --plane) {
    for (const std::uint64_t word : words) bytes += static_cast<char>(word >> (8 * plane) & 0xff);
  }
}

/// Appends bytes compressed, with their size before and after. The lowest level takes a third of the time of the usual
/// one, and the files are a few percent larger.
void put_compressed(const std::string& raw, std::string& bytes) {
  uLongf size = compressBound(raw.size());
  std::string compressed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()), raw.size(),
            1);
  put<std::uint64_t>(raw.size(), bytes);
  put<std::uint64_t>(size, bytes);
  bytes.append(compressed, 0, size);
}

std::string encode_layout(const CertificateLayout& layout) {
  std::string raw;
  const auto put_count = [&](const auto& list) { put<std::uint64_t>(list.size(), raw); };
  put<std::uint64_t>(static_cast<std::uint64_t>(layout.x.size()), raw);
  for (const double value : layout.x) put(value, raw);
  put_count(layout.stiff);
  for (const CertificateLayout::Stiff& stiff : layout.stiff) {
    put<std::int32_t>(stiff.first_block, raw);
    put<std::int32_t>(stiff.is_rigid ? 1 : 0, raw);
  }
  put_count(layout.ties);
  for (const CertificateLayout::Tie& tie : layout.ties) {
    put<std::int32_t>(tie.block, raw);
    put<std::int32_t>(tie.stiff, raw);
  }
  put_count(layout.offsets);
  for (std::size_t v = 0; v < layout.offsets.size(); ++v) {
    for (int c = 0; c < 3; ++c) put(layout.offsets[v][c], raw);
    put<std::int32_t>(layout.first_term[v + 1] - layout.first_term[v], raw);
    for (int k = layout.first_term[v]; k < layout.first_term[v + 1]; ++k) {
      put<std::int32_t>(layout.terms[k].block, raw);
      put(layout.terms[k].weight, raw);
    }
  }
  std::string content;
  put(version, content);
  put<std::uint32_t>(layout.dim, content);
  put_compressed(raw, content);
  return content;
}

Issue problem(const fs::path& path, std::string message) {
  return {path.string(), "", "", std::move(message)};
}

}  // namespace

std::uint64_t hash_of_unknowns(const VecX& x) {
  Hash hash;
  hash.add(x.data(), sizeof(double) * x.size());
  return hash.value();
}

std::string encode_move(const VecX& x_t0, const VecX& x_t1, const std::vector<double>& screws) {
  std::vector<std::uint64_t> words;
  words.reserve(x_t1.size() + screws.size());
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (Eigen::Index i = 0; i < x_t1.size(); ++i) words.push_back(bits(x_t0[i]) ^ bits(x_t1[i]));
  for (const double value : screws) words.push_back(bits(value));
  std::string raw, bytes;
  raw.reserve(8 * words.size());
  put_planes(words, raw);
  put(hash_of_unknowns(x_t0), bytes);
  put_compressed(raw, bytes);
  return bytes;
}

Result<Done> CertificateFile::start(const CertificateLayout& layout) {
  last_ = {};
  if (auto done = write_file_atomically(path_, ""); !done) return done;
  return append(kind_start, encode_layout(layout));
}

Result<Done> CertificateFile::append(const CertificateStep& step) {
  std::string content;
  put<std::int32_t>(step.step, content);
  put<std::uint32_t>(step.is_joined ? 1 : 0, content);
  content.append(reinterpret_cast<const char*>(step.positions.data()), step.positions.size());
  put<std::uint64_t>(step.moves.size(), content);
  for (const std::string& move : step.moves) content += move;
  return append(kind_step, content);
}

Result<Done> CertificateFile::append(std::uint32_t kind, std::string_view content) {
  std::string record;
  record.reserve(head_size + content.size() + hash_size);
  put(magic, record);
  put(kind, record);
  put<std::uint64_t>(content.size(), record);
  record += content;
  Sha256 hash;
  hash.add(last_.data(), last_.size());
  hash.add(record);
  last_ = hash.finish();
  record.append(reinterpret_cast<const char*>(last_.data()), last_.size());
  return file_.append(record);
}

/// Reads the heads of the records alone; whether their hashes are right is for verification to say.
Result<Done> CertificateFile::reopen(int step) {
  if (auto done = file_.close(); !done) return done;
  std::ifstream file(path_, std::ios::binary);
  std::error_code error;
  const std::uint64_t size = file ? fs::file_size(path_, error) : 0;
  std::uint64_t at = 0;
  while (at + head_size + hash_size <= size) {
    std::array<char, head_size + 4> head{};
    file.seekg(static_cast<std::streamoff>(at));
    file.read(head.data(), head.size());
    std::uint32_t mark = 0, kind = 0;
    std::uint64_t content = 0;
    std::int32_t of_step = 0;
    std::memcpy(&mark, head.data(), 4);
    std::memcpy(&kind, head.data() + 4, 4);
    std::memcpy(&content, head.data() + 8, 8);
    std::memcpy(&of_step, head.data() + head_size, 4);
    if (!file || mark != magic || content > size - at - head_size - hash_size) break;
    at += head_size + content + hash_size;
    if ((kind == kind_start ? 0 : of_step) != step) continue;
    file.seekg(static_cast<std::streamoff>(at - hash_size));
    file.read(reinterpret_cast<char*>(last_.data()), hash_size);
    if (!file) break;
    file.close();
    fs::resize_file(path_, at, error);
    if (error) return problem(path_, "the file cannot be shortened: " + error.message());
    return Done{};
  }
  return problem(path_,
                 "the file has no moves up to the checkpoint, so that no certificate can be continued; resume with "
                 "`output.certificate` false, or start again in another folder");
}

}  // namespace clearance
