// A choice among structs with fields of their own, which stand in one object: the name of the alternative, then the
// fields of all alternatives, each key once. The keys that the chosen alternative does not have go to `unchosen` of the
// visitor, with their defaults; for a visitor without such a function they are fields.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "clearance/scene/field.h"

namespace clearance {

/// Hands on the field with one key.
template <class Visitor>
class FieldFinder {
 public:
  FieldFinder(Visitor& visitor, std::string_view wanted) : visitor_(visitor), wanted_(wanted) {}
  template <class T>
  void field(const char* key, T& value, const Field& field) {
    if (key != wanted_) return;
    has_found_ = true;
    visitor_.field(key, value, field);
  }
  bool has_found() const { return has_found_; }

 private:
  Visitor& visitor_;
  std::string_view wanted_;
  bool has_found_ = false;
};

/// Visits the fields of one alternative after the other.
template <class Visitor, class Choice>
class ChoiceFields {
 public:
  ChoiceFields(Visitor& visitor, Choice& choice, std::string_view name)
      : visitor_(visitor), choice_(choice), name_(name) {}

  template <std::size_t... i>
  void visit(std::index_sequence<i...>) {
    (visit_alternative<std::variant_alternative_t<i, Choice>>(), ...);
  }
  template <class T>
  void field(const char* key, T& unused, const Field& field) {
    if (std::find(done_.begin(), done_.end(), key) != done_.end()) return;
    done_.emplace_back(key);
    FieldFinder<Visitor> finder(visitor_, key);
    std::visit([&](auto& chosen) { describe(finder, chosen); }, choice_);
    if (finder.has_found()) return;
    if constexpr (requires { visitor_.unchosen(key, unused, field, name_); }) {
      visitor_.unchosen(key, unused, field, name_);
    } else {
      visitor_.field(key, unused, field);
    }
  }

 private:
  template <class Alternative>
  void visit_alternative() {
    Alternative defaults{};
    describe(*this, defaults);
  }

  Visitor& visitor_;
  Choice& choice_;
  std::string_view name_;  // of the chosen alternative
  std::vector<std::string_view> done_;
};

/// Makes the alternative with this index, with its defaults.
template <class Choice, std::size_t... i>
Choice alternative_at(std::size_t index, std::index_sequence<i...>) {
  Choice choice;
  ((index == i ? void(choice.template emplace<i>()) : void()), ...);
  return choice;
}

/// Describes a choice whose alternatives `Enum` names in their order; the name stands under `key`.
template <NamedEnum Enum, class Visitor, class... Alternatives>
void describe_choice(Visitor& v, const char* key, std::variant<Alternatives...>& choice, const Field& field) {
  using Choice = std::variant<Alternatives...>;
  const auto all = std::index_sequence_for<Alternatives...>();
  auto name = static_cast<Enum>(choice.index());
  v.field(key, name, field);
  // A visitor that reads has chosen.
  if (static_cast<std::size_t>(name) != choice.index()) {
    choice = alternative_at<Choice>(static_cast<std::size_t>(name), all);
  }
  ChoiceFields<Visitor, Choice>(v, choice, enum_name(name)).visit(all);
}

}  // namespace clearance
