#include "clearance/verify/paths/certificate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "clearance/base/hash.h"

namespace clearance::verify {
namespace {

constexpr std::uint32_t magic = 0x50524c43;  // CLRP
constexpr std::uint64_t head_size = 16, hash_size = 32;
/// Largest ratio of zlib's compression; larger sizes are wrong.
constexpr std::uint64_t largest_ratio = 1100;

/// Takes numbers from the front of bytes. After the end of the bytes everything is zero and `is_good` false.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    static_assert(std::is_trivially_copyable_v<Number>);
    Number value{};
    const std::string_view raw = take(sizeof(Number));
    if (is_good_) std::memcpy(&value, raw.data(), sizeof(Number));
    return value;
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  /// Returns a count of things of at least `size` bytes each, which must be there.
  std::uint64_t count(std::uint64_t size) {
    const auto value = number<std::uint64_t>();
    if (value > rest_.size() / size) is_good_ = false;
    return is_good_ ? value : 0;
  }
  /// Returns the bytes of a part that is stored compressed, behind its sizes.
  std::string inflated() {
    const auto size = number<std::uint64_t>(), stored = number<std::uint64_t>();
    const std::string_view bytes = take(stored);
    if (!is_good_ || size > largest_ratio * (stored + 1)) {
      is_good_ = false;
      return {};
    }
    std::string raw(size, '\0');
    uLongf length = size;
    const int result = uncompress(reinterpret_cast<Bytef*>(raw.data()), &length,
                                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    is_good_ = result == Z_OK && length == size;
    return is_good_ ? raw : std::string();
  }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

std::uint64_t hash_of(const std::vector<double>& x) {
  Hash hash;
  hash.add(x.data(), sizeof(double) * x.size());
  return hash.value();
}

/// Returns word i of a list whose words are stored byte by byte, the upper ones first.
std::uint64_t word_at(const std::string& planes, std::size_t count, std::size_t i) {
  std::uint64_t word = 0;
  for (std::size_t plane = 0; plane < 8; ++plane) {
    word = word << 8 | static_cast<unsigned char>(planes[plane * count + i]);
  }
  return word;
}

bool are_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

CertificateReader::CertificateReader(const std::filesystem::path& file)
    : file_(file, std::ios::binary), name_(file.filename().string()) {
  std::error_code error;
  size_ = file_ ? std::filesystem::file_size(file, error) : 0;
  if (!file_ || error) problem_ = name_ + ": the file cannot be read";
}

std::optional<PathRecord> CertificateReader::fail(std::string problem) {
  problem_ = fmt::format("{}: {}, at byte {}", name_, problem, at_);
  return std::nullopt;
}

std::optional<PathRecord> CertificateReader::next() {
  if (!problem_.empty() || at_ == size_) return std::nullopt;
  std::string head(std::min(head_size, size_ - at_), '\0');
  file_.read(head.data(), static_cast<std::streamsize>(head.size()));
  Bytes of_head(head);
  const auto mark = of_head.number<std::uint32_t>(), kind = of_head.number<std::uint32_t>();
  const auto size = of_head.number<std::uint64_t>();
  if (head.size() >= 4 && mark != magic) return fail("no record begins");
  if (!of_head.is_good() || size > size_ - at_ - head_size || size_ - at_ - head_size - size < hash_size) {
    is_cut_off_ = true;
    return fail("the last record is cut off");
  }
  std::string content(size, '\0');
  Sha256::Digest stored{};
  file_.read(content.data(), static_cast<std::streamsize>(size));
  file_.read(reinterpret_cast<char*>(stored.data()), hash_size);
  if (!file_) return fail("the file cannot be read");
  Sha256 hash;
  hash.add(last_hash_.data(), last_hash_.size());
  hash.add(head);
  hash.add(content);
  if (hash.finish() != stored) return fail("a record has another hash than its content and the records before it");
  last_hash_ = stored;
  PathRecord record;
  if (kind > 1 || (kind == 0) == has_layout_) return fail("a record of another kind is expected");
  if (kind == 0 ? !read_layout(content, record) : !read_step(content, record)) {
    return problem_.empty() ? fail("a record cannot be read") : std::nullopt;
  }
  at_ += head_size + size + hash_size;
  return record;
}

bool CertificateReader::read_layout(const std::string& content, PathRecord& record) {
  Bytes bytes(content);
  const auto version = bytes.number<std::uint32_t>();
  layout_.dim = static_cast<int>(bytes.number<std::uint32_t>());
  if (version != 1 || (layout_.dim != 2 && layout_.dim != 3)) return false;
  const std::string raw = bytes.inflated();
  if (!bytes.is_at_end()) return false;
  Bytes list(raw);
  for (std::uint64_t n = list.count(8); n > 0; --n) x_.push_back(list.number<double>());
  layout_.num_blocks = static_cast<int>(x_.size()) / layout_.dim;
  layout_.stiff_of_block.assign(layout_.num_blocks, -1);
  const auto is_block = [&](int block) { return block >= 0 && block < layout_.num_blocks; };
  for (std::uint64_t n = list.count(8); n > 0; --n) {
    PathLayout::Stiff stiff;
    stiff.first_block = list.number<std::int32_t>();
    stiff.is_rigid = list.number<std::int32_t>() != 0;
    if (!is_block(stiff.first_block) || !is_block(stiff.first_block + layout_.dim)) return false;
    if (stiff.is_rigid) stiff.rigid = layout_.num_rigid++;
    std::fill_n(layout_.stiff_of_block.begin() + stiff.first_block, layout_.dim + 1,
                static_cast<int>(layout_.stiff.size()));
    layout_.stiff.push_back(stiff);
  }
  for (std::uint64_t n = list.count(8); n > 0; --n) {
    const int block = list.number<std::int32_t>(), stiff = list.number<std::int32_t>();
    if (!is_block(block) || stiff < 0 || stiff >= static_cast<int>(layout_.stiff.size())) return false;
    layout_.stiff_of_block[block] = stiff;
  }
  layout_.first_term.push_back(0);
  for (std::uint64_t n = list.count(28); n > 0; --n) {
    Vec<3> offset;
    for (int c = 0; c < 3; ++c) offset[c] = list.number<double>();
    layout_.offsets.push_back(offset);
    for (int count = list.number<std::int32_t>(); count > 0 && list.is_good(); --count) {
      const int block = list.number<std::int32_t>();
      const double weight = list.number<double>();
      if (!is_block(block) || !std::isfinite(weight)) return false;
      layout_.terms.push_back({block, weight});
    }
    layout_.first_term.push_back(static_cast<int>(layout_.terms.size()));
  }
  has_layout_ = true;
  record.is_start = true;
  record.x = x_;
  return list.is_at_end() && are_finite(x_);
}

bool CertificateReader::read_step(const std::string& content, PathRecord& record) {
  Bytes bytes(content);
  record.step = bytes.number<std::int32_t>();
  record.is_joined = bytes.number<std::uint32_t>() != 0;
  const std::string_view positions = bytes.take(record.positions.size());
  if (!bytes.is_good()) return false;
  std::memcpy(record.positions.data(), positions.data(), positions.size());
  if (record.step != last_step_ + 1) {
    fail(fmt::format("step {} follows step {}", record.step, last_step_));
    return false;
  }
  last_step_ = record.step;
  const std::size_t num_words = x_.size() + 6 * static_cast<std::size_t>(layout_.num_rigid);
  for (std::uint64_t n = bytes.count(24); n > 0; --n) {
    const auto start = bytes.number<std::uint64_t>();
    const std::string planes = bytes.inflated();
    if (!bytes.is_good() || planes.size() != 8 * num_words) return false;
    if (start != hash_of(x_)) {
      fail(fmt::format("step {}: move {} does not start where the move before it has ended", record.step,
                       record.moves.size()));
      return false;
    }
    PathMove move;
    move.x_t0 = x_;
    for (std::size_t i = 0; i < x_.size(); ++i)
      x_[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x_[i]) ^ word_at(planes, num_words, i));
    move.x_t1 = x_;
    bool is_finite = are_finite(x_);
    for (int k = 0; k < layout_.num_rigid; ++k) {
      PathScrew screw;
      for (int c = 0; c < 6; ++c) {
        (c < 3 ? screw.shift : screw.turn)[c % 3] =
            std::bit_cast<double>(word_at(planes, num_words, x_.size() + 6 * k + c));
      }
      is_finite = is_finite && screw.shift.allFinite() && screw.turn.allFinite();
      move.screws.push_back(screw);
    }
    if (!is_finite) {
      fail(fmt::format("step {}: move {} has a number that is not finite", record.step, record.moves.size()));
      return false;
    }
    record.moves.push_back(std::move(move));
  }
  return bytes.is_at_end();
}

}  // namespace clearance::verify
