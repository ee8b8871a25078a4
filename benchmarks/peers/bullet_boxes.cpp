// Bullet on a scene of boxes: native box and sphere shapes, its sequential impulse solver, no sleeping.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "peer_run.h"

namespace peers {
namespace {

btVector3 to_bullet(const Eigen::Vector3d& v) {
  return {btScalar(v[0]), btScalar(v[1]), btScalar(v[2])};
}

class BulletEngine : public Engine {
 public:
  BulletEngine(const BoxScene& scene, const RunOptions& options, double erp) : options_(options) {
    world_.setGravity(to_bullet(scene.gravity));
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = options.iterations;
    if (erp > 0) info.m_erp = info.m_erp2 = btScalar(erp);
    for (const Box& box : scene.boxes) add_body(new_box(box), box.pose.center, box.mass);
    add_body(new_sphere(scene.ball.radius), scene.ball.center, scene.ball.mass);
    bodies_.back()->setLinearVelocity(to_bullet(scene.ball.velocity));
    add_body(new_box(scene.ground), scene.ground.pose.center, 0);
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  // No substeps: Bullet takes the step as it is.
  void step() override { world_.stepSimulation(btScalar(options_.step), 0); }

  void read_poses(BoxScene& scene) const override {
    for (size_t i = 0; i < scene.boxes.size(); ++i) {
      const btTransform& transform = bodies_[i]->getWorldTransform();
      Pose& pose = scene.boxes[i].pose;
      for (int row = 0; row < 3; ++row) {
        pose.center[row] = transform.getOrigin()[row];
        for (int column = 0; column < 3; ++column) pose.axes(row, column) = transform.getBasis()[row][column];
      }
      // A matrix of floats is orthonormal to 1e-7 only.
      for (int column = 0; column < 3; ++column) pose.axes.col(column).normalize();
    }
    const btVector3& center = bodies_[scene.boxes.size()]->getWorldTransform().getOrigin();
    scene.ball.center = {center[0], center[1], center[2]};
  }

  double mean_iterations() const override { return options_.iterations; }

 private:
  // A ball meets a box that is rounded by its margin: with the default of 0.04 its corners lie 0.03 deep in the ball at
  // any step. Bullet tests two boxes without the margin.
  btCollisionShape* new_box(const Box& box) {
    shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(box.half_extents)));
    shapes_.back()->setMargin(btScalar(1e-4));
    return shapes_.back().get();
  }
  btCollisionShape* new_sphere(double radius) {
    shapes_.push_back(std::make_unique<btSphereShape>(btScalar(radius)));
    return shapes_.back().get();
  }

  void add_body(btCollisionShape* shape, const Eigen::Vector3d& center, double mass) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shape, inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(to_bullet(center));
    info.m_friction = info.m_rollingFriction = info.m_spinningFriction = info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  RunOptions options_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  // the boxes, the ball, the ground
};

int run(int argc, char** argv) {
  CLI::App app("Bullet on a scene of boxes, one thread.");
  RunOptions options;
  double erp = 0;
  add_run_options(app, options);
  app.add_option("--erp", erp, "fraction of a penetration that a step corrects; 0: Bullet's default");
  CLI11_PARSE(app, argc, argv);
  const BoxScene scene = read_box_scene(options.scene, options.mesh_folder);
  BulletEngine engine(scene, options, erp);
  run_and_report(sizeof(btScalar) == 8 ? "Bullet, double" : "Bullet", engine, scene, options);
  return 0;
}

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  return peers::run_program("bullet_boxes", peers::run, argc, argv);
}
