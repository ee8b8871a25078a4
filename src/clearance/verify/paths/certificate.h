// Reads certificate.bin of a result folder, the chain of all moves of a run, for `clearance verify --paths`. The
// program that writes it is another (io/result/certificate_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/base/sha256.h"
#include "clearance/math/types.h"

namespace clearance::verify {

/// How the vertices of frames follow the unknowns: vertex = offset + sum of weight * block.
struct PathLayout {
  struct Term {
    int block = 0;
    double weight = 1.0;
  };
  /// A stiff body: its centre and the columns of its map are consecutive blocks.
  struct Stiff {
    int first_block = 0;
    bool is_rigid = false;
    int rigid = -1;  ///< number among the rigid ones
  };
  int dim = 3;
  int num_blocks = 0;
  int num_rigid = 0;
  std::vector<int> first_term;  ///< per vertex, and one past the last
  std::vector<Term> terms;
  std::vector<Vec<3>> offsets;  ///< [m] per vertex
  std::vector<Stiff> stiff;
  std::vector<int> stiff_of_block;  ///< the stiff body that a block moves with; -1: none

  int num_vertices() const { return static_cast<int>(offsets.size()); }
};

/// Motion of a rigid body in a move: at time s in [0, 1] it has moved by s * shift and turned by s * turn about its
/// centre.
struct PathScrew {
  Vec<3> shift = Vec<3>::Zero();  ///< [m]
  Vec<3> turn = Vec<3>::Zero();   ///< [rad]
};

/// A move of all unknowns.
struct PathMove {
  std::vector<double> x_t0, x_t1;  ///< [m] flat, dim per block
  std::vector<PathScrew> screws;   ///< per rigid body
};

/// One record of the file.
struct PathRecord {
  bool is_start = false;
  std::vector<double> x;  ///< [m] unknowns at the start; of the record of the start
  int step = 0;
  bool is_joined = true;  ///< false: the run knew of no moves that lead here
  Sha256::Digest positions{};
  std::vector<PathMove> moves;
};

/// The records of a file, one after the other.
class CertificateReader {
 public:
  explicit CertificateReader(const std::filesystem::path& file);

  /// Returns the next record; nothing at the end, or where the file goes on wrongly: `problem` then says why.
  std::optional<PathRecord> next();
  const std::string& problem() const { return problem_; }
  /// True if the file ends within a record, as a killed run may leave it.
  bool is_cut_off() const { return is_cut_off_; }
  const PathLayout& layout() const { return layout_; }

 private:
  std::optional<PathRecord> fail(std::string problem);
  bool read_layout(const std::string& content, PathRecord& record);
  bool read_step(const std::string& content, PathRecord& record);

  std::ifstream file_;
  std::uint64_t size_ = 0, at_ = 0;
  std::string name_, problem_;
  bool is_cut_off_ = false, has_layout_ = false;
  int last_step_ = 0;
  Sha256::Digest last_hash_{};
  PathLayout layout_;
  std::vector<double> x_;  // where the moves so far have led
};

}  // namespace clearance::verify
