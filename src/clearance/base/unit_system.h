// Systems of units that a scene may name: its numbers, and all numbers that the program prints and stores for it, are
// in these units. All systems are consistent (force = mass times acceleration), so that nothing is converted; only
// numbers that the program supplies, such as defaults, depend on the system.
#pragma once

#include <string>
#include <string_view>

namespace clearance {

/// Powers of length, mass and time in a quantity.
struct Dimension {
  int length = 0;
  int mass = 0;
  int time = 0;

  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimension {
inline constexpr Dimension length{1, 0, 0};
inline constexpr Dimension mass{0, 1, 0};
inline constexpr Dimension time{0, 0, 1};
inline constexpr Dimension speed{1, 0, -1};
inline constexpr Dimension acceleration{1, 0, -2};
inline constexpr Dimension density{-3, 1, 0};
inline constexpr Dimension force{1, 1, -2};
inline constexpr Dimension pressure{-1, 1, -2};
inline constexpr Dimension energy{2, 1, -2};
}  // namespace dimension

/// Names as in scenes, see enums.h.
enum class UnitSystemName { m_n_pa, mm_n_mpa, cm_g_s, m_kn_kpa, mm_kn_gpa, in_lbf_psi, ft_lbf_psf };

struct UnitSystem {
  std::string_view name = "m-N-Pa";
  double length = 1.0;  ///< [m]
  double mass = 1.0;    ///< [kg]
  double time = 1.0;    ///< [s]
  std::string_view length_name = "m";
  std::string_view mass_name = "kg";
  std::string_view time_name = "s";
  std::string_view force_name = "N";
  std::string_view pressure_name = "Pa";
  std::string_view energy_name = "J";

  bool is_si() const { return length == 1.0 && mass == 1.0 && time == 1.0; }
  /// Converts a number in SI units. In SI itself it keeps its bits, and in other systems round numbers stay round:
  /// 1000 kg/m^3 are exactly the double 1e-9 in t/mm^3.
  double from_si(double value, const Dimension& dimension) const;
  /// Converts a number in these units to SI.
  double to_si(double value, const Dimension& dimension) const;
  /// Replaces m, kg, s, N, Pa and J in a text of units, such as `kg/m^3`, by the names of this system.
  std::string text(std::string_view si_units) const;
  /// Does so in a message, for units that follow a number, as in `starts 0.1 m from 'box'`. Messages about a scene have
  /// numbers in its units, and the program writes all of them with the names of SI.
  std::string message(std::string_view text_with_si_units) const;
};

/// Returns the system with this name.
const UnitSystem& unit_system(UnitSystemName name);
/// Returns the system with the name that scenes use; null if there is none.
const UnitSystem* find_unit_system(std::string_view name);

}  // namespace clearance
