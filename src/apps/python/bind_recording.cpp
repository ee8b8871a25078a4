#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <map>

#include "apps/python/arrays.h"
#include "apps/python/bindings.h"
#include "apps/python/refusal.h"
#include "clearance/derivatives/forward_run.h"
#include "clearance/derivatives/reverse_run.h"
#include "clearance/derivatives/vertex_slopes.h"
#include "clearance/io/scene_reader.h"
#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance::python {

namespace {

namespace fs = std::filesystem;
using derivatives::Recording;
using derivatives::ReverseGradient;
using derivatives::Seed;

/// A run that is kept, for Python.
class RecordedRun {
 public:
  RecordedRun(const std::string& text, const fs::path& base_directory, int steps, double budget_mb) {
    make_ = [text, base_directory](const std::vector<std::string>& overrides) -> Result<SceneDesc> {
      Result<LoadedScene> loaded = load_scene_text(text, "", base_directory, overrides);
      if (!loaded) return loaded.issues();
      return std::move(loaded->scene);
    };
    derivatives::RecordOptions options;
    options.num_steps = steps;
    options.budget_mb = budget_mb;
    options.is_stop_wanted = [this] { return is_stop_wanted(); };
    Result<std::unique_ptr<Recording>> made = [&] {
      const py::gil_scoped_release release;
      return Recording::make(make_, options);
    }();
    answer_interrupt();
    recording_ = value_or_throw(std::move(made), "SceneError");
    if (recording_->end() == derivatives::RecordEnd::failed) throw Refusal{"DerivativeError", recording_->errors()};
  }

  int num_steps() const { return recording_->num_steps(); }
  Array<double> times() const {
    std::vector<double> times;
    for (int step = 0; step <= num_steps(); ++step) times.push_back(recording_->time(step));
    return array_of(times);
  }
  int num_kept() const { return recording_->num_kept(); }
  double most_mb() const { return 1e-6 * static_cast<double>(recording_->most_bytes()); }
  const std::vector<std::string>& columns() const { return recording_->scene().probes.columns(); }
  /// Returns the numbers of the probes: (steps + 1, columns).
  Array<double> probes() const {
    const auto num_columns = static_cast<py::ssize_t>(columns().size());
    Array<double> values({static_cast<py::ssize_t>(num_steps()) + 1, num_columns});
    double* to = values.mutable_data();
    for (int step = 0; step <= num_steps(); ++step) {
      to = std::copy_n(recording_->probes(step).data(), num_columns, to);
    }
    return values;
  }
  Array<double> positions(int step) { return array_of(in_space(scene().frames.vertex_map.apply(state(step).x))); }
  Array<double> velocities(int step) {
    return array_of(in_space(scene().frames.vertex_map.apply_linear(state(step).v)));
  }
  /// Returns name and first and last row of each body.
  std::vector<std::tuple<std::string, int, int>> bodies() const {
    std::vector<std::tuple<std::string, int, int>> bodies;
    for (const BodyView& view : recording_->scene().views) {
      bodies.emplace_back(view.name, view.vertices.first, view.vertices.end());
    }
    return bodies;
  }
  py::list warnings() const { return problems_of(recording_->scene().warnings); }

  /// Returns the derivatives of positions and velocities of all vertices by numbers of the scene: each an array of
  /// shape (parameters, steps + 1, vertices, 3).
  py::tuple forward(const std::vector<std::string>& by) {
    const auto num_vertices = static_cast<py::ssize_t>(scene().frames.vertex_map.num_vertices());
    const auto num_states = static_cast<py::ssize_t>(num_steps()) + 1;
    Array<double> positions({static_cast<py::ssize_t>(by.size()), num_states, num_vertices, py::ssize_t{3}});
    Array<double> velocities({static_cast<py::ssize_t>(by.size()), num_states, num_vertices, py::ssize_t{3}});
    double* const of_positions = positions.mutable_data();
    double* const of_velocities = velocities.mutable_data();
    derivatives::GradientOptions options{by, {}, num_steps(), {}, {}};
    options.is_stop_wanted = [this] { return is_stop_wanted(); };
    options.on_state = [&](const SteppedScene& stepped, const MatX& dx, const MatX& dv) {
      for (Eigen::Index k = 0; k < dx.cols(); ++k) {
        const py::ssize_t at = (static_cast<py::ssize_t>(k) * num_states + stepped.state.step) * num_vertices * 3;
        const auto write = [&](const VecX& slopes, double* array) {
          const std::vector<Vec<3>> points = in_space(scene().frames.vertex_map.apply_linear(slopes));
          std::copy_n(points.front().data(), 3 * points.size(), array + at);
        };
        write(dx.col(k), of_positions);
        write(dv.col(k), of_velocities);
      }
    };
    const Result<derivatives::Gradient> found = [&] {
      const py::gil_scoped_release release;
      return derivatives::find_gradient(make_, options);
    }();
    answer_interrupt();
    if (!found) throw Refusal{"SceneError", found.issues()};
    if (found->end == derivatives::GradientEnd::failed) throw Refusal{"DerivativeError", found->errors};
    return py::make_tuple(positions, velocities, problems_of(found->warnings));
  }

  py::dict backward(const std::map<int, Array<double>>& by_position, const std::map<int, Array<double>>& by_velocity,
                    const std::map<std::string, std::map<int, double>>& by_column, const std::vector<std::string>& by) {
    std::vector<Seed> seeds(static_cast<std::size_t>(num_steps()) + 1);
    for (const auto& [step, array] : by_position) seeds.at(index(step)).x = seed_of(array);
    for (const auto& [step, array] : by_velocity) seeds.at(index(step)).v = seed_of(array);
    Result<ReverseGradient> found = [&]() -> Result<ReverseGradient> {
      const py::gil_scoped_release release;
      for (const auto& [column, weights] : by_column) {
        for (const auto& [step, weight] : weights) {
          const Result<Seed> seed = recording_->seed_of(static_cast<int>(index(step)), column);
          if (!seed) return seed.issues();
          add(weight, seed->x, seeds.at(index(step)).x);
          add(weight, seed->v, seeds.at(index(step)).v);
        }
      }
      return recording_->backward(seeds, by);
    }();
    answer_interrupt();
    // Mistakes in the arguments have places in the scene, and failures a step.
    const bool is_of_step = !found && found.issues().front().place.rfind("step ", 0) == 0;
    const ReverseGradient gradient = value_or_throw(std::move(found), is_of_step ? "DerivativeError" : "SceneError");
    py::dict result;
    result["parameters"] = array_of(gradient.parameters);
    result["start_positions"] = by_vertex(gradient.start_x);
    result["start_velocities"] = by_vertex(gradient.start_v);
    result["rest"] = by_vertex(gradient.elements.rest);
    result["shape"] = by_vertex(gradient.shape);
    result["lambda"] = array_of(gradient.elements.lambda);
    result["mu"] = array_of(gradient.elements.mu);
    result["density"] = array_of(gradient.elements.density);
    result["cells"] = array_of(scene().cell_of_element);
    const State& start = state(0);
    result["places"] = stiff(derivatives::by_places(scene(), start.x, start.v, gradient.start_x, gradient.start_v));
    result["velocities"] = stiff(derivatives::by_stiff_bodies(scene(), start.x, gradient.start_v));
    result["prescribed"] = prescribed(gradient);
    result["prescribed_bodies"] = prescribed_bodies(gradient);
    result["controls"] = controls(gradient);
    result["error"] = gradient.error;
    result["warnings"] = problems_of(gradient.warnings);
    return result;
  }

 private:
  /// A signal is answered between steps.
  bool is_stop_wanted() {
    const py::gil_scoped_acquire acquire;
    is_interrupted_ = is_interrupted_ || PyErr_CheckSignals() != 0;
    return is_interrupted_;
  }
  void answer_interrupt() {
    if (!is_interrupted_) return;
    is_interrupted_ = false;
    throw py::error_already_set();
  }
  const SceneModel& scene() const { return *recording_->scene().scene; }
  std::size_t index(int step) const {
    const int at = step < 0 ? step + num_steps() + 1 : step;
    if (at < 0 || at > num_steps())
      throw py::index_error("step " + std::to_string(step) + ": the recording has steps 0 to " +
                            std::to_string(num_steps()));
    return static_cast<std::size_t>(at);
  }
  State state(int step) {
    const int at = static_cast<int>(index(step));
    Result<State> found = [&] {
      const py::gil_scoped_release release;
      return recording_->state(at);
    }();
    answer_interrupt();
    return value_or_throw(std::move(found), "DerivativeError");
  }
  static void add(double weight, const VecX& seed, VecX& sum) {
    if (seed.size() == 0) return;
    if (sum.size() == 0) sum = VecX::Zero(seed.size());
    sum += weight * seed;
  }
  std::vector<Vec<3>> in_space(const VecX& flat) const {
    std::vector<Vec<3>> points(static_cast<std::size_t>(flat.size() / scene().dim), Vec<3>::Zero());
    for (std::size_t v = 0; v < points.size(); ++v) {
      points[v].head(scene().dim) = flat.segment(scene().dim * static_cast<Eigen::Index>(v), scene().dim);
    }
    return points;
  }
  VecX seed_of(const Array<double>& array) const { return derivatives::by_unknowns(scene(), points_of(array)); }
  Array<double> by_vertex(const VecX& slopes) const { return array_of(derivatives::by_vertices(scene(), slopes)); }
  /// Returns, per stiff body, its name and the derivatives along and about the axes.
  py::dict stiff(const std::vector<derivatives::BodySlopes>& slopes) const {
    py::dict result;
    for (const derivatives::BodySlopes& of_body : slopes) {
      const std::string& name = scene().bodies[static_cast<std::size_t>(of_body.body)].name;
      result[py::str(name)] = array_of(std::vector<Vec<3>>{of_body.along, of_body.about});
    }
    return result;
  }
  VecX by_all_unknowns(const ReverseGradient::Prescribed& step) const {
    VecX slopes = VecX::Zero(scene().model.layout.num_unknowns());
    for (std::size_t k = 0; k < step.blocks.size(); ++k) {
      slopes.segment(scene().dim * static_cast<Eigen::Index>(step.blocks[k]), scene().dim) =
          step.positions.segment(scene().dim * static_cast<Eigen::Index>(k), scene().dim);
    }
    return slopes;
  }
  py::list prescribed(const ReverseGradient& gradient) const {
    py::list result;
    for (const ReverseGradient::Prescribed& step : gradient.prescribed) result.append(by_vertex(by_all_unknowns(step)));
    return result;
  }
  /// Returns, per stiff body that a motion moves in some step, the derivatives along and about the axes by steps.
  py::dict prescribed_bodies(const ReverseGradient& gradient) {
    std::map<int, std::vector<Vec<3>>> rows;  // per stiff body
    for (std::size_t step = 0; step < gradient.prescribed.size(); ++step) {
      const std::vector<int>& blocks = gradient.prescribed[step].blocks;
      const std::vector<derivatives::BodySlopes> slopes = derivatives::by_stiff_bodies(
          scene(), state(static_cast<int>(step) + 1).x, by_all_unknowns(gradient.prescribed[step]));
      for (std::size_t k = 0; k < slopes.size(); ++k) {
        const int first = scene().model.stiff_bodies[k].first_block;
        if (std::find(blocks.begin(), blocks.end(), first) == blocks.end()) continue;
        std::vector<Vec<3>>& of_body = rows[static_cast<int>(k)];
        of_body.resize(2 * gradient.prescribed.size(), Vec<3>::Zero());
        of_body[2 * step] = slopes[k].along;
        of_body[2 * step + 1] = slopes[k].about;
      }
    }
    py::dict result;
    for (const auto& [k, of_body] : rows) {
      const int first = scene().model.stiff_bodies[static_cast<std::size_t>(k)].first_block;
      const int body = scene().model.body_of_block[static_cast<std::size_t>(first)];
      result[py::str(scene().bodies[static_cast<std::size_t>(body)].name)] = array_of(of_body);
    }
    return result;
  }
  Array<double> controls(const ReverseGradient& gradient) const {
    const auto rows = static_cast<py::ssize_t>(gradient.controls.size());
    const auto columns = static_cast<py::ssize_t>(scene().initial_state.controls.size());
    Array<double> result({rows, columns});
    auto values = result.mutable_unchecked<2>();
    for (py::ssize_t i = 0; i < rows; ++i) {
      for (py::ssize_t k = 0; k < columns; ++k) values(i, k) = gradient.controls[static_cast<std::size_t>(i)][k];
    }
    return result;
  }

  derivatives::SceneMaker make_;
  std::unique_ptr<Recording> recording_;
  bool is_interrupted_ = false;
};

}  // namespace

void bind_recording(py::module_& module) {
  py::class_<RecordedRun>(module, "RecordedRun")
      .def(py::init<const std::string&, const fs::path&, int, double>(), py::arg("text"), py::arg("base_directory"),
           py::arg("steps"), py::arg("budget_mb"))
      .def_property_readonly("num_steps", &RecordedRun::num_steps)
      .def_property_readonly("times", &RecordedRun::times)
      .def_property_readonly("num_kept", &RecordedRun::num_kept)
      .def_property_readonly("most_mb", &RecordedRun::most_mb)
      .def_property_readonly("columns", &RecordedRun::columns)
      .def_property_readonly("probes", &RecordedRun::probes)
      .def_property_readonly("bodies", &RecordedRun::bodies)
      .def_property_readonly("warnings", &RecordedRun::warnings)
      .def("positions", &RecordedRun::positions, py::arg("step"))
      .def("velocities", &RecordedRun::velocities, py::arg("step"))
      .def("forward", &RecordedRun::forward, py::arg("by"))
      .def("backward", &RecordedRun::backward, py::arg("positions"), py::arg("velocities"), py::arg("of"),
           py::arg("by"));
}

}  // namespace clearance::python
