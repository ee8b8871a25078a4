#include "clearance/exchange/point_caches.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <fstream>

#include "clearance/exchange/file_set.h"
#include "clearance/exchange/obj_text.h"

namespace clearance::exchange {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

const char* name_of(Motion motion) {
  static constexpr std::array names = {"still", "rigid", "affine", "deforming"};
  return names[static_cast<std::size_t>(motion)];
}

/// True if an object of Blender cannot follow the body as a whole. Objects of Blender have no shear.
bool has_cache(const ExportedBody& body) {
  return body.motion == Motion::affine || body.motion == Motion::deforming;
}

class PointCacheWriter {
 public:
  PointCacheWriter(const AnimationJob& options, const ExportedRun& run)
      : options_(options), run_(run), stem_(options.job.output.stem().string()) {
    names_ = {stem_ + ".json", stem_ + "_blender.py"};
    for (const ExportedBody& body : run.bodies()) {
      const std::string name = fmt::format("{}_{:03}_{}", stem_, body.drawn.body, file_name_part(body.name));
      meshes_.push_back(name + ".obj");
      caches_.push_back(has_cache(body) ? name + ".pc2" : "");
      num_rigid_ += body.motion == Motion::rigid ? 1 : 0;
      names_.push_back(meshes_.back());
      if (has_cache(body)) names_.push_back(caches_.back());
    }
    if (num_rigid_ > 0) names_.push_back(poses_name());
  }

  const std::vector<std::string>& names() const { return names_; }

  Result<Done> write(const FileSet& files) {
    if (!add(files.temporary(names_[0]), head().dump(1, ' ', false, Json::error_handler_t::replace) + "\n") ||
        !add(files.temporary(names_[1]), blender_script)) {
      return failure_;
    }
    for (std::size_t b = 0; b < run_.bodies().size(); ++b) {
      const ExportedBody& body = run_.bodies()[b];
      std::string text =
          fmt::format("# Clearance " CLEARANCE_VERSION ": frame {}\no {}\n", run_.number(0), obj_name(body.name));
      add_obj_vertices(run_.places(body, run_.first()), text);
      if (!add(files.temporary(meshes_[b]), text + obj_elements(run_, body, 0))) return failure_;
      if (has_cache(body) && !add(files.temporary(caches_[b]), cache_head(body))) return failure_;
    }
    if (num_rigid_ > 0 && !add(files.temporary(poses_name()), poses_head())) return failure_;
    std::vector<Eigen::Quaterniond> before(run_.bodies().size(), Eigen::Quaterniond::Identity());
    for (std::size_t i = 0; i < run_.num_frames(); ++i) {
      const Result<Frame> frame = run_.frame(i);
      if (!frame) return frame.issues();
      if (!add_frame(files, *frame, before)) return failure_;
    }
    return Done{};
  }

 private:
  std::string poses_name() const { return stem_ + "_poses.npy"; }

  /// Opens the file for each write, because a process may not hold as many open files as a run has bodies.
  bool add(const fs::path& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) failure_ = write_failure(path);
    return static_cast<bool>(file);
  }

  Json head() const {
    Json json = {{"generator", "Clearance " CLEARANCE_VERSION},
                 {"name", run_.name().empty() ? "run" : run_.name()},
                 {"dimension", run_.dim()},
                 {"up", std::string(1, static_cast<char>('x' + run_.up()))},
                 {"metres_per_unit", run_.metres_per_unit()},
                 {"speed", options_.speed}};
    json["poses"] = num_rigid_ > 0 ? Json(poses_name()) : Json();
    std::size_t num_before = 0;
    for (std::size_t b = 0; b < run_.bodies().size(); ++b) {
      const ExportedBody& body = run_.bodies()[b];
      const bool is_rigid = body.motion == Motion::rigid;
      const Vec<3>& c = body.axes.center;
      json["bodies"].push_back({{"name", body.name},
                                {"body", body.drawn.body},
                                {"is_obstacle", body.drawn.is_obstacle},
                                {"color", body.color},
                                {"motion", name_of(body.motion)},
                                {"mesh", meshes_[b]},
                                {"cache", has_cache(body) ? Json(caches_[b]) : Json()},
                                {"center", {c[0], c[1], c[2]}},
                                {"pose", is_rigid ? Json(num_before++) : Json()}});
    }
    for (std::size_t i = 0; i < run_.num_frames(); ++i) {
      json["frames"].push_back({{"frame", run_.number(i)}, {"step", run_.step(i)}, {"time", run_.seconds(i)}});
    }
    return json;
  }

  /// Returns the header of a .pc2: signature, version, number of points, first frame, frames per sample, number of
  /// samples.
  std::string cache_head(const ExportedBody& body) const {
    std::string head("POINTCACHE2\0", 12);
    const auto add_word = [&](auto word) { head.append(reinterpret_cast<const char*>(&word), sizeof(word)); };
    add_word(std::int32_t{1});
    add_word(static_cast<std::int32_t>(body.drawn.num_vertices));
    add_word(0.0F);
    add_word(1.0F);
    add_word(static_cast<std::int32_t>(run_.num_frames()));
    return head;
  }

  /// Returns the header of a NumPy array with the shape frames x bodies x 7: x y z of the centre, then w x y z of the
  /// rotation.
  std::string poses_head() const {
    std::string dictionary = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}, 7), }}",
                                         run_.num_frames(), num_rigid_);
    const std::size_t unpadded = 10 + dictionary.size() + 1;
    dictionary.append((unpadded + 63) / 64 * 64 - unpadded, ' ');
    dictionary += '\n';
    std::string head = "\x93NUMPY\x01";
    head += '\0';
    head += static_cast<char>(dictionary.size() & 255U);
    head += static_cast<char>(dictionary.size() >> 8U);
    return head + dictionary;
  }

  bool add_frame(const FileSet& files, const Frame& frame, std::vector<Eigen::Quaterniond>& before) {
    std::vector<double> poses;
    for (std::size_t b = 0; b < run_.bodies().size(); ++b) {
      const ExportedBody& body = run_.bodies()[b];
      if (has_cache(body)) {
        std::vector<float> numbers;
        for (const Vec<3>& x : run_.places(body, frame)) {
          for (const double number : x) numbers.push_back(static_cast<float>(number));
        }
        if (!add(files.temporary(caches_[b]),
                 {reinterpret_cast<const char*>(numbers.data()), sizeof(float) * numbers.size()})) {
          return false;
        }
      } else if (body.motion == Motion::rigid) {
        RigidMotion motion = run_.motion(body, frame);
        // Programs interpolate quaternions component by component between frames. This sign makes the interpolation
        // take the short way.
        if (motion.rotation.coeffs().dot(before[b].coeffs()) < 0.0) motion.rotation.coeffs() *= -1.0;
        before[b] = motion.rotation;
        const Eigen::Quaterniond& q = motion.rotation;
        for (const double x : motion.position) poses.push_back(x);
        for (const double x : {q.w(), q.x(), q.y(), q.z()}) poses.push_back(x);
      }
    }
    return poses.empty() || add(files.temporary(poses_name()),
                                {reinterpret_cast<const char*>(poses.data()), sizeof(double) * poses.size()});
  }

  const AnimationJob& options_;
  const ExportedRun& run_;
  std::string stem_;
  std::vector<std::string> names_, meshes_, caches_;
  std::size_t num_rigid_ = 0;
  Issue failure_;
};

}  // namespace

Result<ExportReport> write_point_caches(const AnimationJob& options) {
  const Result<ExportedRun> run = open_measured(options.job);
  if (!run) return run.issues();
  PointCacheWriter writer(options, *run);
  FileSet files(options.job.output.parent_path(), writer.names());
  if (const Issues issues = files.find_obstructions(options.job.is_overwriting, options.job.folder); !issues.empty())
    return issues;
  if (const auto opened = files.open(); !opened) return opened.issues();
  if (const auto written = writer.write(files); !written) return files.by_their_places(written.issues());
  Result<ExportReport> report = finish_export(files, report_of(*run));
  if (!report) return report;
  note_rigid_error(*run, *report);
  report->notes.push_back(fmt::format("blender --python {} builds the scene",
                                      (options.job.output.parent_path() / files.names()[1]).string()));
  return report;
}

}  // namespace clearance::exchange
