#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

#include "apps/python/arrays.h"
#include "apps/python/bindings.h"
#include "apps/python/refusal.h"
#include "clearance/base/hash.h"
#include "clearance/base/log.h"
#include "clearance/base/parallel.h"
#include "clearance/io/result/result_check.h"
#include "clearance/io/result/result_folder.h"
#include "clearance/model/model.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/simulation/run.h"
#include "clearance/simulation/run_records.h"
#include "clearance/simulation/run_watch.h"

namespace clearance::python {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Interval of the checks for Ctrl-C; taking the interpreter's lock in every iteration would wait for other threads.
constexpr std::chrono::milliseconds signal_interval{20};

/// A state, and a hash of where the bodies of its scene start, because states of other bodies can have the same sizes.
struct SavedState {
  State state;
  std::uint64_t start = 0;
};

/// A result folder that a simulation writes into.
struct Output {
  FolderClaim claim;
  Run run;
};

/// The simulation that a Python object holds, the run that stores its steps if there is one, and the arrays that look
/// into it.
class Stepper {
 public:
  Stepper(const LoadedScene& loaded, std::optional<fs::path> folder, const std::string& use, int threads,
          std::optional<int> num_steps, const std::optional<fs::path>& controls);
  ~Stepper() {
    if (output_) output_->run.finish();
  }

  py::object step(const py::object& on_iteration);
  void close();
  bool is_closed() const { return is_closed_; }
  bool is_done() const { return has_failed_ || num_steps_done_ >= num_steps_; }
  int num_steps_done() const { return num_steps_done_; }
  int num_steps() const { return num_steps_; }
  const std::string& units() const { return units_; }
  double time() const { return time_; }

  /// Throws if the simulation is closed, or if another thread steps.
  const Simulation& simulation() const {
    check_open();
    if (is_busy_)
      throw std::runtime_error("the simulation is in a step; only the results of the last complete step can be read");
    return *simulation_;
  }
  const py::array& positions() {
    check_open();
    return view(positions_, positions_view_, &Simulation::positions);
  }
  const py::array& velocities() {
    check_open();
    return view(velocities_, velocities_view_, &Simulation::velocities);
  }
  const std::vector<BodyView>& bodies() const {
    check_open();
    return adapts() ? simulation().bodies() : simulation_->bodies();  // a step changes those of bodies that adapt
  }
  /// True if the numbers of its vertices and elements change from step to step.
  bool adapts() const {
    check_open();
    const SceneDesc& scene = simulation_->scene();
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [&](const BodyDesc& body) { return find_remesh(scene, body) != nullptr; });
  }
  SavedState save_state() const { return {simulation().state(), start_}; }
  /// Returns the warnings about the scene, those about its file among them.
  NamedHints scene_warnings() const { return merge_warnings(of_file_, simulation().named_warnings()); }
  /// Returns the warnings about the steps so far; of a closed simulation, about all of its steps.
  std::vector<RunWarning> run_warnings() const;
  void restore(const SavedState& saved);
  py::dict controls() const;
  void set_control(const std::string& name, double value);
  void aim(int body, const Array<double>& positions);
  void apply_forces(const Array<double>& forces);
  void apply_wrench(int body, const Vec<3>& force, const Vec<3>& torque);

 private:
  using Buffer = std::shared_ptr<std::vector<Vec<3>>>;
  using Values = std::vector<Vec<3>> (Simulation::*)() const;

  void check_open() const {
    if (is_closed_) throw std::runtime_error("the simulation is closed");
  }
  /// Returns an array that is made at the first request and refreshed by every step.
  const py::array& view(Buffer& buffer, py::array& view, Values values) {
    if (!buffer) {
      if (is_busy_) throw std::runtime_error("the simulation is in a step; ask for this array before the step");
      buffer = std::make_shared<std::vector<Vec<3>>>((simulation_.get()->*values)());
      view = read_only_view(buffer);
    }
    return view;
  }
  /// Refreshes the buffer in place, because arrays look into it. If elements have adapted, existing arrays keep their
  /// values, and the next one that is asked for looks into a new buffer.
  void refresh(Buffer& buffer, Values values) const {
    if (!buffer) return;
    const std::vector<Vec<3>> now = (simulation_.get()->*values)();
    if (now.size() != buffer->size()) {
      buffer.reset();
    } else {
      std::copy(now.begin(), now.end(), buffer->begin());
    }
  }
  void refresh() {
    num_steps_done_ = simulation_->num_steps_done();
    time_ = simulation_->time();
    refresh(positions_, &Simulation::positions);
    refresh(velocities_, &Simulation::velocities);
  }
  void build(const LoadedScene& loaded, std::optional<fs::path> folder, const std::string& use,
             std::optional<int> num_steps, const std::optional<fs::path>& controls);
  RunObserver observer();
  void hear_iteration(int iteration, double residual);
  bool is_stop_wanted();

  std::unique_ptr<Simulation> simulation_;
  std::optional<Output> output_;
  std::optional<RunWatch> watch_;          // without output
  std::vector<RunWarning> told_;           // warnings about the folder
  std::vector<RunWarning> last_warnings_;  // of a closed simulation
  Issues of_file_;                         // warnings about the file of the scene
  std::uint64_t start_ = 0;                // see SavedState
  Buffer positions_, velocities_;
  py::array positions_view_, velocities_view_;
  std::string units_;
  int threads_ = 0, num_steps_ = 0, num_steps_done_ = 0;
  double time_ = 0.0;
  std::string failure_;
  bool is_busy_ = false, is_closed_ = false, has_failed_ = false;

  // State of the step under way.
  py::object on_iteration_;
  std::optional<py::error_already_set> error_;  // exception that Python has raised, kept until the step has ended
  Clock::time_point last_signal_check_;
};

FolderUse use_of(const std::string& name) {
  return name == "resume" ? FolderUse::resume : name == "overwrite" ? FolderUse::overwrite : FolderUse::start;
}

Stepper::Stepper(const LoadedScene& loaded, std::optional<fs::path> folder, const std::string& use, int threads,
                 std::optional<int> num_steps, const std::optional<fs::path>& controls)
    : of_file_(loaded.warnings), units_(unit_system_of(loaded.scene).name), threads_(threads) {
  last_signal_check_ = Clock::now();
  try {
    build(loaded, std::move(folder), use, num_steps, controls);
  } catch (const Stopped&) {
    const py::error_already_set error = std::move(*error_);
    error_.reset();
    throw error;
  }
  refresh();
}

/// Builds the simulation. Throws Stopped if a signal came meanwhile: separating overlaps can take minutes.
void Stepper::build(const LoadedScene& loaded, std::optional<fs::path> folder, const std::string& use,
                    std::optional<int> num_steps, const std::optional<fs::path>& controls) {
  const py::gil_scoped_release release;
  const ThreadLimit limit(threads_);
  // Claim the folder before anything of the scene, as the program does: existing files there must stay untouched.
  std::optional<FolderClaim> claim;
  if (folder) claim = value_or_throw(FolderClaim::make(*folder, use_of(use)), "ResultError");
  try {
    {
      const StopScope scope([this] { return is_stop_wanted(); });
      simulation_ = std::make_unique<Simulation>(value_or_throw(Simulation::create(loaded.scene), "SceneError"));
    }
    num_steps_ = num_steps.value_or(simulation_->summary().num_steps);
    Hash start;
    const std::vector<Vec<3>> positions = simulation_->positions();
    start.add(positions.data(), sizeof(Vec<3>) * positions.size());
    for (const BodyView& body : simulation_->bodies()) start.add(&body.kind, sizeof body.kind);
    start_ = start.value();
    if (controls) {
      value_or_throw(check_result_folder(*controls, "stats.jsonl"), "ResultError");
      value_or_throw(simulation_->schedule_controls(read_controls(*controls)), "ResultError");
    }
    if (claim) {
      value_or_throw(open_log(*folder / "log.txt"), "ResultError");
      log_info("clearance {} from Python, {} threads", CLEARANCE_VERSION, num_threads());
      Run run = value_or_throw(Run::begin(*simulation_, *claim, {num_steps, false}, observer()), "ResultError");
      if (!run.errors().empty()) throw Refusal{"ResultError", run.errors()};
      output_.emplace(Output{std::move(*claim), std::move(run)});
    } else {
      watch_.emplace(*simulation_);
    }
  } catch (const Refusal&) {
    if (claim) claim->withdraw({"log.txt"});
    throw;
  } catch (const Stopped&) {
    if (claim) claim->withdraw({"log.txt"});
    throw;
  }
}

RunObserver Stepper::observer() {
  RunObserver observer;
  observer.on_iteration = [this](int, int iteration, double residual) { hear_iteration(iteration, residual); };
  observer.is_stop_wanted = [this] { return is_stop_wanted(); };
  observer.on_warning = [this](const Issue& warning) { told_.push_back({"missing_frames", warning.message}); };
  return observer;
}

void Stepper::hear_iteration(int iteration, double residual) {
  if (error_ || on_iteration_.is_none()) return;
  const py::gil_scoped_acquire acquire;
  try {
    on_iteration_(iteration, residual);
  } catch (py::error_already_set& error) {
    error_.emplace(std::move(error));
  }
}

bool Stepper::is_stop_wanted() {
  if (error_) return true;
  const Clock::time_point now = Clock::now();
  if (now - last_signal_check_ < signal_interval) return false;
  last_signal_check_ = now;
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) error_.emplace();
  return error_.has_value();
}

py::object Stepper::step(const py::object& on_iteration) {
  const Simulation& simulation = this->simulation();
  if (is_done()) {
    throw std::runtime_error(has_failed_
                                 ? "step " + std::to_string(num_steps_done_ + 1) + " could not be taken: " + failure_
                                 : "all " + std::to_string(num_steps_) + " steps are done");
  }
  if (!on_iteration.is_none() && !PyCallable_Check(on_iteration.ptr())) {
    throw py::type_error("on_iteration: expected a function of (iteration, residual) or None");
  }
  StepReport report;
  {
    struct Busy {
      explicit Busy(Stepper& owner) : stepper(owner) { stepper.is_busy_ = true; }
      ~Busy() {
        stepper.is_busy_ = false;
        stepper.on_iteration_ = py::none();
      }
      Stepper& stepper;
    } busy(*this);
    on_iteration_ = on_iteration;
    last_signal_check_ = Clock::now();
    const py::gil_scoped_release release;
    const ThreadLimit limit(threads_);
    if (output_) {
      report = output_->run.step();
    } else {
      report = simulation_->step([this](int iteration, double residual) { hear_iteration(iteration, residual); },
                                 [this] { return is_stop_wanted(); });
    }
  }
  if (error_) {
    py::error_already_set error = std::move(*error_);
    error_.reset();
    // A callback may also have raised in the last iteration of a step that could not be taken.
    if (report.status == StepStatus::stopped) throw error;
    error.restore();
    PyErr_WriteUnraisable(on_iteration.ptr());
  }
  refresh();
  if (output_ && !output_->run.errors().empty() && report.is_advanced()) {
    has_failed_ = true;
    failure_ = to_string(output_->run.errors().front());
    throw Refusal{"ResultError", output_->run.errors()};
  }
  StepRecord record = output_ && report.is_advanced() ? output_->run.last_record() : record_of(simulation, report);
  if (watch_) watch_->add_step(simulation, report, record);
  py::object result = py::cast(std::move(record));
  if (!report.is_advanced()) {
    has_failed_ = true;
    failure_ = to_string(report.status) + ": " + report.limited_by;
    const py::object error_class = py::module_::import("clearance.errors").attr("StepError");
    PyErr_SetObject(error_class.ptr(), error_class(result).ptr());
    throw py::error_already_set();
  }
  return result;
}

std::vector<RunWarning> Stepper::run_warnings() const {
  if (is_closed_) return last_warnings_;
  simulation();
  std::vector<RunWarning> warnings = told_;
  const std::vector<RunWarning> of_steps = output_ ? output_->run.warnings() : watch_->warnings(*simulation_);
  warnings.insert(warnings.end(), of_steps.begin(), of_steps.end());
  return warnings;
}

void Stepper::close() {
  if (is_closed_) return;
  if (is_busy_) throw std::runtime_error("the simulation is in a step and cannot be closed");
  last_warnings_ = run_warnings();
  is_closed_ = true;
  if (!output_) return;
  RunOutcome outcome;
  {
    const py::gil_scoped_release release;
    const ThreadLimit limit(threads_);
    outcome = output_->run.finish();
  }
  output_.reset();
  if (outcome.end == RunEnd::failed_writing && !has_failed_) throw Refusal{"ResultError", outcome.errors};
}

void Stepper::restore(const SavedState& saved) {
  simulation();
  if (output_) {
    throw std::runtime_error(
        "a simulation with a result folder can only go forward; restore the state in a simulation without `output`");
  }
  if (saved.start != start_) {
    throw Refusal{"SceneError",
                  {{"", "", "",
                    "the saved state does not belong to this scene: its bodies have other shapes, kinds or places at "
                    "the start"}}};
  }
  value_or_throw(simulation_->restore(saved.state), "SceneError");
  has_failed_ = false;
  watch_.emplace(*simulation_);  // the steps until now belong to another run
  refresh();
}

py::dict Stepper::controls() const {
  py::dict controls;
  for (const auto& [name, value] : simulation().controls()) controls[py::str(name)] = value;
  return controls;
}

void Stepper::set_control(const std::string& name, double value) {
  simulation();
  value_or_throw(simulation_->set_control(name, value), "SceneError");
}

void Stepper::aim(int body, const Array<double>& positions) {
  simulation();
  value_or_throw(simulation_->aim(body, points_of(positions)), "SceneError");
}

void Stepper::apply_forces(const Array<double>& forces) {
  simulation();
  value_or_throw(simulation_->apply_forces(points_of(forces)), "SceneError");
}

void Stepper::apply_wrench(int body, const Vec<3>& force, const Vec<3>& torque) {
  simulation();
  value_or_throw(simulation_->apply_wrench(body, force, torque), "SceneError");
}

const char* kind_name(BodyKind kind) {
  return enum_name(kind).data();
}

py::slice slice_of(const IndexRange& range) {
  return {range.first, range.end(), 1};
}

py::object pose_of(const Stepper& stepper, int body) {
  const Simulation& simulation = stepper.simulation();
  if (body < 0 || body >= static_cast<int>(simulation.bodies().size())) throw py::index_error("no such body");
  const std::optional<Eigen::Matrix4d> pose = simulation.pose(body);
  if (!pose) return py::none();
  Array<double> array({4, 4});
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) array.mutable_at(i, j) = (*pose)(i, j);
  }
  return array;
}

Vec<3> vector_of(const Array<double>& array) {
  if (array.size() != 3) throw py::value_error("expected three numbers");
  return {array.data()[0], array.data()[1], array.data()[2]};
}

/// Returns values and rates of all joints.
py::tuple joints_of(const Stepper& stepper) {
  std::vector<double> values, rates;
  for (const JointState& joint : stepper.simulation().joint_states()) {
    values.push_back(joint.value);
    rates.push_back(joint.rate);
  }
  return py::make_tuple(array_of(values), array_of(rates));
}

py::dict contacts_of(const Stepper& stepper) {
  const std::vector<ContactPair> pairs = stepper.simulation().contacts();
  const auto count = static_cast<py::ssize_t>(pairs.size());
  Array<int> bodies({count, py::ssize_t{2}}), vertices({count, py::ssize_t{4}}), num_first(count);
  Array<double> gap(count), normal({count, py::ssize_t{3}}), force({count, py::ssize_t{3}});
  for (py::ssize_t k = 0; k < count; ++k) {
    const ContactPair& pair = pairs[k];
    std::copy_n(pair.bodies.data(), 2, bodies.mutable_data(k, 0));
    std::copy_n(pair.vertices.data(), 4, vertices.mutable_data(k, 0));
    std::copy_n(pair.normal.data(), 3, normal.mutable_data(k, 0));
    std::copy_n(pair.force.data(), 3, force.mutable_data(k, 0));
    num_first.mutable_at(k) = pair.num_first;
    gap.mutable_at(k) = pair.distance;
  }
  py::dict contacts;
  contacts["bodies"] = bodies;
  contacts["vertices"] = vertices;
  contacts["num_first"] = num_first;
  contacts["gap"] = gap;
  contacts["normal"] = normal;
  contacts["force"] = force;
  return contacts;
}

/// Returns a checkpoint in the form that Python's pickle stores.
py::tuple pickled(const SavedState& saved) {
  const Checkpoint checkpoint = checkpoint_of(saved.state);
  py::dict arrays;
  for (const auto& [name, values] : checkpoint.arrays) arrays[name.c_str()] = array_of(values);
  return py::make_tuple(checkpoint.step, checkpoint.time, arrays, saved.start);
}

SavedState unpickled(int step, double time, const std::map<std::string, Array<double>>& arrays, std::uint64_t start) {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.time = time;
  for (const auto& [name, array] : arrays) checkpoint.arrays[name] = {array.data(), array.data() + array.size()};
  return {state_of(checkpoint), start};
}

py::dict dict_of(const auto& pairs) {
  py::dict dict;
  for (const auto& [name, value] : pairs) dict[py::str(name)] = value;
  return dict;
}

/// Returns the line of stats.jsonl, as Python reads it.
py::object columns_of(const StepRecord& record) {
  return py::module_::import("json").attr("loads")(stats_line(record));
}

/// Returns a column of the line that many steps lack; `otherwise` if this one does.
template <class T>
auto column(const char* name, T otherwise) {
  return [name, otherwise](const StepRecord& record) -> py::object {
    return columns_of(record).attr("get")(name, otherwise());
  };
}

void bind_report(py::module_& module) {
  const auto none = [] { return py::object(py::none()); };
  const auto empty_dict = [] { return py::object(py::dict()); };
  const auto empty_list = [] { return py::object(py::list()); };
  sealed_class<StepRecord>(module, "StepReport", "What a step did: the columns of stats.jsonl (docs/results.md).")
      .def_readonly("step", &StepRecord::step, "Number of the step, from 1.")
      .def_readonly("time", &StepRecord::time, "[s] At its end.")
      .def_readonly("status", &StepRecord::status, "`converged`, or why it is not.")
      .def_property_readonly("converged", [](const StepRecord& r) { return r.status == "converged"; })
      .def_readonly("newton_iterations", &StepRecord::newton_iterations)
      .def_readonly("partial_iterations", &StepRecord::partial_iterations)
      .def_readonly("contacts", &StepRecord::contacts, "Number of contacts at its end.")
      .def_readonly("min_distance", &StepRecord::min_distance, "[m] Smallest gap; inf: nothing is near.")
      .def_readonly("residual", &StepRecord::residual, "[m/s] Of the last direction.")
      .def_readonly("imbalance", &StepRecord::imbalance, "Share of the forces at work that is not balanced.")
      .def_readonly("kappa", &StepRecord::kappa)
      .def_readonly("friction_work", &StepRecord::friction_work, "[J] Taken out by friction in this step.")
      .def_readonly("limited_by", &StepRecord::limited_by)
      .def_readonly("smallest_alpha", &StepRecord::smallest_alpha)
      .def_readonly("state_hash", &StepRecord::state_hash)
      .def_property_readonly(
          "energy", [](const StepRecord& r) { return dict_of(r.energy); }, "[J] By name.")
      .def_property_readonly(
          "account", [](const StepRecord& r) { return dict_of(r.account); }, "[J] By name.")
      .def_property_readonly(
          "seconds", [](const StepRecord& r) { return dict_of(r.seconds); }, "[s] By stage.")
      .def_property_readonly("counters", [](const StepRecord& r) { return dict_of(r.counters); })
      .def_property_readonly(
          "momentum",
          [](const StepRecord& r) {
            py::dict momentum;
            for (const auto& [name, v] : r.momentum) momentum[py::str(name)] = py::make_tuple(v[0], v[1], v[2]);
            return momentum;
          },
          "[N s] By name.")
      .def_property_readonly("columns", &columns_of, "The line of stats.jsonl as a dict.")
      .def_readonly("parts", &StepRecord::parts, "Number of steps that it was taken in.")
      .def_readonly("inaccurate", &StepRecord::inaccurate, "Number of these that `time.accuracy` is not kept in.")
      .def_readonly("time_error", &StepRecord::time_error,
                    "Largest error of a part, as a share of a body's momentum, with `time.accuracy`.")
      .def_property_readonly("frame", column("frame", none), "File of the frame that was stored, or None.")
      .def_property_readonly("controls", column("controls", empty_dict), "Values of the controls by name.")
      .def_property_readonly("gained", column("gained", none), "Share of energy that the integrator added, and body.")
      .def_property_readonly("lost", column("lost", none), "Share of energy that the integrator removed, and body.")
      .def_property_readonly("strained", column("strained", none), "Joint that is most out of place, or None.")
      .def_property_readonly("coarse", column("coarse", none), "Bodies that moved far past each other, or None.")
      .def_property_readonly("turned", column("turned", none), "Stiff body that turned far, or None.")
      .def_property_readonly("stiff_strain", column("stiff_strain", none), "Stiff body that was strained, or None.")
      .def_property_readonly("large_rotation", column("large_rotation", none), "Linear body that turned far, or None.")
      .def_property_readonly("contact_gap", column("contact_gap", none),
                             "Of quasi-static steps with contact; else None.")
      .def_property_readonly("curved", column("curved", none), "Of scenes with contact.separate_curved; else None.")
      .def_property_readonly("remesh", column("remesh", empty_dict), "Of scenes whose elements adapt; else empty.")
      .def_property_readonly("iterations", column("iterations", empty_list), "Of scenes with output.iterations.")
      .def("__repr__", [](const StepRecord& r) {
        return fmt::format("<step {}: {} after {} Newton iterations, t = {:g} s>", r.step, r.status,
                           r.newton_iterations, r.time);
      });
}

}  // namespace

namespace {

py::dict separation_of(const Separation& separation) {
  py::list overlaps, moves;
  for (const Separation::Overlap& overlap : separation.overlaps) {
    py::dict entry;
    entry["bodies"] = py::make_tuple(overlap.first, overlap.second);
    entry["depth"] = overlap.depth;
    overlaps.append(entry);
  }
  for (const Separation::Move& move : separation.moves) {
    py::dict entry;
    entry["body"] = move.body;
    entry["distance"] = move.distance;
    entry["bending"] = move.bending;
    moves.append(entry);
  }
  py::dict result;
  result["overlaps"] = overlaps;
  result["moves"] = moves;
  return result;
}

}  // namespace

void bind_simulation(py::module_& module) {
  bind_report(module);
  module.def("make_state", &unpickled, py::arg("step"), py::arg("time"), py::arg("arrays"), py::arg("start"));
  sealed_class<SavedState>(module, "State", "Everything that a restart needs; can be pickled.")
      .def_property_readonly("step", [](const SavedState& s) { return s.state.step; })
      .def_property_readonly(
          "time", [](const SavedState& s) { return s.state.time; }, "[s]")
      .def("__reduce__", [](const SavedState& s) {
        // Pickle finds only functions that are defined in Python.
        return py::make_tuple(py::module_::import("clearance.simulation").attr("_make_state"), pickled(s));
      });
  module.def(
      "make_stepper",
      [](const LoadedScene& scene, std::optional<fs::path> folder, const std::string& use, int threads,
         std::optional<int> num_steps, const std::optional<fs::path>& controls) {
        return std::make_unique<Stepper>(scene, std::move(folder), use, threads, num_steps, controls);
      },
      py::arg("scene"), py::arg("folder"), py::arg("use"), py::arg("threads"), py::arg("num_steps"),
      py::arg("controls"));
  sealed_class<Stepper>(module, "Stepper")
      .def("step", &Stepper::step, py::arg("on_iteration"))
      .def("close", &Stepper::close)
      .def_property_readonly("closed", &Stepper::is_closed)
      .def_property_readonly("done", &Stepper::is_done)
      .def_property_readonly("step_number", &Stepper::num_steps_done)
      .def_property_readonly("num_steps", &Stepper::num_steps)
      .def_property_readonly("units", &Stepper::units)
      .def_property_readonly("time", &Stepper::time)
      .def_property_readonly("positions", &Stepper::positions)
      .def_property_readonly("velocities", &Stepper::velocities)
      .def_property_readonly("contact_forces",
                             [](const Stepper& s) { return array_of(s.simulation().contact_forces()); })
      .def_property_readonly("contacts", &contacts_of)
      .def_property_readonly("adapts", &Stepper::adapts)
      .def_property_readonly(
          "bodies",
          [](const Stepper& s) {
            py::list bodies;
            for (const BodyView& body : s.bodies()) {
              bodies.append(py::make_tuple(body.name, kind_name(body.kind), slice_of(body.vertices), body.entry));
            }
            return bodies;
          })
      .def("pose", &pose_of, py::arg("body"))
      .def_property_readonly("frame", [](const Stepper& s) { return s.simulation().frame(); })
      .def_property_readonly("probes",
                             [](const Stepper& s) {
                               py::dict probes;
                               const std::vector<double> values = s.simulation().probe_values();
                               const std::vector<std::string>& columns = s.simulation().probe_columns();
                               for (std::size_t k = 0; k < values.size(); ++k) probes[py::str(columns[k])] = values[k];
                               return probes;
                             })
      .def_property_readonly("probe_rows",
                             [](const Stepper& s) {
                               py::list rows;
                               for (const ProbeRow& row : s.simulation().probe_rows()) {
                                 rows.append(py::make_tuple(row.time, row.values));
                               }
                               return rows;
                             })
      .def_property_readonly("separation", [](const Stepper& s) { return separation_of(s.simulation().separation()); })
      .def_property_readonly("scene_warnings", [](const Stepper& s) { return problems_of(s.scene_warnings()); })
      .def_property_readonly("run_warnings", [](const Stepper& s) { return problems_of(s.run_warnings()); })
      .def_property_readonly("state_hash", [](const Stepper& s) { return s.simulation().state_hash(); })
      .def_property_readonly("controls", &Stepper::controls)
      .def("set_control", &Stepper::set_control, py::arg("name"), py::arg("value"))
      .def_property_readonly("joints", &joints_of)
      .def_property_readonly("joint_strain",
                             [](const Stepper& s) {
                               const JointStrain strain = s.simulation().joint_strain();
                               return py::make_tuple(strain.share, strain.joint);
                             })
      .def("aim", &Stepper::aim, py::arg("body"), py::arg("positions"))
      .def("apply_forces", &Stepper::apply_forces, py::arg("forces"))
      .def(
          "apply_wrench",
          [](Stepper& s, int body, const Array<double>& force, const Array<double>& torque) {
            s.apply_wrench(body, vector_of(force), vector_of(torque));
          },
          py::arg("body"), py::arg("force"), py::arg("torque"))
      .def("save_state", &Stepper::save_state)
      .def("restore", &Stepper::restore, py::arg("state"));
}

}  // namespace clearance::python
