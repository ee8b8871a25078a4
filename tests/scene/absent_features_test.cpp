// Features that do not exist are refused by their name.
#include "clearance/scene/absent_features.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "clearance/scene/json_reader.h"
#include "support/paths.h"

namespace clearance {
namespace {

std::string first_message(const std::string& scene) {
  Issues issues;
  scene_from_json(Json::parse(scene), issues);
  return issues.empty() ? "" : issues.front().place + ": " + issues.front().message;
}

std::string body_with(const std::string& more) {
  return R"({"bodies": [{"generator": {"kind": "sphere", "size": [0.1]}, )" + more + "}]}";
}

TEST(AbsentFeatures, AreRefusedByName) {
  const std::string soil = first_message(body_with(R"("material": {"drucker_prager": 1e6})"));
  EXPECT_TRUE(
      soil.starts_with("bodies[0].material.drucker_prager: unknown key; plasticity other than von Mises with "
                       "isotropic hardening is not supported (docs/limits.md)"))
      << soil;
  EXPECT_EQ(first_message(R"({"temperature": 300, "bodies": []})"),
            "temperature: unknown key; heat is not supported (docs/limits.md)");
  EXPECT_EQ(first_message(body_with(R"("material": {"thermal_conductivity": 1})")),
            "bodies[0].material.thermal_conductivity: unknown key; heat is not supported (docs/limits.md)");
  EXPECT_EQ(first_message(body_with(R"("material": {"viscosity": 1})")),
            "bodies[0].material.viscosity: unknown key; viscoelasticity is not supported (docs/limits.md); `damping` "
            "of solids is a stress in proportion to the rate of strain");
  EXPECT_EQ(first_message(R"({"contact": {"adhesion_strength": 1}, "bodies": []})"),
            "contact.adhesion_strength: unknown key; adhesion is not supported (docs/limits.md)");
  const std::string stitched = first_message(body_with(R"("stitches": [])"));
  EXPECT_TRUE(stitched.starts_with("bodies[0].stitches: unknown key; ")) << stitched;
  EXPECT_TRUE(stitched.ends_with("; `attachments` of the scene hold nodes to other bodies, with `tied` as glue"))
      << stitched;
  const std::string plastic = first_message(body_with(R"("material": {"model": "j2_plasticity"})"));
  EXPECT_TRUE(
      plastic.ends_with("; materials of solids have `yield_stress`, "
                        "`hardening_modulus` and `hardening`, `shell` and `rod` have `yield_curvature`"))
      << plastic;
}

TEST(AbsentFeatures, WordsWithinOtherWordsAskForNothing) {
  for (const char* word :
       {"", "density", "wheat", "product", "brode", "shielded", "damping", "youngs_modulos", "mesg"}) {
    EXPECT_EQ(absent_feature_text(word), "") << word;
  }
}

TEST(AbsentFeatures, AreListedInTheDocument) {
  std::ifstream file(source_folder() / "docs/limits.md");
  ASSERT_TRUE(file);
  std::stringstream text;
  text << file.rdbuf();
  for (const AbsentFeature& feature : absent_features()) {
    EXPECT_NE(text.str().find("| " + std::string(feature.name)), std::string::npos) << feature.name;
  }
}

}  // namespace
}  // namespace clearance
