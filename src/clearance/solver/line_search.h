// Follows directions: as far as they are feasible and lower the energy [Fer23, alg. 2.1], and where that crawls in two
// other ways: beyond Newton's direction, and on detours.
#pragma once

#include "clearance/solver/direction_bound.h"

namespace clearance {

template <int dim>
class LineSearch {
 public:
  LineSearch(const StepInputs<dim>& in, StepProblem<dim>& problem, DirectionBound<dim>& bound, StepLog& log)
      : in_(in), problem_(problem), bound_(bound), log_(log) {}

  /// Returns the multiple of Newton's next direction that is to be tried. `is_exact`: by the exact Hessian.
  double choose_reach(const NewtonState& at, bool is_exact);
  /// Moves the point along that multiple, of which `feasible` says how much is feasible. `gradient` is the assembled
  /// one. The fractions returned are those of Newton's direction.
  Followed follow(const Direction& feasible, const VecX& gradient, NewtonState& at);
  /// Records that the last direction was followed in another way.
  void skip(const NewtonState& at);

  /// True on a detour, where the energy may be above that at its start: a step must not end there.
  bool is_on_detour() const { return detour_.length > 0; }
  /// Goes back to the start of the detour.
  void give_up_detour(Point& point);

 private:
  /// Multiple of the length of a direction that is tried. Where the objective curves down, projected Hessians take it
  /// for steep, and directions leave the saddle by steps that grow by a hundredth each: a mat that bends over a knife
  /// needed 90. As long as whole directions leave imbalance and length as they are, twice as much is tried; the line
  /// search finds the part of it that lowers the energy.
  struct Reach {
    double tried = 1.0;
    double taken = 0.0, imbalance = 0.0, residual = 0.0;  // of the last direction
  };
  /// State of a detour. Contacts that slide along curved surfaces bend away from a straight direction: its end has a
  /// higher energy, and the line search cuts it again and again (the Maratos effect). Then the direction is taken as
  /// far as it is feasible, whatever the energy. The next directions must lead below its start, or the search goes back
  /// there (the watchdog technique of [Cha82]).
  struct Detour {
    Point start;
    VecX gradient;
    Direction direction;
    int length = 0;  // iterations so far; 0: none under way
    bool is_allowed = true;
    bool is_wanted = false;  // the last line search cut its direction to pieces
  };

  void measure_reach(const NewtonState& at, Followed& followed);
  double halve(const Iterate& from, const VecX& gradient, double alpha, Direction& direction);
  bool search(Direction direction, const VecX& gradient, Point& point, Followed& followed);
  bool is_decrease_hidden(double magnitude, const Iterate& trial, const VecX& dy, double slope, double change) const;
  bool start_detour(const Direction& direction, const VecX& gradient, Point& point, Followed& followed);
  bool end_detour(bool has_moved, Point& point, Followed& followed);

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  DirectionBound<dim>& bound_;
  StepLog& log_;
  Reach reach_;
  Detour detour_;
};

}  // namespace clearance
