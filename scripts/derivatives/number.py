"""Numbers that carry their derivatives by the parameters of a case, so that the chain rule needs no formulas."""

import math


class Number:
    """A value and its derivatives by the names of parameters; what it does not name has the derivative zero."""

    __slots__ = ("value", "by")

    def __init__(self, value, by=None):
        self.value = float(value)
        self.by = by or {}

    def derivative(self, name):
        return self.by.get(name, 0.0)

    def __add__(self, other):
        return combined(1.0, self, 1.0, other, value_of(self) + value_of(other))

    def __sub__(self, other):
        return combined(1.0, self, -1.0, other, value_of(self) - value_of(other))

    def __rsub__(self, other):
        return number(other) - self

    def __mul__(self, other):
        a, b = value_of(self), value_of(other)
        return combined(b, self, a, other, a * b)

    def __truediv__(self, other):
        a, b = value_of(self), value_of(other)
        return combined(1.0 / b, self, -a / (b * b), other, a / b)

    def __rtruediv__(self, other):
        return number(other) / self

    def __neg__(self):
        return 0.0 - self

    def __float__(self):
        return self.value

    __radd__, __rmul__ = __add__, __mul__


def number(value):
    return value if isinstance(value, Number) else Number(value)


def value_of(value):
    return value.value if isinstance(value, Number) else float(value)


def combined(s, a, t, b, value):
    """Returns a number with s times the derivatives of a and t times those of b."""
    by = {name: s * d for name, d in number(a).by.items()}
    for name, d in number(b).by.items():
        by[name] = by.get(name, 0.0) + t * d
    return Number(value, by)


def scaled(a, slope, value):
    return combined(slope, a, 0.0, 0.0, value)


def sqrt(a):
    root = math.sqrt(value_of(a))
    return scaled(a, 0.5 / root, root)


def sin(a):
    return scaled(a, math.cos(value_of(a)), math.sin(value_of(a)))


def cos(a):
    return scaled(a, -math.sin(value_of(a)), math.cos(value_of(a)))


def atan(a):
    return scaled(a, 1.0 / (1.0 + value_of(a) ** 2), math.atan(value_of(a)))


def atan2(y, x):
    """Returns the angle of (x, y), between -pi and pi."""
    a, b = value_of(y), value_of(x)
    square = a * a + b * b
    return combined(b / square, y, -a / square, x, math.atan2(a, b))


def degrees(a):
    return number(a) * (180.0 / math.pi)


def radians(a):
    return number(a) * (math.pi / 180.0)


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Number(0.0))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
