#include "clearance/io/ipc/ipc_script_placement.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>
#include <random>

#include "clearance/io/ipc/ipc_script_reader.h"
#include "io/ipc_world.h"

namespace clearance {
namespace {

TEST(IpcPlacement, RotationIsXTimesYTimesZ) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> angle(-400.0, 400.0);
  for (int i = 0; i < 500; ++i) {
    const Vec<3> degrees(angle(random), angle(random), angle(random));
    const Vec<3> a = degrees * (3.14159265358979323846 / 180.0);
    const Mat<3> expected = (Eigen::AngleAxisd(a[0], Vec<3>::UnitX()) * Eigen::AngleAxisd(a[1], Vec<3>::UnitY()) *
                             Eigen::AngleAxisd(a[2], Vec<3>::UnitZ()))
                                .toRotationMatrix();
    EXPECT_NEAR((ipc_rotation(degrees) - expected).norm(), 0.0, 1e-14) << degrees.transpose();
    // The native angles give the same rotation in the other order.
    EXPECT_NEAR((rotation_of(native_angles(expected)) - expected).norm(), 0.0, 1e-13) << degrees.transpose();
  }
}

TEST(IpcPlacement, RightAnglesStayExact) {
  for (const double x : {-180.0, -90.0, 0.0, 90.0, 270.0}) {
    for (const double y : {-90.0, 0.0, 90.0, 180.0}) {
      for (const double z : {-90.0, 0.0, 90.0, 180.0}) {
        const Mat<3> rotation = ipc_rotation({x, y, z});
        for (const double entry : rotation.reshaped()) EXPECT_TRUE(entry == 0.0 || std::abs(entry) == 1.0);
        const Vec<3> angles = native_angles(rotation);
        for (const double a : angles) EXPECT_EQ(std::fmod(a, 90.0), 0.0);
        EXPECT_NEAR((rotation_of(angles) - rotation).norm(), 0.0, 1e-14) << x << " " << y << " " << z;
      }
    }
  }
  EXPECT_EQ(native_angles(ipc_rotation({90, 0, 0})), Vec<3>(90, 0, 0));
  EXPECT_EQ(native_angles(ipc_rotation({0, 90, 0})), Vec<3>(0, 90, 0));
  EXPECT_EQ(native_angles(ipc_rotation({0, 0, -90})), Vec<3>(0, 0, -90));
}

TEST(IpcPlacement, AngularVelocityTurnsAsFarAsTheReferenceInOneStep) {
  const double step = 0.04;
  EXPECT_EQ(native_angular_velocity({0, -72, 0}, step), Vec<3>(0, -72, 0));
  const Vec<3> rates(100, -200, 300);
  const Vec<3> native = native_angular_velocity(rates, step);
  EXPECT_NEAR((axis_rotation(native.normalized(), native.norm() * step) - ipc_rotation(rates * step)).norm(), 0.0,
              1e-13);
}

constexpr const char* tet_mesh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 4
$EndElements
)";

class SmallScripts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("clearance_ipc_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "scripts/deep");
    std::ofstream(folder_ / "tet.msh") << tet_mesh;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Result<LoadedScene> load(const std::string& text) const {
    return read_ipc_script_text(text, folder_ / "scripts/deep/scene.txt");
  }
  SceneDesc scene(const std::string& text) const {
    const Result<LoadedScene> loaded = load(text);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    return loaded ? loaded->scene : SceneDesc{};
  }
  std::vector<std::string> problems(const std::string& text) const {
    std::vector<std::string> lines;
    const Result<LoadedScene> loaded = load(text);
    for (Issue issue : loaded ? loaded->warnings : loaded.issues()) {
      issue.file.clear();
      lines.push_back(to_string(issue));
    }
    return lines;
  }
  std::filesystem::path folder_;
};

using Lines = std::vector<std::string>;
constexpr const char* one_tet = "shapes input 1\ntet.msh 0 0 0  0 0 0  1 1 1\n";

TEST_F(SmallScripts, SizeScalesRotatedAndStretchedShapes) {
  const SceneDesc s =
      scene("size 2\nshapes input 2\ntet.msh 1 2 3  10 20 30  1 2 3\n\n# between\ntet.msh -4 0 0  0 0 45  1 1 1");
  const WorldBox box = world_box(s, BodyKind::deformable);
  EXPECT_NEAR((box.max - box.min).maxCoeff(), 2.0, 1e-14);
  EXPECT_NEAR(box.min.norm(), 0.0, 1e-14);
  EXPECT_EQ(s.bodies[1].mesh, (folder_ / "tet.msh").string());
}

TEST_F(SmallScripts, ModelRotationTurnsAboutHalfTheExtents) {
  const SceneDesc s = scene(std::string("rotateModel 0 0 2 90\n") + one_tet);
  const WorldBox box = world_box(s, BodyKind::deformable);
  EXPECT_EQ(s.bodies[0].transform.rotation, Vec<3>(0, 0, 90));
  EXPECT_NEAR((box.min - Vec<3>(0, 0, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((box.max - Vec<3>(1, 1, 1)).norm(), 0.0, 1e-15);
}

TEST_F(SmallScripts, NumbersReachTheScene) {
  const SceneDesc s =
      scene(std::string("time 1 0.1\ntimeIntegration NM 0.3 0.6\ndampingRatio 0.5\nuseAbsParameters\n"
                        "tol 1\n1e-3\ntuning 6\n7 2e-3 2e-3 1e-8 1 1\nkappaMinMultiplier 3e10\nground 0 -1\n") +
            one_tet);
  EXPECT_EQ(s.time.integrator, TimeIntegrator::implicit_newmark);
  EXPECT_EQ(s.time.newmark_beta, 0.3);
  EXPECT_NEAR(s.bodies[0].material.damping, 0.75 * 0.5 * 0.1, 1e-15);
  EXPECT_TRUE(s.solver.tolerance_is_absolute);
  EXPECT_NEAR(s.solver.tolerance, 1e-2, 1e-17);
  EXPECT_EQ(s.contact.kappa, 7);
  EXPECT_EQ(s.contact.dhat, 2e-3);
  EXPECT_TRUE(s.contact.dhat_is_absolute);
  EXPECT_EQ(s.contact.close_distance, 1e-8);
  EXPECT_EQ(s.contact.kappa_min_multiplier, 3e10);
  EXPECT_EQ(s.half_spaces.at(0).point, Vec<3>(0, -1, 0));
}

TEST_F(SmallScripts, ProblemsNameTheirLine) {
  const std::string tet = one_tet;
  EXPECT_EQ(problems(tet + "stiffnes 1 2"),
            Lines{"line 3: warning: unknown keyword, ignored; did you mean `stiffness`? (got stiffnes)"});
  EXPECT_EQ(problems(tet + "time 1"), (Lines{"line 3: expected a number for the time step (got the end of the line)",
                                             "line 3: duration and time step must be above 0"}));
  EXPECT_EQ(
      problems("shapes input 2\ntet.msh 0 0 0  0 0 0  1 1\n"),
      (Lines{"line 2: expected 3 numbers for the scale, not 2", "line 1: 2 lines of shapes must follow, found 1"}));
  EXPECT_EQ(
      problems("shapes input 1\nno.msh 0 0 0  0 0 0  1 1 1"),
      Lines{"line 2: the mesh file was found neither beside the script nor from any directory above it (got no.msh)"});
  EXPECT_EQ(problems(tet + "script moonwalk"),
            Lines{"line 3: this script is not known, although it would change the motion (got moonwalk)"});
  EXPECT_EQ(problems(tet + "constraintSolver SQP"),
            Lines{"line 3: QP and SQP contact solvers are not supported; only interiorPoint is (got SQP)"});
  EXPECT_EQ(problems(tet + "warmStart 1"), Lines{});
  EXPECT_EQ(problems(tet + "warmStart 3"),
            Lines{"line 3: warning: warmStart is ignored; steps start from the last positions (got 3)"});
  EXPECT_EQ(problems(tet + "script standInv"),
            Lines{"line 3: the script starts with the model turned inside out, but a scene starts in its rest shape "
                  "(got standInv)"});
  EXPECT_EQ(problems(tet + "restart status7").size(), 1U);
}

TEST_F(SmallScripts, SectionsOfOtherSolversAreSkipped) {
  const SceneDesc s = scene(std::string("section QP SQP\ntime 9 9\nconstraintSolver QP\nsection end\nsection IP\n"
                                        "density 5\nsection end\nturnOffGravity\n") +
                            one_tet + "section SQP\nbroken");
  EXPECT_EQ(s.time.duration, 5);
  EXPECT_EQ(s.bodies[0].material.density, 5);
  EXPECT_EQ(s.gravity, Vec<3>(0, 0, 0));
}

TEST_F(SmallScripts, DirichletBoxesAreMotionsOfPartsOfABody) {
  const SceneDesc s = scene(
      "shapes input 1\ntet.msh 0 0 0  0 0 0  1 1 1  DBC 0 0 0  0.1 1 1  1 2 3  0 45 0  0.5 2 \\\n"
      "  DBC 0.9 0 0  1 1 1  0 0 0  0 0 0");
  const std::vector<MotionDesc>& motions = s.bodies.at(0).motions;
  ASSERT_EQ(motions.size(), 2U);
  EXPECT_EQ(motions[0].region.frame, RegionFrame::body);
  EXPECT_TRUE(motions[0].region.surface_only);
  EXPECT_EQ((*motions[0].region.box)[1], Vec<3>(0.1, 1, 1));
  EXPECT_EQ(motions[0].angular_velocity, Vec<3>(0, 45, 0));
  EXPECT_EQ(motions[0].start, 0.5);
  EXPECT_EQ(motions[0].end, 2);
  EXPECT_EQ(motions[1].end, infinity);
}

TEST_F(SmallScripts, NeumannBoxesAreAccelerationsOfTheSurface) {
  const SceneDesc s = scene(
      "NBCTimeRange 0.25 inf\nDBCTimeRange 0 1\nshapes input 1\ntet.msh 0 0 0  0 0 0  1 1 1  "
      "NBC 0 0 0  0.1 1 1  1 -2 3  0 2  NBC 0.9 0 0  1 1 1  0 0 5  DBC 0 0 0  1 1 1  0 0 0  0 0 0  NBC 0 0 0  1 1 1  1 "
      "0 0  0 0.25");
  const std::vector<LoadDesc>& loads = s.bodies.at(0).loads;
  // The last window ends before the one in which all loads begin.
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].kind, LoadKind::acceleration);
  EXPECT_EQ(loads[0].region.frame, RegionFrame::body);
  EXPECT_TRUE(loads[0].region.surface_only);
  EXPECT_EQ(loads[0].value, Vec<3>(1, -2, 3));
  EXPECT_EQ(loads[0].start, 0.25);
  EXPECT_EQ(loads[0].end, 2);
  EXPECT_EQ(loads[1].end, infinity);
  EXPECT_EQ(s.bodies[0].motions.at(0).end, 1);
}

TEST_F(SmallScripts, FrictionReachesTheScene) {
  std::ofstream(folder_ / "wall.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const std::string walls =
      "meshCO wall.obj 9 0 0  1 0  0.2\nmeshCO wall.obj 99 0 0  1 0  0\nmeshCO wall.obj 999 0 0 1 0 0.5\n";
  const SceneDesc s = scene(
      "selfFric 0.5\nfricIterAmt -1\ntuning 6\n0 1e-3 1e-3 1e-9 8e-3 2e-3\nground 0 -1\nhalfSpace 0 -2 0 0 1 0 50 "
      "0.3\n" +
      walls + one_tet);
  EXPECT_EQ(s.friction.coefficient, 0.5);
  EXPECT_EQ(s.friction.iterations, 0);
  EXPECT_EQ(s.friction.eps_v, 2e-3);
  EXPECT_FALSE(s.friction.eps_v_is_absolute);
  EXPECT_EQ(s.half_spaces.at(0).friction, 0.0);
  EXPECT_EQ(s.half_spaces.at(1).friction, 0.3);
  // The obstacle's coefficient counts: as a pair, unless the geometric mean is equal anyway.
  EXPECT_EQ(s.bodies.at(1).friction, 0.2);
  EXPECT_EQ(s.bodies.at(2).friction, 0.0);
  EXPECT_FALSE(s.bodies.at(3).friction.has_value());
  ASSERT_EQ(s.friction.pairs.size(), 1U);
  EXPECT_EQ(s.friction.pairs[0].bodies, (std::array<std::string, 2>{"tet", "wall"}));
  EXPECT_EQ(s.friction.pairs[0].coefficient, 0.2);
  EXPECT_EQ(problems(walls + one_tet),
            Lines{"line 1: warning: friction on `meshCO` uses its coefficient, which IPC reads but does not use"});
  EXPECT_EQ(scene(std::string("useAbsParameters\nepsv 3e-3\n") + one_tet).friction.eps_v, 3e-3);
}

TEST_F(SmallScripts, WithoutSelfCollisionOnlyObstaclesAreTouched) {
  std::ofstream(folder_ / "wall.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const std::string shapes =
      "selfCollisionOff\nselfFric 0.5\nshapes input 3\ntet.msh 0 0 0  0 0 0  1 1 1\nwall.obj 5 0 0  0 0 0  1 1 "
      "1\ntet.msh 2 0 0  0 0 0  1 1 1\n";
  EXPECT_FALSE(scene(shapes).contact.enabled);
  const SceneDesc s = scene(shapes + "meshCO wall.obj 9 0 0  1 0  0.2");
  EXPECT_TRUE(s.contact.enabled && s.contact.obstacles_only);
  ASSERT_EQ(s.bodies.size(), 3U);
  EXPECT_EQ(s.bodies[1].name, "tet 2");
  EXPECT_EQ(s.bodies[2].friction, 0.2);
  EXPECT_EQ(s.friction.pairs.at(1).bodies, (std::array<std::string, 2>{"tet 2", "wall 2"}));
}

TEST_F(SmallScripts, GridsTurnWithTheModelCopyByCopy) {
  const SceneDesc s = scene("rotateModel 0 0 1 90\nshapeMatrix input 2 1 3\ntet.msh 2 0 3  0 0 0  1 1 1\n");
  ASSERT_EQ(s.bodies.size(), 6U);
  const WorldBox box = world_box(s, BodyKind::deformable);
  // 3 x 1 x 7, turned about half of its extents: (1.5, 0.5).
  EXPECT_NEAR((box.min - Vec<3>(1, -1, 0)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((box.max - Vec<3>(2, 2, 7)).norm(), 0.0, 1e-14);
  EXPECT_EQ(s.bodies[5].name, "tet 6");
}

TEST_F(SmallScripts, MeshSequencesAreFoundLikeMeshes) {
  std::filesystem::create_directories(folder_ / "scripts/frames");
  const std::string shape = "shapes input 1\ntet.msh 0 0 0  0 0 0  1 1 1  meshSeq ";
  const MotionDesc motion = scene(shape + "frames").bodies.at(0).motions.at(0);
  EXPECT_EQ(motion.mesh_sequence, (folder_ / "scripts/frames").string());
  EXPECT_EQ(motion.mesh_sequence_first, 0);
  EXPECT_EQ(problems(shape + "film"),
            Lines{"line 2: the folder was found neither beside the script nor from any directory above it (got film)"});
}

TEST_F(SmallScripts, TurningShapesWhoseBoxWandersAreToldOf) {
  // The box of a turning brick keeps its middle, that of a triangle does not: a quarter turn of a right triangle with
  // legs of 1 in two steps. The turned one has its box at -r/2..r/2, 0..r/2 (r = sqrt 2) for a middle of r/4 beside.
  std::ofstream(folder_ / "corner.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  std::ofstream(folder_ / "plate.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n";
  const std::string start = std::string("time 1 0.5\n") + one_tet + "shapes input 1\n";
  EXPECT_EQ(problems(start + "plate.obj 5 0 0  0 0 0  1 1 1  angularVelocity 0 0 90"), Lines{});
  const Lines told = problems(start + "corner.obj 5 0 0  0 0 0  1 1 1  angularVelocity 0 0 90");
  ASSERT_EQ(told.size(), 1U);
  // |(I - R) b| = 2 sin(22.5 deg) r / 4
  EXPECT_NE(told[0].find("moves this shape by up to 0.27 m"), std::string::npos) << told[0];
}

TEST_F(SmallScripts, LinksThatWereStoredAsTextAreFollowed) {
  std::ofstream(folder_ / "scripts/target.txt") << "density 77\n" << one_tet;
  std::ofstream(folder_ / "scripts/deep/link.txt") << "../target.txt";
  const Result<LoadedScene> loaded = read_ipc_script(folder_ / "scripts/deep/link.txt");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->scene.name, "link");
  EXPECT_EQ(loaded->scene.bodies.at(0).material.density, 77);
}

}  // namespace
}  // namespace clearance
