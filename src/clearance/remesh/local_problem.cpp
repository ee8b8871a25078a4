#include "clearance/remesh/local_problem.h"

#include <algorithm>
#include <cmath>

#include "clearance/bodies/fem/fem_body.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/solver/barrier_stiffness.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/solver/impacts.h"
#include "clearance/solver/line_search.h"
#include "clearance/solver/moving_part.h"
#include "clearance/solver/newton_system.h"

namespace clearance {

namespace {

/// A solve ends when the direction is shorter than this fraction of the mean edge.
constexpr double converged_share = 1e-5;

template <int dim>
TimeIntegrator restarted_method(const RemeshInputs<dim>& in, int body) {
  // Without a history of the body's blocks there is nothing to extrapolate from.
  const auto is_of_body = [&](std::size_t block) { return in.model.body_of_block[block] == body; };
  for (std::size_t b = 0; b < in.model.body_of_block.size(); ++b) {
    if (is_of_body(b) && (in.state.has_history.empty() || in.state.has_history[b] == 0)) {
      return TimeIntegrator::implicit_euler;
    }
  }
  if (!in.options.has_contact) return TimeIntegrator::bdf2;
  // Predict the end of the step without contact and see what the bodies hit on the way there.
  VecX x = predict(in.options.integrator, in.state).x_tilde;
  for (std::size_t b = 0; b < in.model.is_always_prescribed.size(); ++b) {
    if (in.model.is_always_prescribed[b]) block<dim>(x, static_cast<int>(b)) = block<dim>(in.x1, static_cast<int>(b));
  }
  const auto broad_phase = make_broad_phase(dim, in.model.surface);
  const std::vector<char> is_hit = find_impacts<dim>(in.model, in.options, *broad_phase, in.state.x, x).is_hit;
  for (std::size_t b = 0; b < is_hit.size(); ++b) {
    if (is_hit[b] && is_of_body(b)) return TimeIntegrator::implicit_euler;
  }
  return TimeIntegrator::bdf2;
}

}  // namespace

template <int dim>
IntegratorOptions local_integrator(const RemeshInputs<dim>& in, int body) {
  IntegratorOptions integrator = in.options.integrator;
  if (has_restarts(integrator.method)) integrator.method = restarted_method<dim>(in, body);
  return integrator;
}

template <int dim>
LocalSetting<dim>::LocalSetting(const RemeshInputs<dim>& inputs, const AdaptingBody<dim>& adapting,
                                const SceneSurfaces<dim>& scene, const OwnSurface<dim>& own_surface)
    : in(inputs),
      body(adapting),
      surroundings(scene),
      own(own_surface),
      options(inputs.options),
      friction(inputs.model.friction) {
  // Local solves use the step's objective with their own convergence criterion.
  options.integrator = local_integrator<dim>(in, body.body);
  options.convergence = Convergence::published;
  scale = predict(options.integrator, in.state).scale;
  // If every step chooses its stiffness, use that of the last step, or the initial one.
  const bool is_per_contact = make_contact_model<dim>(in.model, options.barrier)->has_stiffness();
  const BarrierStiffness stiffness(in.model, in.options, is_per_contact, true);
  if (stiffness.is_adaptive()) {
    options.kappa.fixed = in.state.kappa > 0.0 ? in.state.kappa * scale : stiffness.initial();
  }
  // Friction is lagged as in the step. The first step may still be without friction.
  is_friction_at_x1 = in.options.friction.iterations != 1;
  if (in.options.convergence == Convergence::forces && in.state.step == 0 && !is_friction_at_x1) {
    for (FrictionCoefficients& mu : friction.of_class) mu = {};
    for (auto& mu : friction.of_half_space) mu = FrictionCoefficients{};
    friction.of_pair.clear();
  }
}

// --- the model of a scope ---

template <int dim>
struct LocalProblem<dim>::Impl {
  Impl(const LocalSetting<dim>& local_setting, const Scope& scope, const ContactRegion<dim>* region)
      : setting(local_setting),
        options(local_setting.options),
        own(local_setting.body, scope, own_part(scope, region)) {
    options.has_contact = region != nullptr;
    if (region != nullptr) {
      allowance = region->allowance;
      add_surfaces(*region);
    }
    const auto& at_rest = setting.in.model.contact_at_rest;
    if (at_rest) model.contact_at_rest = at_rest->restricted_to(contact_part);
    add_state();
    hold_fixed();
  }

  /// Finds the body's own surface in the region; returns its vertices.
  std::vector<int> own_part(const Scope& scope, const ContactRegion<dim>* region) {
    if (region != nullptr) own_surface = setting.own.part(region->extent, scope.facets, own_surface_vertices);
    return own_surface_vertices;
  }

  /// Adds the surfaces in the region, body by body, with the numbers of their bodies in the scene.
  void add_surfaces(const ContactRegion<dim>& region) {
    model.surface_map = SurfaceMap(dim);
    for (int b = 0; b < setting.surroundings.num_bodies(); ++b) {
      if (b == setting.body.body) {
        std::vector<int> blocks;
        for (const int v : own_surface_vertices) blocks.push_back(own.block_of(v));
        add_surface(own_surface, blocks);
        continue;
      }
      // Nodes of other bodies become held blocks after those of the body.
      const BodySurface<dim> part = setting.surroundings.part(b, region.extent);
      if (part.nodes.empty()) continue;
      std::vector<int> blocks;
      for (const SurfaceNode<dim>& node : part.nodes) {
        blocks.push_back(own.num_vertices() + static_cast<int>(held.size()));
        held.push_back(node);
      }
      add_surface(part, blocks);
    }
    model.half_spaces = setting.in.model.half_spaces;
    model.friction = setting.friction;
  }

  void add_surface(const BodySurface<dim>& part, const std::vector<int>& blocks) {
    const Model& whole = setting.in.model;
    SurfaceTopology& surface = model.surface;
    // Each node copies the contact data of the vertex that it is like.
    const int first = surface.num_vertices;
    surface.num_vertices += static_cast<int>(part.nodes.size());
    const auto copy = [](const auto& from, auto& to, std::size_t at) {
      if (!from.empty()) to.push_back(from[at]);
    };
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
      const std::size_t like = part.nodes[i].like;
      surface.vertex_body.push_back(whole.surface.vertex_body[like]);
      surface.vertex_group.push_back(whole.surface.vertex_group[like]);
      model.is_obstacle_vertex.push_back(whole.is_obstacle_vertex[like]);
      model.surface_map.add_vertex(blocks[i]);
      copy(whole.contact_scales.dhat, model.contact_scales.dhat, like);
      copy(whole.contact_scales.compliance, model.contact_scales.compliance, like);
      copy(whole.contact_scales.eps_v, model.contact_scales.eps_v, like);
      copy(whole.contact_scales.stick, model.contact_scales.stick, like);
      contact_part.vertices.push_back({part.nodes[i].like, part.nodes[i].area});
    }
    // Edges, triangles and friction history follow, with vertex numbers shifted.
    for (const SurfaceEdge& edge : part.edges) {
      surface.edges.push_back({first + edge.ends[0], first + edge.ends[1]});
      model.edge_rest_length_sq.push_back(edge.rest_length_sq);
      contact_part.edges.push_back(edge.rest);
    }
    for (const auto& t : part.triangles) surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    contact_part.triangles.insert(contact_part.triangles.end(), part.triangles_at_rest.begin(),
                                  part.triangles_at_rest.end());
    for (const StickVertex& stick : part.stick) {
      state.stick.push_back({first + stick.vertex, stick.partner, stick.displacement});
    }
    surface.ignored_pairs = whole.surface.ignored_pairs;
  }

  void add_state() {
    const auto count = static_cast<Eigen::Index>(own.vertices.size() + held.size());
    const State& whole = setting.in.state;
    for (VecX* x : {&x1, &state.x, &state.v}) x->setZero(dim * count);
    if (whole.a.size() > 0) state.a.setZero(dim * count);
    const bool has_previous = whole.x_prev.size() > 0 && options.integrator.method != TimeIntegrator::implicit_euler;
    if (has_previous) {
      state.x_prev.setZero(dim * count);
      state.v_prev.setZero(dim * count);
    }
    // Vertices of the body take their fields from its nodes.
    for (int i = 0; i < own.num_vertices(); ++i) {
      const auto& fields = setting.body.fields[own.vertices[i]];
      block<dim>(x1, i) = fields.x1;
      block<dim>(state.x, i) = fields.x0;
      block<dim>(state.v, i) = fields.v;
      if (state.a.size() > 0) block<dim>(state.a, i) = fields.a;
      if (!has_previous) continue;
      block<dim>(state.x_prev, i) = fields.x_prev;
      block<dim>(state.v_prev, i) = fields.v_prev;
    }
    // Held nodes take the fields of their surface.
    for (std::size_t k = 0; k < held.size(); ++k) {
      const int i = own.num_vertices() + static_cast<int>(k);
      block<dim>(x1, i) = held[k].x1;
      block<dim>(state.x, i) = held[k].x0;
      block<dim>(state.v, i) = held[k].v;
      if (has_previous) block<dim>(state.x_prev, i) = held[k].x0;
    }
    // The rest of the state is that of the step.
    state.step = whole.step;
    state.time = whole.time;
    state.kappa = whole.kappa;
    state.controls = whole.controls;
    own.elements.x_rest.conservativeResize(dim * count);
    for (Eigen::Index i = dim * own.num_vertices(); i < dim * count; ++i) own.elements.x_rest[i] = x1[i];
    complete_model(static_cast<int>(count));
  }

  void complete_model(int num_blocks) {
    const ElementMesh<dim>& elements = own.elements;
    // The mass is that of the elements alone; held blocks have none.
    model.layout = {dim, num_blocks};
    model.x_rest = elements.x_rest;
    model.mass = lumped_mass(elements);
    model.consistent_mass = std::make_shared<ConsistentMass<dim>>(std::vector{elements}, VecX::Zero(num_blocks));
    model.potentials.push_back(std::make_shared<ElasticPotential<dim>>(elements));
    // Add damping and the inversion barrier if a material needs them.
    const auto damping = std::make_shared<LaggedDampingPotential<dim>>(elements);
    if (damping->has_elements()) model.potentials.push_back(damping);
    const auto barrier = std::make_shared<InversionBarrier<dim>>(elements);
    if (barrier->has_elements()) model.potentials.push_back(barrier);
    if (own.force.size() > 0) {
      own.force.conservativeResize(dim * num_blocks);
      own.force.tail(dim * (num_blocks - own.num_vertices())).setZero();
      model.potentials.push_back(
          std::make_shared<LoadPotential>(dim * num_blocks, [this](double, double, VecX& sum) -> Result<Done> {
            sum += own.force;
            return Done{};
          }));
    }
    model.elastic_stiffness = VecX::Zero(num_blocks);
    model.bbox_diagonal = setting.in.model.bbox_diagonal;
    model.body_of_block.assign(num_blocks, setting.body.body);
  }

  void hold_fixed() {
    const int num_blocks = model.layout.num_blocks;
    // All blocks but the moving ones are prescribed to stay at x1.
    model.is_always_prescribed.assign(num_blocks, 1);
    std::fill_n(model.is_always_prescribed.begin(), own.num_moving, 0);
    for (int b = own.num_moving; b < num_blocks; ++b) targets.blocks.push_back(b);
    targets.positions = x1.tail(dim * (num_blocks - own.num_moving));
  }

  // --- its solution ---

  /// The objective and the point at which it is evaluated; created on first use.
  struct Objective {
    explicit Objective(Impl& local)
        : options(local.options),
          copies(local.model, make_contact_model<dim>(local.model, options.barrier)),
          broad_phase(make_broad_phase(dim, local.model.surface)),
          target(predict(options.integrator, local.state)),
          problem(local.model, copies, options, target, local.targets, local.state) {
      const double h = options.integrator.h;
      for (const auto& potential : copies.potentials) {
        // The loads are fixed forces, so beginning the step cannot fail.
        (void)potential->begin_step(local.state.x, h, (local.state.step + 1) * h);
      }
      // Evaluate the objective at x1; it is infinite if x1 is not feasible.
      problem.fix_prescribed();
      problem.choose_kappa();
      now.point.iterate = problem.make_iterate(local.x1, find_candidates(local.model.surface_map.apply(local.x1)));
      lag_friction(local);
      now.point.energy =
          problem.is_feasible(local.x1) ? problem.energy(now.point.iterate) : CompensatedSum{infinity, 0.0};
    }

    std::shared_ptr<const Candidates> find_candidates(const VecX& x_surface) const {
      return std::make_shared<const Candidates>(
          options.has_contact ? copies.contact_model->find_candidates(*broad_phase, x_surface, x_surface)
                              : Candidates{});
    }

    void lag_friction(const Impl& local) {
      if (!problem.has_friction()) return;
      // Lag friction with the contacts and the motion at x1,
      if (local.setting.is_friction_at_x1) {
        problem.lag_friction(now.point.iterate, local.x1 - local.state.x, problem.kappa());
        return;
      }
      // or with those that it has at the start of the step, and the stiffness of the last step.
      const double kappa = local.state.kappa > 0.0 ? local.state.kappa * target.scale : problem.kappa();
      problem.lag_friction(problem.make_iterate(local.state.x, find_candidates(problem.x_surface_t0())),
                           options.integrator.h * local.state.v, kappa);
    }

    const SolverOptions& options;
    WorkingCopies<dim> copies;
    std::unique_ptr<BroadPhase> broad_phase;
    InertialTarget target;
    StepProblem<dim> problem;
    NewtonState now;
  };

  /// Newton's method for the objective.
  struct Newton {
    Newton(Impl& local, Objective& objective)
        : system(local.model, make_leading_solver(local.own.num_moving)),
          in{local.model,      local.options, local.targets,          local.state,
             objective.copies, system,        *objective.broad_phase, last_end},
          bound(in, objective.problem, log),
          newton(in, objective.problem, log),
          search(in, objective.problem, bound, log) {
      system.begin_step(local.state.x);
    }

    SystemMatrix<dim> system;
    EndOfStep last_end;
    StepInputs<dim> in;
    StepLog log;
    DirectionBound<dim> bound;
    NewtonSystem<dim> newton;
    MovingPart<dim> part;
    LineSearch<dim> search;
    VecX dy;           // the next direction, valid if is_known
    double way = 0.0;  // [m] upper bound on the motion of any node so far
    bool is_known = false, is_solved = false;
    bool is_converged = false;
  };

  Objective& objective() {
    if (!objective_) objective_ = std::make_unique<Objective>(*this);
    return *objective_;
  }

  /// Computes the next Newton direction unless it is known; returns null if there is none.
  Newton* next_step() {
    Point& point = objective().now.point;
    if (!std::isfinite(point.energy.value())) return nullptr;
    if (!newton_) newton_ = std::make_unique<Newton>(*this, *objective_);
    Newton& n = *newton_;
    if (!n.is_known) {
      n.newton.assemble(point.iterate, n.part);
      n.is_solved = n.newton.solve(objective_->now, n.part, n.dy);
      n.is_known = true;
    }
    return n.is_solved ? &n : nullptr;
  }

  double next_fall() {
    if (newton_ && newton_->is_converged) return 0.0;
    // Along the direction -H^-1 g the quadratic model falls by 1/2 g^T H^-1 g.
    const Newton* n = next_step();
    return n == nullptr ? infinity : -0.5 * n->newton.gradient().dot(n->dy);
  }

  double friction() {
    const Objective& o = objective();
    return o.problem.has_friction() ? o.problem.friction().energy(o.now.point.iterate.x_surface).value() : 0.0;
  }

  void match_friction(double energy) {
    // The friction energy is proportional to the stiffness it is lagged with, so scaling that stiffness matches it.
    const double present = friction();
    if (!setting.is_friction_at_x1 || !(present > 0.0) || !(energy > 0.0)) return;
    Objective& o = objective();
    o.problem.lag_friction(o.now.point.iterate, x1 - state.x, o.problem.kappa() * energy / present);
    o.now.point.energy = o.problem.energy(o.now.point.iterate);
  }

  bool take_step() {
    if (newton_ && newton_->is_converged) return true;
    Newton* n = next_step();
    if (n == nullptr) return false;
    NewtonState& now = objective_->now;
    // Search along the direction. No node moves by more than sqrt(dim) times the largest component.
    const double length = n->bound.length(now.point.iterate.x, n->dy);
    n->is_converged = length <= converged_share * own.edge_length;
    now.residual = length / options.integrator.h;
    const double reach = n->search.choose_reach(now, false);
    const Direction feasible = n->bound.feasible_direction(now.point.iterate, n->newton.gradient(), reach * n->dy);
    n->bound.foretell(now.point.iterate, n->dy, feasible, objective_->problem.forecast());
    now.last = n->search.follow(feasible, n->newton.gradient(), now);
    n->way += std::sqrt(static_cast<double>(dim)) * length * now.last.alpha;
    n->is_known = false;
    if (!now.last.has_moved) n->is_converged = true;
    return true;
  }

  bool settle() {
    Point& point = objective().now.point;
    if (!std::isfinite(point.energy.value())) return false;
    // The energy during a detour of the line search is above that where it started; return to the start.
    if (newton_ && newton_->search.is_on_detour()) newton_->search.give_up_detour(point);
    if (!objective_->problem.is_feasible(point.iterate.x)) return false;
    if (!options.has_contact) return true;
    // The region of contacts is complete only within the allowance.
    return (!newton_ || newton_->way <= allowance) &&
           clearance::is_intersection_free<dim>(model, point.iterate.x_surface, *objective_->broad_phase, nullptr);
  }

  const LocalSetting<dim>& setting;
  SolverOptions options;
  std::vector<int> own_surface_vertices;
  BodySurface<dim> own_surface;
  ContactPart contact_part;  // the features of the model's surface
  LocalElements<dim> own;
  std::vector<SurfaceNode<dim>> held;  // nodes of the surroundings: the blocks after those of `vertices`
  double allowance = 0.0;              // [m]
  Model model;
  State state;
  PrescribedTargets targets;
  VecX x1;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<Newton> newton_;  // minimises objective_
};

template <int dim>
LocalProblem<dim>::LocalProblem(const LocalSetting<dim>& setting, const Scope& scope, const ContactRegion<dim>* region)
    : impl_(std::make_unique<Impl>(setting, scope, region)) {}
template <int dim>
LocalProblem<dim>::~LocalProblem() = default;

template <int dim>
bool LocalProblem<dim>::is_intersection_free() const {
  if (!impl_->options.has_contact) return true;
  const auto broad_phase = make_broad_phase(dim, impl_->model.surface);
  for (const VecX* x : {&impl_->x1, &impl_->state.x}) {
    if (!clearance::is_intersection_free<dim>(impl_->model, impl_->model.surface_map.apply(*x), *broad_phase,
                                              nullptr)) {
      return false;
    }
  }
  return true;
}

template <int dim>
bool LocalProblem<dim>::has_surface() const {
  return impl_->options.has_contact;
}
template <int dim>
const std::vector<int>& LocalProblem<dim>::vertices() const {
  return impl_->own.vertices;
}
template <int dim>
int LocalProblem<dim>::num_moving() const {
  return impl_->own.num_moving;
}
template <int dim>
const Model& LocalProblem<dim>::model() const {
  return impl_->model;
}
template <int dim>
const State& LocalProblem<dim>::state() const {
  return impl_->state;
}
template <int dim>
const VecX& LocalProblem<dim>::x1() const {
  return impl_->x1;
}
template <int dim>
const CompensatedSum& LocalProblem<dim>::objective() {
  return impl_->objective().now.point.energy;
}
template <int dim>
bool LocalProblem<dim>::has_contacts() {
  return !impl_->objective().now.point.iterate.contacts.contacts.empty();
}
template <int dim>
double LocalProblem<dim>::next_fall() {
  return impl_->next_fall();
}
template <int dim>
double LocalProblem<dim>::friction() {
  return impl_->friction();
}
template <int dim>
void LocalProblem<dim>::match_friction(double energy) {
  impl_->match_friction(energy);
}
template <int dim>
bool LocalProblem<dim>::take_step() {
  return impl_->take_step();
}
template <int dim>
bool LocalProblem<dim>::settle() {
  return impl_->settle();
}
template <int dim>
double LocalProblem<dim>::way() const {
  return impl_->newton_ ? impl_->newton_->way : 0.0;
}
template <int dim>
Vec<dim> LocalProblem<dim>::position(int i) const {
  return block<dim>(impl_->objective_ ? impl_->objective_->now.point.iterate.x : impl_->x1, i);
}

template IntegratorOptions local_integrator<2>(const RemeshInputs<2>&, int);
template IntegratorOptions local_integrator<3>(const RemeshInputs<3>&, int);
template struct LocalSetting<2>;
template struct LocalSetting<3>;
template class LocalProblem<2>;
template class LocalProblem<3>;

}  // namespace clearance
