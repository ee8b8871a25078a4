// Systems of units: consistent, exact where their factors are, and named in messages.
#include "clearance/base/unit_system.h"

#include <gtest/gtest.h>

#include <cmath>

namespace clearance {
namespace {

TEST(UnitSystem, SiKeepsTheBitsOfEveryNumber) {
  const UnitSystem si = unit_system(UnitSystemName::m_n_pa);
  EXPECT_TRUE(si.is_si());
  for (const double x : {9.80665, 1.0 / 3.0, 1e-300, -2.5e17}) {
    EXPECT_EQ(si.from_si(x, {-3, 1, 2}), x);
    EXPECT_EQ(si.to_si(x, {2, -1, 1}), x);
  }
}

TEST(UnitSystem, RoundNumbersStayRound) {
  const UnitSystem mm = unit_system(UnitSystemName::mm_n_mpa);
  EXPECT_EQ(mm.from_si(1000.0, dimension::density), 1e-9);
  EXPECT_EQ(mm.from_si(9.80665, dimension::acceleration), 9806.65);
  EXPECT_EQ(mm.from_si(2.1e11, dimension::pressure), 2.1e5);
  EXPECT_EQ(mm.from_si(3.0, dimension::force), 3.0);
  EXPECT_EQ(mm.to_si(1.0, dimension::energy), 1e-3);
  EXPECT_EQ(unit_system(UnitSystemName::cm_g_s).from_si(1000.0, dimension::density), 1.0);
  EXPECT_EQ(unit_system(UnitSystemName::mm_kn_gpa).from_si(1.0, dimension::time), 1e3);
  EXPECT_EQ(unit_system(UnitSystemName::mm_kn_gpa).from_si(1e9, dimension::pressure), 1.0);
  EXPECT_EQ(unit_system(UnitSystemName::m_kn_kpa).from_si(1e3, dimension::force), 1.0);
}

TEST(UnitSystem, PoundsAreThoseOfTheInternationalAgreement) {
  // 1 psi is 6894.757293168 Pa, 1 psf 47.88025898 Pa, and a slug has 14.593902937 kg; gravity is 386.0886 in/s^2.
  const UnitSystem in = unit_system(UnitSystemName::in_lbf_psi), ft = unit_system(UnitSystemName::ft_lbf_psf);
  EXPECT_NEAR(in.to_si(1.0, dimension::pressure), 6894.757293168361, 1e-9);
  EXPECT_NEAR(ft.to_si(1.0, dimension::pressure), 47.88025898033584, 1e-11);
  EXPECT_NEAR(in.to_si(1.0, dimension::force), 4.4482216152605, 1e-14);
  EXPECT_NEAR(ft.to_si(1.0, dimension::mass), 14.593902937206364, 1e-13);
  EXPECT_NEAR(in.from_si(9.80665, dimension::acceleration), 386.0885826771654, 1e-11);
  // 7850 kg/m^3 are 0.2836 lb/in^3, which is 7.345e-4 lbf s^2/in^4.
  EXPECT_NEAR(in.from_si(7850.0, dimension::density), 7.3455e-4, 1e-8);
}

TEST(UnitSystem, NamesFollowUnitsOnly) {
  const UnitSystem mm = unit_system(UnitSystemName::mm_n_mpa);
  EXPECT_EQ(mm.text("kg/m^3 (2D: kg/m^2)"), "t/mm^3 (2D: t/mm^2)");
  EXPECT_EQ(mm.text("N m s/rad"), "N mm s/rad");
  EXPECT_EQ(mm.message("body 'm 3' starts 0.1 m from 'box 2', pressed by 5 Pa: 3 m/s, 4 kg/m^3, 2 N m, 7 1/m"),
            "body 'm 3' starts 0.1 mm from 'box 2', pressed by 5 MPa: 3 mm/s, 4 t/mm^3, 2 N mm, 7 1/mm");
  EXPECT_EQ(mm.message("3 steps, 2 more, 5 meshes, 1 s, kappa = 3 J and m"),
            "3 steps, 2 more, 5 meshes, 1 s, kappa = 3 mJ and m");
  EXPECT_EQ(mm.message(mm.message("0.5 J/m^3")), "0.5 mJ/mm^3");
  EXPECT_EQ(UnitSystem{}.message("0.5 J/m^3 m"), "0.5 J/m^3 m");
  EXPECT_EQ(unit_system(UnitSystemName::in_lbf_psi).message("at 2 s: 3 N m"), "at 2 s: 3 lbf in");
}

TEST(UnitSystem, IsFoundByItsName) {
  ASSERT_NE(find_unit_system("mm-N-MPa"), nullptr);
  EXPECT_EQ(find_unit_system("mm-N-MPa")->pressure_name, "MPa");
  EXPECT_EQ(find_unit_system("mm-n-mpa"), nullptr);
}

}  // namespace
}  // namespace clearance
