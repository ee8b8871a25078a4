#include "clearance/io/result/step_record.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace clearance {

namespace {

using Json = nlohmann::ordered_json;

/// The text of a JSON object that grows key by key. Building the object in memory first and writing it then took 7 % of
/// the time of small scenes.
class ObjectText {
 public:
  explicit ObjectText(std::string& text) : text_(text) { text_ += '{'; }
  ObjectText(const ObjectText&) = delete;
  ObjectText& operator=(const ObjectText&) = delete;
  ~ObjectText() { text_ += '}'; }

  /// Adds a number; infinity and NaN, which JSON does not have, become null.
  void add(std::string_view key, double value) {
    begin(key);
    put(value);
  }
  void add(std::string_view key, long value) {
    begin(key);
    text_ += std::to_string(value);
  }
  void add(std::string_view key, int value) { add(key, long{value}); }
  void add(std::string_view key, bool value) {
    begin(key);
    text_ += value ? "true" : "false";
  }
  void add(std::string_view key, const std::string& value) {
    begin(key);
    put(value);
  }
  void add(std::string_view key, const Vec<3>& value) {
    begin(key);
    text_ += '[';
    for (int c = 0; c < 3; ++c) {
      if (c > 0) text_ += ',';
      put(value[c]);
    }
    text_ += ']';
  }
  template <std::size_t n>
  void add(std::string_view key, const std::array<std::string, n>& values) {
    begin(key);
    text_ += '[';
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) text_ += ',';
      put(values[i]);
    }
    text_ += ']';
  }
  void add_null(std::string_view key) {
    begin(key);
    text_ += "null";
  }
  /// Adds an object with these entries.
  template <class T>
  void add(std::string_view key, const std::vector<std::pair<std::string, T>>& entries) {
    begin(key);
    ObjectText object(text_);
    object.add_all(entries);
  }
  template <class T>
  void add_all(const std::vector<std::pair<std::string, T>>& entries) {
    for (const auto& [name, value] : entries) add(name, value);
  }
  /// Adds a key, and returns the text for its value to follow.
  std::string& begin(std::string_view key) {
    if (!is_empty_) text_ += ',';
    is_empty_ = false;
    put(key);
    text_ += ':';
    return text_;
  }

 private:
  void put(double value) {
    if (!std::isfinite(value)) {
      text_ += "null";
      return;
    }
    char digits[64];
    text_.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, value));
  }
  void put(std::string_view value) {
    const auto is_special = [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; };
    if (std::any_of(value.begin(), value.end(), is_special)) {
      text_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
      return;
    }
    text_ += '"';
    text_ += value;
    text_ += '"';
  }

  std::string& text_;
  bool is_empty_ = true;
};

void add_iteration(const StepRecord::Iteration& iteration, ObjectText& json) {
  json.add("residual", iteration.residual);
  json.add("imbalance", iteration.imbalance);
  json.add("exact", iteration.is_exact);
  json.add("alpha_limit", iteration.alpha_limit);
  json.add("alpha", iteration.alpha);
  json.add("contacts", iteration.contacts);
  json.add("entered", iteration.entered);
  json.add("left", iteration.left);
  json.add("moving", iteration.moving);
  json.add("met", iteration.met);
  json.add("foretold", iteration.foretold);
  json.add("min_distance", iteration.min_distance);
  if (!iteration.limited_by.empty()) json.add("limited_by", iteration.limited_by);
  if (!iteration.event.empty()) json.add("event", iteration.event);
}

/// Adds how the step was solved, and its energies.
void add_solve(const StepRecord& record, ObjectText& line) {
  if (record.parts > 1) line.add("parts", record.parts);
  if (record.inaccurate > 0) line.add("inaccurate", record.inaccurate);
  if (record.time_error > 0.0) line.add("time_error", record.time_error);
  line.add("newton_iterations", record.newton_iterations);
  line.add("partial_iterations", record.partial_iterations);
  line.add("contacts", record.contacts);
  line.add("min_distance", record.min_distance);
  line.add("residual", record.residual);
  line.add("kappa", record.kappa);
  line.add("energy", record.energy);
  line.add("friction_work", record.friction_work);
  line.add("imbalance", record.imbalance);
  line.add("account", record.account);
}

/// Adds a share and the name that it belongs to.
void add_share(std::string_view key, std::string_view quantity, double share, std::string_view whose,
               const std::string& name, ObjectText& line) {
  ObjectText object(line.begin(key));
  object.add(quantity, share);
  object.add(whose, name);
}

/// Adds the shares of energy that bodies have gained and lost, and that joints have been strained by.
void add_energy_shares(const StepRecord& record, ObjectText& line) {
  add_share("gained", "share", record.gained.share, "body", record.gained.body, line);
  {
    ObjectText lost(line.begin("lost"));
    lost.add("share", record.lost.share);
    lost.add("body", record.lost.body);
    if (record.lost.hit > 0.0) lost.add("impacts", record.lost.hit);
    if (record.lost.is_driven) lost.add("driven", true);
  }
  if (!record.strained.joint.empty())
    add_share("strained", "share", record.strained.share, "joint", record.strained.joint, line);
}

/// Adds what the watches of the run have found in the step.
void add_watched(const StepRecord& record, ObjectText& line) {
  add_energy_shares(record, line);
  if (record.coarse.share > 0.0) {
    ObjectText coarse(line.begin("coarse"));
    coarse.add("share", record.coarse.share);
    coarse.add("bodies", record.coarse.bodies);
  }
  if (record.turned.angle > 0.0) add_share("turned", "angle", record.turned.angle, "body", record.turned.body, line);
  if (record.stiff_strain.strain > 0.0)
    add_share("stiff_strain", "strain", record.stiff_strain.strain, "body", record.stiff_strain.body, line);
  if (record.large_rotation.angle > 0.0)
    add_share("large_rotation", "angle", record.large_rotation.angle, "body", record.large_rotation.body, line);
  if (!record.contact_gap.bodies.empty()) {
    ObjectText gap(line.begin("contact_gap"));
    gap.add("share", record.contact_gap.share);
    gap.add("gap", record.contact_gap.gap);
    gap.add("force", record.contact_gap.force);
    gap.add("bodies", record.contact_gap.bodies);
    if (!record.contact_gap.deflected.empty()) gap.add("deflected", record.contact_gap.deflected);
  }
  if (!record.unstable.body.empty()) {
    ObjectText unstable(line.begin("unstable"));
    unstable.add("body", record.unstable.body);
    unstable.add("left", record.unstable.is_left);
    unstable.add("quotient", record.unstable.quotient);
  }
  if (!record.free_motion.body.empty()) {
    ObjectText free(line.begin("free_motion"));
    free.add("body", record.free_motion.body);
    free.add("distance", record.free_motion.distance);
  }
  if (!record.curved.body.empty()) {
    ObjectText curved(line.begin("curved"));
    curved.add("distance", record.curved.distance);
    curved.add("share", record.curved.share);
    curved.add("body", record.curved.body);
  }
}

double number_in(const Json& object, const char* key, double otherwise = 0.0) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : otherwise;
}

std::string text_in(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

/// Returns the value of a key; null if there is none.
const Json& value_in(const Json& object, const char* key) {
  static const Json null;
  return object.is_object() && object.contains(key) ? object[key] : null;
}

template <class T>
std::vector<std::pair<std::string, T>> numbers_in(const Json& object) {
  std::vector<std::pair<std::string, T>> numbers;
  if (!object.is_object()) return numbers;
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) numbers.emplace_back(name, value.template get<T>());
  }
  return numbers;
}

}  // namespace

std::string stats_line(const StepRecord& record) {
  std::string text;
  text.reserve(2048);
  {
    ObjectText line(text);
    line.add("step", record.step);
    line.add("time", record.time);
    line.add("status", record.status);
    add_solve(record, line);
    add_watched(record, line);
    if (!record.momentum.empty()) line.add("momentum", record.momentum);
    line.add("seconds", record.seconds);
    line.add("counters", record.counters);
    if (!record.remesh.counts.empty()) {
      ObjectText remesh(line.begin("remesh"));
      remesh.add_all(record.remesh.counts);
      remesh.add_all(record.remesh.numbers);
      remesh.add_all(record.remesh.vectors);
    }
    if (!record.controls.empty()) line.add("controls", record.controls);
    line.add("smallest_alpha", record.smallest_alpha);
    if (!record.limited_by.empty()) line.add("limited_by", record.limited_by);
    if (!record.iterations.empty()) {
      line.begin("iterations") += '[';
      for (std::size_t i = 0; i < record.iterations.size(); ++i) {
        if (i > 0) text += ',';
        ObjectText iteration(text);
        add_iteration(record.iterations[i], iteration);
      }
      text += ']';
    }
    if (record.has_frame) {
      line.add("frame", frame_file(record.step));
    } else {
      line.add_null("frame");
    }
    line.add("state_hash", record.state_hash);
  }
  return text;
}

StepRecord record_of_line(const Json& line) {
  StepRecord record;
  if (!line.is_object()) return record;
  record.time = number_in(line, "time");
  record.status = text_in(line, "status");
  record.newton_iterations = static_cast<int>(number_in(line, "newton_iterations"));
  record.min_distance = number_in(line, "min_distance", infinity);
  record.inaccurate = static_cast<int>(number_in(line, "inaccurate"));
  record.time_error = number_in(line, "time_error");
  record.limited_by = text_in(line, "limited_by");
  record.seconds = numbers_in<double>(value_in(line, "seconds"));
  record.energy = numbers_in<double>(value_in(line, "energy"));
  record.account = numbers_in<double>(value_in(line, "account"));
  const Json &gained = value_in(line, "gained"), &lost = value_in(line, "lost");
  record.gained = {number_in(gained, "share"), text_in(gained, "body")};
  record.lost = {number_in(lost, "share"), text_in(lost, "body"), number_in(lost, "impacts"),
                 !value_in(lost, "driven").is_null()};
  const Json &strained = value_in(line, "strained"), &coarse = value_in(line, "coarse");
  record.strained = {number_in(strained, "share"), text_in(strained, "joint")};
  record.coarse.share = number_in(coarse, "share");
  if (const Json& bodies = value_in(coarse, "bodies"); bodies.is_array()) {
    for (std::size_t i = 0; i < std::min(bodies.size(), record.coarse.bodies.size()); ++i) {
      if (bodies[i].is_string()) record.coarse.bodies[i] = bodies[i].get<std::string>();
    }
  }
  const Json &turned = value_in(line, "turned"), &rotation = value_in(line, "large_rotation");
  record.turned = {number_in(turned, "angle"), text_in(turned, "body")};
  record.large_rotation = {number_in(rotation, "angle"), text_in(rotation, "body")};
  const Json &strain = value_in(line, "stiff_strain"), &curved = value_in(line, "curved");
  record.stiff_strain = {number_in(strain, "strain"), text_in(strain, "body")};
  record.curved = {number_in(curved, "distance"), number_in(curved, "share"), text_in(curved, "body")};
  const Json& gap = value_in(line, "contact_gap");
  record.contact_gap = {number_in(gap, "share"), number_in(gap, "gap"), number_in(gap, "force"), text_in(gap, "bodies"),
                        text_in(gap, "deflected")};
  const Json& unstable = value_in(line, "unstable");
  record.unstable = {text_in(unstable, "body"), value_in(unstable, "left") == true, number_in(unstable, "quotient")};
  const Json& free = value_in(line, "free_motion");
  record.free_motion = {text_in(free, "body"), number_in(free, "distance")};
  const Json& remesh = value_in(line, "remesh");
  record.remesh.counts = numbers_in<long>(remesh);
  record.remesh.numbers = numbers_in<double>(remesh);
  return record;
}

}  // namespace clearance
