#include "clearance/modes/scene_modes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double length = 1.0, width = 0.05, youngs_modulus = 1e9, density = 1000.0;
constexpr double area = width * width, second_moment = width * width * width * width / 12.0;

/// A bar of order 2 along x, without gravity.
SceneDesc bar(int num_cells) {
  SceneDesc scene;
  scene.gravity = Vec<3>::Zero();
  scene.time.mass = MassKind::consistent;
  BodyDesc body;
  body.name = "bar";
  body.order = 2;
  body.generator = GeneratorDesc{GeneratorKind::box, {length, width, width}, {num_cells, 1, 1}};
  body.material.youngs_modulus = youngs_modulus;
  body.material.poisson_ratio = 0.0;
  body.material.density = density;
  scene.bodies.push_back(std::move(body));
  return scene;
}

RegionDesc end_of(double x) {
  RegionDesc region;
  region.box = Corners{Vec<3>(x, 0, 0), Vec<3>(x, 1, 1)};
  region.frame = RegionFrame::body;
  return region;
}

SceneDesc cantilever(int num_cells) {
  SceneDesc scene = bar(num_cells);
  scene.bodies[0].motions.emplace_back().region = end_of(0.0);
  return scene;
}

SceneModes modes_of(const SceneDesc& scene, int count, bool is_buckling = false) {
  const Result<SceneModes> found = find_scene_modes(scene, {count, is_buckling, {}, {}});
  EXPECT_TRUE(found);
  if (!found) return {};
  for (const Issue& issue : found->errors) ADD_FAILURE() << to_string(issue);
  return *found;
}

/// Frequency [Hz] of a slender beam with this product of wave number and length.
double beam_frequency(double wave) {
  return wave * wave / (2.0 * pi) * std::sqrt(youngs_modulus * second_moment / (density * area)) / (length * length);
}

TEST(Modes, CantileverHasTheFrequenciesOfBeams) {
  const SceneModes found = modes_of(cantilever(16), 4);
  ASSERT_EQ(found.modes.size(), 4U);
  EXPECT_TRUE(found.modes[0].name.empty());
  // The section is square, so that each frequency comes twice.
  EXPECT_NEAR(found.modes[0].frequency, beam_frequency(1.87510), 0.01 * beam_frequency(1.87510));
  EXPECT_NEAR(found.modes[1].frequency, beam_frequency(1.87510), 0.01 * beam_frequency(1.87510));
  // Shear and the turning of sections lower the second one by 1 %.
  EXPECT_NEAR(found.modes[2].frequency, beam_frequency(4.69409), 0.02 * beam_frequency(4.69409));
  EXPECT_LT(found.largest_residual, 1e-6);
  EXPECT_EQ(found.num_steps, 0);
}

/// The modes of a start were those before the first step, in which neither springs nor attachments act yet.
TEST(Modes, OfAStartHaveSpringsAndAttachments) {
  SceneDesc attached = bar(16);
  AttachmentDesc attachment;
  attachment.body = "bar";
  attachment.region = end_of(0.0);
  attached.attachments.push_back(attachment);
  const SceneModes of_bar = modes_of(attached, 1);
  ASSERT_EQ(of_bar.modes.size(), 1U);
  EXPECT_NEAR(of_bar.modes[0].frequency, beam_frequency(1.87510), 0.01 * beam_frequency(1.87510));

  SceneDesc hung = bar(1);
  hung.bodies[0].kind = BodyKind::rigid;
  hung.bodies[0].order = 0;
  hung.time.mass = MassKind::lumped;
  SpringDesc spring;
  spring.body = "bar";
  spring.to_point = Vec<3>(0, 1, 0);
  spring.stiffness = 1000.0;
  hung.springs.push_back(spring);
  const SceneModes of_mass = modes_of(hung, 1);
  ASSERT_FALSE(of_mass.modes.empty());
  const double mass = density * length * area;
  EXPECT_NEAR(of_mass.modes.back().frequency, std::sqrt(spring.stiffness / mass) / (2.0 * pi), 1e-6);
}

TEST(Modes, FreeBarHasSixRigidMotionsAndTheFrequencyOfItsWaves) {
  const SceneModes found = modes_of(bar(16), 10);
  ASSERT_EQ(found.modes.size(), 16U);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(found.modes[i].frequency, 0.0);
    EXPECT_TRUE(found.modes[i].name.find("of 'bar'") != std::string::npos) << found.modes[i].name;
  }
  EXPECT_EQ(found.modes[0].name, "translation of 'bar' along x");
  EXPECT_NEAR(found.modes[6].frequency, beam_frequency(4.73004), 0.02 * beam_frequency(4.73004));
  // A wave in tension, c / 2 L, is among bending and torsion; its shape is along x.
  const double wave = std::sqrt(youngs_modulus / density) / (2.0 * length);
  double nearest = 0.0;
  for (const SceneMode& mode : found.modes) {
    double along = 0.0, all = 0.0;
    for (const Vec<3>& v : mode.shape) {
      along += v.x() * v.x();
      all += v.squaredNorm();
    }
    if (mode.frequency > 0.0 && along > 0.9 * all) nearest = mode.frequency;
  }
  EXPECT_NEAR(nearest, wave, 1e-3 * wave);
}

/// A rod along y without bending stiffness to speak of, or a sheet; free, without gravity.
SceneDesc thin_body(BodyKind kind) {
  SceneDesc scene;
  scene.gravity = Vec<3>::Zero();
  BodyDesc body;
  body.name = "thin";
  body.kind = kind;
  body.thickness = 0.004;
  body.material.youngs_modulus = 1e7;
  body.material.density = density;
  body.geometry.emplace();
  constexpr int count = 12;
  for (int i = 0; i <= count; ++i) {
    for (int j = 0; j <= (kind == BodyKind::shell ? 4 : 0); ++j) {
      body.geometry->vertices.emplace_back(0.05 * j, -length * i / count, 0.0);
    }
    if (kind == BodyKind::rod && i > 0) body.geometry->edges.push_back({i - 1, i});
    for (int j = 0; kind == BodyKind::shell && i > 0 && j < 4; ++j) {
      const int at = 5 * i + j;
      body.geometry->triangles.push_back({at - 5, at - 4, at});
      body.geometry->triangles.push_back({at, at - 4, at + 1});
    }
  }
  scene.bodies.push_back(std::move(body));
  return scene;
}

// Slopes and angles were moved along with translations, so that free sheets had no translations without resistance, and
// a rod hinged at a node, which turns about itself freely, ended the program.
TEST(Modes, FreeThinBodiesHaveSixRigidMotions) {
  for (const BodyKind kind : {BodyKind::rod, BodyKind::shell}) {
    const SceneModes found = modes_of(thin_body(kind), 2);
    ASSERT_EQ(found.modes.size(), 8u);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(found.modes[i].omega_sq, 0.0) << i;
      EXPECT_NE(found.modes[i].name.find(i < 3 ? "translation" : "rotation"), std::string::npos) << i;
    }
    // A free beam, whose wave number times its length is 4.73: EI / rho A is E t^2 / 12 rho, or / 16 for round rods.
    const double stiffness = 1e7 * 0.004 * 0.004 / (kind == BodyKind::rod ? 16.0 : 12.0) / density;
    const double beam = 4.73004 * 4.73004 / (2.0 * pi) * std::sqrt(stiffness);
    EXPECT_NEAR(found.modes[6].frequency, beam, 0.05 * beam);
  }
}

TEST(Modes, HingedRopeTurnsAboutItselfAndSwings) {
  SceneDesc scene = thin_body(BodyKind::rod);
  scene.gravity = Vec<3>(0.0, -9.81, 0.0);
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.time.duration = scene.time.step;
  scene.bodies[0].material.youngs_modulus = 1e6;
  scene.bodies[0].motions.emplace_back().region.nodes = {0};
  const SceneModes found = modes_of(scene, 2);
  ASSERT_EQ(found.modes.size(), 3u);
  EXPECT_EQ(found.modes[0].name, "rotation of 'thin' about y");
  // The first zero of J0 gives a hanging chain 0.599 Hz per root of a metre.
  for (const int i : {1, 2}) EXPECT_NEAR(found.modes[i].frequency, 0.599388, 0.01) << i;
}

TEST(Modes, CanBeStopped) {
  const Result<SceneModes> found = find_scene_modes(bar(4), {2, false, {}, [] { return true; }});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, ModesEnd::stopped);
  EXPECT_TRUE(found->modes.empty());
}

TEST(Modes, MassesLumpedOrConsistentAgreeOnFineMeshes) {
  SceneDesc scene = cantilever(16);
  const double consistent = modes_of(scene, 1).modes[0].frequency;
  scene.time.mass = MassKind::lumped;
  EXPECT_NEAR(modes_of(scene, 1).modes[0].frequency, consistent, 0.01 * consistent);
}

TEST(Modes, RepeatedFrequenciesAreAllFound) {
  SceneDesc scene = bar(4);
  scene.bodies[0].array = ArrayDesc{{5, 1, 1}, Vec<3>(2, 1, 1)};
  const SceneModes found = modes_of(scene, 10);
  ASSERT_EQ(found.modes.size(), 40U);
  int num_rigid = 0;
  for (const SceneMode& mode : found.modes) num_rigid += mode.name.empty() ? 0 : 1;
  EXPECT_EQ(num_rigid, 30);
  // Two planes of five bars, whose first frequencies differ by less than a percent.
  const double single = modes_of(bar(4), 1).modes[6].frequency;
  for (int i = 30; i < 40; ++i) EXPECT_NEAR(found.modes[i].frequency, single, 0.02 * single) << i;
}

TEST(Modes, RigidPendulumHasItsFrequencyAtEquilibrium) {
  SceneDesc scene;
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.time.step = scene.time.duration = 1.0;
  BodyDesc rod;
  rod.name = "rod";
  rod.kind = BodyKind::rigid;
  rod.generator = GeneratorDesc{GeneratorKind::box, {width, length, width}, {1, 1, 1}};
  scene.bodies.push_back(rod);
  JointDesc hinge;
  hinge.bodies = {"rod", ""};
  hinge.point = Vec<3>(0, 0.5 * length, 0);
  hinge.axis = Vec<3>::UnitZ();
  scene.joints.push_back(hinge);
  const SceneModes found = modes_of(scene, 1);
  const double inertia = (length * length + width * width) / 12.0 + 0.25 * length * length;
  const double frequency = std::sqrt(9.80665 * 0.5 * length / inertia) / (2.0 * pi);
  ASSERT_EQ(found.modes.size(), 1U);
  EXPECT_NEAR(found.modes[0].frequency, frequency, 1e-5 * frequency);
  EXPECT_EQ(found.num_steps, 1);
  EXPECT_TRUE(found.warnings.empty());
  // The modes of a start have no gravity.
  scene.time.integrator = TimeIntegrator::bdf2_in_flight;
  const SceneModes at_start = modes_of(scene, 1);
  ASSERT_GE(at_start.modes.size(), 1U);
  EXPECT_EQ(at_start.modes[0].frequency, 0.0);
  ASSERT_EQ(at_start.warnings.size(), 1U);
  EXPECT_NE(at_start.warnings[0].message.find("quasi_static"), std::string::npos);
}

TEST(Modes, FlatBodiesHaveThreeRigidMotions) {
  SceneDesc scene;
  scene.dimension = 2;
  scene.gravity = Vec<3>::Zero();
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::deformable}) {
    BodyDesc body;
    body.name = kind == BodyKind::rigid ? "stiff" : "soft";
    body.kind = kind;
    body.generator = GeneratorDesc{GeneratorKind::rectangle, {1.0, 0.2}, {4, 2}};
    body.transform.translation = Vec<3>(0, kind == BodyKind::rigid ? 2.0 : 0.0, 0);
    scene.bodies.push_back(std::move(body));
  }
  const SceneModes found = modes_of(scene, 2);
  ASSERT_EQ(found.modes.size(), 8U);
  EXPECT_EQ(found.modes[2].name, "rotation of 'stiff' about z");
  EXPECT_EQ(found.modes[3].name, "translation of 'soft' along x");
  EXPECT_EQ(found.modes[6].body, "soft");
  EXPECT_GT(found.modes[6].frequency, 0.0);
}

SceneDesc column(double force) {
  SceneDesc scene = cantilever(16);
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.time.step = scene.time.duration = 1.0;
  LoadDesc load;
  load.kind = LoadKind::force;
  load.value = Vec<3>(-force, 0, 0);
  load.region = end_of(1.0);
  scene.bodies[0].loads.push_back(load);
  return scene;
}

/// Load [N] of a column that is clamped at one end.
const double euler_load = pi * pi * youngs_modulus * second_moment / (4.0 * length * length);

TEST(Buckling, ColumnHasEulersLoad) {
  const double force = 0.01 * euler_load;
  const SceneModes found = modes_of(column(force), 3, true);
  ASSERT_EQ(found.modes.size(), 3U);
  EXPECT_NEAR(found.modes[0].factor * force, euler_load, 0.01 * euler_load);
  EXPECT_NEAR(found.modes[1].factor * force, euler_load, 0.01 * euler_load);
  EXPECT_NEAR(found.modes[2].factor * force, 9.0 * euler_load, 0.02 * 9.0 * euler_load);
}

TEST(Buckling, TensionBucklesNothing) {
  EXPECT_TRUE(modes_of(column(-10.0), 3, true).modes.empty());
}

// The equilibrium of a column that has buckled may be stable, and then no factor is found.
TEST(Buckling, OfAColumnThatHasBuckledIsToldToMeanLittle) {
  SceneDesc scene = column(1.5 * euler_load);
  EXPECT_TRUE(modes_of(column(0.01 * euler_load), 1, true).warnings.empty());
  LoadDesc push = scene.bodies[0].loads[0];
  push.value = Vec<3>(0, 0.01 * euler_load, 0);
  scene.bodies[0].loads.push_back(push);
  const SceneModes found = modes_of(scene, 1, true);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].message.find("may have buckled already"), std::string::npos);
}

TEST(Buckling, IsRefusedWithoutEquilibrium) {
  const Result<SceneModes> found = find_scene_modes(cantilever(2), {3, true, {}, {}});
  ASSERT_EQ(found.issues().size(), 1U);
  EXPECT_EQ(found.issues()[0].place, "time.integrator");
}

TEST(Modes, CompressionLowersFrequenciesUntilTheColumnBuckles) {
  const double free = modes_of(cantilever(16), 1).modes[0].frequency;
  // A column under half of Euler's load: its frequency falls with the root of what is left.
  const double half = modes_of(column(0.5 * euler_load), 1).modes[0].frequency;
  EXPECT_NEAR(half, std::sqrt(0.5) * free, 0.02 * free);
  // Beyond Euler's load the column bends until it is stable again.
  const SceneModes bent = modes_of(column(1.5 * euler_load), 3);
  EXPECT_GT(bent.modes[1].frequency, 0.5 * free);
  // Its section is a square, so that it bends as easily in all directions.
  EXPECT_GT(bent.modes[0].omega_sq, -1e-4 * std::pow(2.0 * pi * free, 2));
}

TEST(Modes, SameBitsForAnyNumberOfThreads) {
  std::vector<double> first;
  for (const int threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    std::vector<double> numbers;
    for (const SceneMode& mode : modes_of(cantilever(16), 4).modes) {
      numbers.push_back(mode.omega_sq);
      for (const Vec<3>& v : mode.shape) numbers.insert(numbers.end(), v.begin(), v.end());
    }
    if (first.empty()) first = numbers;
    EXPECT_EQ(numbers, first) << threads;
  }
}

}  // namespace
}  // namespace clearance
