// All that the palette has: what people call it, how it is put into the world, its first numbers.
//
// `how` is one of "place" (a click), "draw" and "wire" (two clicks are its ends), "mesh" (a file, a
// click), "connect" (two attachment points), "attach" (one attachment point), "joint" (one joint),
// "joints" (two joints), "path".

const part = (kind, title, how = "place") => ({ kind, title, how, start: "" })
const joint = (kind, title, axis = false) => ({ kind, title, how: "connect", start: "", axis })
const between = (kind, title, start = "") => ({ kind, title, how: "connect", start })
const at = (kind, title, start = "") => ({ kind, title, how: "attach", start })

export const GROUPS = [
  {
    title: "Parts",
    kinds: [
      part("rod", "Rod", "draw"),
      part("box", "Box"),
      part("plate", "Plate"),
      part("sphere", "Sphere"),
      part("wheel", "Wheel"),
      part("capsule", "Capsule", "draw"),
      part("foot", "Foot"),
      part("wire", "Wire", "wire"),
      part("mesh", "Mesh", "mesh"),
    ],
  },
  {
    title: "Joints",
    kinds: [
      joint("revolute", "Hinge", true),
      joint("spherical", "Ball"),
      joint("prismatic", "Slide", true),
      joint("universal", "Universal", true),
      joint("cylindrical", "Cylinder", true),
      joint("planar", "Planar", true),
      joint("weld", "Weld"),
      { kind: "gear", title: "Gear", how: "joints", start: "-ratio -2" },
      { kind: "rotor", title: "Rotor", how: "joint", start: "-ratio 10 -inertia 0.0001" },
    ],
  },
  {
    title: "Forces",
    kinds: [
      between("spring", "Spring", "-stiffness 200 -damping 1"),
      between("damper", "Damper", "-damping 10"),
      between("string", "String", "-stiffness 5000 -damping 20"),
      between("rubber", "Rubber", "-stiffness 200"),
      { kind: "motor", title: "Motor", how: "joint", start: "-constant 0.5 -resistance 1 -voltage 6" },
      at("wrench", "Push", "-force 0 0 5"),
      at("brake", "Brake", "-damping 5"),
      at("support", "Support", "-stiffness 2000 -damping 20"),
      at("damping", "Damping", "-linear 0.5"),
      at("drag", "Air drag", "-quadratic 0.2"),
    ],
  },
  {
    title: "Holds",
    kinds: [
      at("nail", "Nail"),
      between("point_to_point", "On a point"),
      between("distance", "Distance"),
      { kind: "point_on_path", title: "On a path", how: "path", start: "" },
      at("point_in_plane", "In a plane", "-normal 0 1 0"),
      at("orientation", "Orientation"),
    ],
  },
]

/** All kinds of the palette by name. */
export const KINDS = new Map(GROUPS.flatMap(group => group.kinds).map(each => [each.kind, each]))
