"""Curves of errors against seconds, as a picture: that of `./dev bench remesh`."""

import math

WIDTH, HEIGHT, MARGIN, TOP = 190, 170, 34, 24  # of the area of a scene
COLOURS = {"uniform": "#555", "adaptive": "#1b7fbd", "by default": "#d1491f", "sizing field": "#3a9a4a"}


def kind(variant):
    return "uniform" if variant.startswith("uniform") else variant


def colour(variant):
    return COLOURS[kind(variant)]


class Axis:
    """Whole powers of ten around some values, from `start` to `end` of the picture."""

    def __init__(self, values, start, end):
        self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self.start, self.end = start, end

    def place(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def marks(self):
        return [10.0 ** k for k in range(self.low, self.high + 1)]


def text(x, y, words, anchor="middle", fill="#333"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{words}</text>'


def panel(name, points, left):
    """Returns the drawing of a scene. Of the finest variant, whose error is 0, only the seconds are drawn: as a line."""
    errors = {variant: point for variant, point in points.items() if point[1] > 0.0}
    x = Axis([seconds for seconds, _ in points.values()], left + MARGIN, left + WIDTH)
    y = Axis([100 * error for _, error in errors.values()], TOP + HEIGHT - MARGIN, TOP)
    parts = [text((x.start + x.end) / 2, TOP - 10, name)]
    for value in x.marks():
        parts.append(f'<path d="M{x.place(value):.1f} {y.end}V{y.start}" stroke="#ddd"/>')
        parts.append(text(x.place(value), y.start + 12, f"{value:g}"))
    for value in y.marks():
        parts.append(f'<path d="M{x.start} {y.place(value):.1f}H{x.end}" stroke="#ddd"/>')
        parts.append(text(x.start - 3, y.place(value) + 3, f"{value:g} %", "end"))
    for variant, (seconds, error) in points.items():
        if error == 0.0:
            at = x.place(seconds)
            parts.append(f'<path d="M{at:.1f} {y.end}V{y.start}" stroke="{colour(variant)}" stroke-dasharray="3 3"/>')
    places = {variant: (x.place(seconds), y.place(100 * error)) for variant, (seconds, error) in errors.items()}
    line = [f"{at[0]:.1f},{at[1]:.1f}" for variant, at in places.items() if variant.startswith("uniform")]
    parts.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{COLOURS["uniform"]}"/>')
    parts += [f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="4" fill="{colour(v)}"/>' for v, at in places.items()]
    return "".join(parts)


def curves(scenes):
    """Returns a picture (SVG) with an area for each scene: `scenes` holds pairs of seconds a step and error by variant,
    by name."""
    shown = {name: points for name, points in scenes.items() if any(error > 0.0 for _, error in points.values())}
    width, height = WIDTH * len(shown) + 10, HEIGHT + TOP + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             f'font-size="9"><rect width="{width}" height="{height}" fill="white"/>']
    parts += [panel(name, points, WIDTH * k) for k, (name, points) in enumerate(shown.items())]
    parts.append(text(MARGIN, height - 28, "processor seconds a step", "start"))
    kinds = list(dict.fromkeys(kind(variant) for points in shown.values() for variant in points))
    for k, name in enumerate(kinds):
        parts.append(f'<circle cx="{MARGIN + 4 + 100 * k}" cy="{height - 13}" r="4" fill="{COLOURS[name]}"/>')
        parts.append(text(MARGIN + 12 + 100 * k, height - 10, name, "start"))
    parts.append(text(MARGIN + 12 + 100 * len(kinds), height - 10, "dashed: seconds of the finest, which errors refer to",
                      "start"))
    return "".join(parts) + "</svg>\n"
