// certificate.bin of a result folder: every move that the steps of a run have accepted, for `verify --paths`.
//
// The file is a chain of records, appended one a step (docs/paths.md has the format): magic, kind, size, content,
// and the SHA-256 of all of these and of the hash of the record before. The reader of verification is a code of its
// own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/base/sha256.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/math/types.h"

namespace clearance {

inline constexpr const char* certificate_file = "certificate.bin";

/// How vertices of frames follow the unknowns: vertex = offset + sum of weight * block.
struct CertificateLayout {
  struct Term {
    int block = 0;
    double weight = 1.0;
  };
  /// Blocks of a stiff body: its centre and the columns of its map.
  struct Stiff {
    int first_block = 0;
    bool is_rigid = false;
  };
  /// A block that moves with a stiff body.
  struct Tie {
    int block = 0;
    int stiff = 0;
  };
  int dim = 3;
  VecX x;                       ///< [m] unknowns at the start
  std::vector<int> first_term;  ///< per vertex, and one past the last
  std::vector<Term> terms;
  std::vector<Vec<3>> offsets;  ///< [m] per vertex
  std::vector<Stiff> stiff;
  std::vector<Tie> ties;
};

/// The moves of a step.
struct CertificateStep {
  int step = 0;
  bool is_joined = true;           ///< false: the moves do not lead from the last step to this one
  Sha256::Digest positions{};      ///< hash of the positions of the vertices of frames at the end
  std::vector<std::string> moves;  ///< by encode_move
};

/// Encodes a move: the hash of its start, the bits in which its end differs, and six numbers (shift, turn) for each
/// rigid body.
std::string encode_move(const VecX& x_t0, const VecX& x_t1, const std::vector<double>& screws);
/// Returns the hash that encode_move stores of a start.
std::uint64_t hash_of_unknowns(const VecX& x);

class CertificateFile {
 public:
  explicit CertificateFile(const std::filesystem::path& folder)
      : path_(folder / certificate_file), file_(folder / certificate_file) {}

  Result<Done> start(const CertificateLayout& layout);
  /// Appends the moves of a step. They are the system's when the function returns, as all appended lines.
  Result<Done> append(const CertificateStep& step);
  /// Cuts off everything after the record of a step; 0: after that of the start. Issues: the file has no such record.
  Result<Done> reopen(int step);
  Result<Done> close() { return file_.close(); }

 private:
  Result<Done> append(std::uint32_t kind, std::string_view content);

  std::filesystem::path path_;
  AppendedFile file_;
  Sha256::Digest last_{};
};

}  // namespace clearance
