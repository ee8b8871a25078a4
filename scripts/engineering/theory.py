"""Formulas of the textbooks that have no closed form."""

import math


def root(function, low, high):
    """Returns where a function changes its sign between two numbers."""
    sign = function(low) > 0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (function(middle) > 0) == sign else (low, middle)
    return 0.5 * (low + high)


def elastica_from_end(angle, along, across, moment=0.0, num_steps=400):
    """Returns (angle at the root, x, y) of a cantilever of length 1 whose end has an angle: Runge-Kutta from there."""
    def rate(theta, curvature):
        return curvature, -math.cos(theta) * across + math.sin(theta) * along
    h, theta, curvature, x, y = 1 / num_steps, angle, -moment, 0.0, 0.0
    for _ in range(num_steps):
        a = rate(theta, curvature)
        b = rate(theta + h / 2 * a[0], curvature + h / 2 * a[1])
        c = rate(theta + h / 2 * b[0], curvature + h / 2 * b[1])
        e = rate(theta + h * c[0], curvature + h * c[1])
        end = theta + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + e[0])
        middle = theta + h / 2 * b[0]
        x += h / 6 * (math.cos(theta) + 4 * math.cos(middle) + math.cos(end))
        y += h / 6 * (math.sin(theta) + 4 * math.sin(middle) + math.sin(end))
        curvature += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + e[1])
        theta = end
    return theta, x, y


def elastica(along=0.0, across=0.0, moment=0.0):
    """Returns (x, y) over the length of the end of a cantilever along x. Forces on its end are times EI / L^2, positive
    `along` pulls; the moment is times EI / L.

    EI theta'' = -across cos theta + along sin theta; theta(0) = 0 (Euler 1744; Bisshopp and Drucker 1945).
    """
    step = math.copysign(0.02, across + moment)
    low, first = 0.0, elastica_from_end(0.0, along, across, moment)[0]
    while (elastica_from_end(low + step, along, across, moment)[0] > 0) == (first > 0) and abs(low) < 7:
        low += step
    end = root(lambda angle: elastica_from_end(angle, along, across, moment)[0], low, low + step)
    return elastica_from_end(end, along, across, moment)[1:]


def neo_hookean_stress(young, poisson, stretch, num_free):
    """Returns force over area at rest [Pa] of a neo-Hookean block at a stretch, free in one (plane strain) or two other
    directions: P = G (l - 1 / l) + lambda ln J / l."""
    shear, lame = young / 2 / (1 + poisson), young * poisson / (1 + poisson) / (1 - 2 * poisson)

    def sideways(s):
        return shear * (s - 1 / s) + lame * math.log(s**num_free * stretch) / s
    side = root(sideways, 0.3, 3.0)
    return shear * (stretch - 1 / stretch) + lame * math.log(side**num_free * stretch) / stretch


def plane_modulus(young, poisson, dimension):
    """Returns E of a beam or strip [Pa]; in 2D that of plane strain."""
    return young / (1 - poisson**2) if dimension == 2 else young


def lame_displacement(pressure, inner, outer, young, poisson):
    """Returns how far the inside of a thick pipe moves out under inner pressure [m], plane strain (Lame 1852)."""
    share = pressure * inner**2 / (outer**2 - inner**2)
    return (1 + poisson) / young * share * ((1 - 2 * poisson) * inner + outer**2 / inner)


def fit_pressure(interference, radii, hub, shaft):
    """Returns the pressure of a press fit of two rings [Pa], plane strain; `radii`: inside, joint, outside; `hub` and
    `shaft`: (E, nu). Radial interference over the sum of the compliances."""
    inner, at, outer = radii

    def compliance(material, ratio, sign):
        young, poisson = material
        return at * (1 - poisson**2) / young * (ratio + sign * poisson / (1 - poisson))
    return interference / (compliance(hub, (outer**2 + at**2) / (outer**2 - at**2), 1)
                           + compliance(shaft, (at**2 + inner**2) / (at**2 - inner**2), -1))
