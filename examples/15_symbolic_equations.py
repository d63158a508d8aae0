"""See the equations of motion of a small machine as formulas, and make C code of them.

For machines with few joints the equations fit on a page. Here they come from the same recursions
as the numbers, on symbols of SymPy: masses and lengths may be symbols, too. Needs SymPy.
"""

import numpy as np
import sympy

import tarsus as ts

# a cart that slides, and a pole that turns on it
b = ts.Builder("cart_pole")
b.body("cart", mass=2.0)
b.body("pole", mass=0.5, com=(0, 0, 0.4))
b.joint("slide", "prismatic", "world", "cart", axis="x")
b.joint("hinge", "revolute", "cart", "pole", axis="y")
m = b.build()

s = m.symbolic(parameters=True, simplify=True)
print(s)
print("parameters", s.parameters)
print("mass matrix", s.mass_matrix)
print("Coriolis matrix", s.coriolis_matrix)
print("gravity", s.gravity_forces)

# expressions are SymPy's: solve for the accelerations, linearise, print as LaTeX …
force = sympy.Symbol("F")
bias = s.coriolis_matrix * s.v + s.gravity_forces
acceleration = s.mass_matrix.LUsolve(sympy.Matrix([force, 0]) - bias)
print("acceleration of the cart:", sympy.simplify(acceleration[0]))
upright = dict.fromkeys([*s.q, *s.v], 0)
print("linear about the upright pole:", sympy.simplify(acceleration.jacobian(s.q).subs(upright)))

# with numbers they are what the core computes
q, v = np.array([0.2, 0.7]), np.array([1.0, -2.0])
numbers = [float(number) for number in s.parameters.values()]
print("difference from the core", s.function("mass_matrix")(q, numbers) - m.mass_matrix(q))

# larger machines: numbers are exact where that is safe, and code has intermediate results
arm = ts.robots.chain(3, skew=np.pi / 3)
code = arm.symbolic().code("C", "inverse_dynamics")
print(f"inverse dynamics of {arm}: {code.count('*')} products in C, beginning with")
print("\n".join(code.splitlines()[:9]))
