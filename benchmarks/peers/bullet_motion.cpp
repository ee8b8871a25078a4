// Bullet on a case of closed-form physics: its default settings and the step of the case, no sleeping.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>

#include "motion_case.h"

namespace peers {
namespace {

btVector3 to_bullet(const Eigen::Vector3d& v) {
  return {btScalar(v[0]), btScalar(v[1]), btScalar(v[2])};
}

Eigen::Vector3d from_bullet(const btVector3& v) {
  return {v[0], v[1], v[2]};
}

class BulletMotion : public MotionEngine {
 public:
  explicit BulletMotion(const MotionCase& motion_case) : case_(motion_case) {
    world_.setGravity(to_bullet(case_.gravity));
    for (const MotionBody& body : case_.bodies) add_body(body);
    for (const MotionPlane& plane : case_.planes) add_plane(plane);
    for (const MotionHinge& hinge : case_.hinges) add_hinge(hinge);
  }
  ~BulletMotion() override {
    for (const auto& hinge : hinges_) world_.removeConstraint(hinge.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  // No substeps: Bullet takes the step as it is. It forgets forces after every step.
  void step() override {
    for (size_t i = 0; i < case_.bodies.size(); ++i) bodies_[i]->applyCentralForce(to_bullet(case_.bodies[i].force));
    for (const MotionHinge& hinge : case_.hinges) {
      bodies_[static_cast<size_t>(hinge.body)]->applyTorque(to_bullet(hinge.torque * hinge.axis));
    }
    world_.stepSimulation(btScalar(case_.step), 0);
  }

  BodyMotion read(size_t body) const override {
    return {from_bullet(bodies_[body]->getWorldTransform().getOrigin()),
            from_bullet(bodies_[body]->getLinearVelocity()), from_bullet(bodies_[body]->getAngularVelocity())};
  }

 private:
  btCollisionShape* keep(std::unique_ptr<btCollisionShape> shape) {
    shapes_.push_back(std::move(shape));
    return shapes_.back().get();
  }
  btCollisionShape* new_shape(const MotionBody& body) {
    if (body.shape == Shape::sphere) return keep(std::make_unique<btSphereShape>(btScalar(body.size[0])));
    if (body.shape == Shape::cylinder) return keep(std::make_unique<btCylinderShapeZ>(to_bullet(body.size)));
    return keep(std::make_unique<btBoxShape>(to_bullet(body.size)));
  }
  // The friction of a pair is the product of two coefficients.
  void add(btRigidBody::btRigidBodyConstructionInfo info) {
    info.m_friction = btScalar(std::sqrt(case_.mu));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }
  void add_body(const MotionBody& body) {
    btCollisionShape* shape = new_shape(body);
    btVector3 inertia(0, 0, 0);
    shape->calculateLocalInertia(btScalar(body.mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body.mass), nullptr, shape, inertia);
    const Eigen::Quaterniond& q = body.rotation;
    info.m_startWorldTransform = btTransform(
        btQuaternion(btScalar(q.x()), btScalar(q.y()), btScalar(q.z()), btScalar(q.w())), to_bullet(body.position));
    add(info);
    bodies_.back()->setLinearVelocity(to_bullet(body.velocity));
    bodies_.back()->setAngularVelocity(to_bullet(body.spin));
  }
  void add_plane(const MotionPlane& plane) {
    btCollisionShape* shape =
        keep(std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), btScalar(plane.normal.dot(plane.point))));
    add({0, nullptr, shape});
  }
  void add_hinge(const MotionHinge& hinge) {
    btRigidBody& body = *bodies_[static_cast<size_t>(hinge.body)];
    const btTransform to_body = body.getWorldTransform().inverse();
    hinges_.push_back(std::make_unique<btHingeConstraint>(body, to_body * to_bullet(hinge.point),
                                                          to_body.getBasis() * to_bullet(hinge.axis)));
    world_.addConstraint(hinges_.back().get());
  }

  MotionCase case_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  // the bodies of the case, then the planes
  std::vector<std::unique_ptr<btHingeConstraint>> hinges_;
};

}  // namespace
}  // namespace peers

int main() {
  return peers::run_motion_case("bullet_motion", [](const peers::MotionCase& motion_case) {
    return std::make_unique<peers::BulletMotion>(motion_case);
  });
}
