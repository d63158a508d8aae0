"""A humanoid walks: legs and soles are found in the model, steps adapt to what is measured.

The machine is Lola, in simulation with contact at the corners of its soles.
"""

import tarsus as ts

m = ts.robots.lola()
body = ts.gait.Anatomy.from_model(m)
print(body)

# a few steps ahead, and what they took
walked = ts.walking.walk(body, speed=0.3, steps=4)
print(walked.report)

# the plan alone: footsteps on stairs, and how the divergent component moves along them
walker = ts.walking.Biped.ready(body)
stairs = ts.Steps(rise=0.1, depth=0.4, count=3, start=0.4)
steps = walker.footsteps(speed=0.15, steps=8).on(stairs, body.legs[0].sole.corners)
plan = walker.supports.plan(steps.position)
print(f"steps end {steps.position[-1, 2]:.1f} m higher, after {plan.times[-1]:.1f} s")
