// Line drawings of the scenes of the gallery, 120 by 72; those without one of their own get a mark.
const SVG = "http://www.w3.org/2000/svg"

const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`
const wave = Array.from({ length: 9 }, (_, k) => {
  const angle = 0.5 * Math.sin(0.8 * k),
    x = 20 + 10 * k,
    length = 50 - 3 * k
  const end = [x + length * Math.sin(angle), 10 + length * Math.cos(angle)]
  return [`M${x} 10L${end[0].toFixed(1)} ${end[1].toFixed(1)}`, "!" + ring(end[0], end[1], 3)]
})

/** Strokes of a scene: thick ones are bodies, those with ~ are thin, with ! filled, with ^ in the accent. */
const SKETCHES = {
  tensegrity: [
    "M34 20L86 52",
    "M38 56L82 14",
    "M60 8L60 66",
    "~M34 20L38 56L60 66L86 52L82 14L60 8Z",
    "^~M34 20L82 14M38 56L86 52",
  ],
  "four-bar": [
    "M24 58L40 22",
    "^M40 22L84 12",
    "M84 12L96 58",
    "~M16 58h88",
    "!" + ring(24, 58, 3),
    "!" + ring(96, 58, 3),
    "!" + ring(40, 22, 3),
    "!" + ring(84, 12, 3),
  ],
  "three-bar": ["M14 44L46 30", "^M46 30L76 42", "M76 42L106 26", "!" + ring(46, 30, 3), "!" + ring(76, 42, 3)],
  "nailed-chain": [
    "M14 22L40 36L66 26L92 46",
    "^M92 46L108 30",
    "!" + ring(40, 36, 3),
    "!" + ring(66, 26, 3),
    "!" + ring(92, 46, 3),
    "M8 14l12 16M20 14L8 30",
  ],
  chain: [
    "M16 14C24 62 96 62 104 14",
    "!" + ring(16, 14, 4),
    "!" + ring(104, 14, 4),
    "^" + ring(38, 44, 2),
    "^" + ring(60, 50, 2),
    "^" + ring(82, 44, 2),
  ],
  car: [
    "M34 46h56v-13l-13-2-11-15H45l-9 15z",
    ring(47, 48, 8),
    ring(79, 48, 8),
    "^M6 60c14 2 26 0 34-4M22 68c20 2 44-2 56-10",
  ],
  cans: [
    "M58 50h50v-12l-12-2-10-14H66l-8 14z",
    ring(70, 52, 7),
    ring(98, 52, 7),
    "~M58 46L34 54L14 50",
    "^M28 48l8 10M10 44l8 12",
  ],
  "pendulum-wave": ["~M12 10h96", ...wave.flat()],
  gyroscope: [
    "M60 66L60 40",
    "^" + "M34 30a26 9 0 1 0 52 0a26 9 0 1 0-52 0",
    "M60 40L60 8",
    "~M40 66h40",
    ring(60, 30, 18),
  ],
  strandbeest: [
    "M30 14L60 26L44 44L22 38Z",
    "M60 26L90 14L98 38L76 44Z",
    "^M22 38L32 64M44 44L32 64",
    "^M98 38L88 64M76 44L88 64",
    "~M10 65h100",
    "!" + ring(60, 26, 3),
  ],
  bowl: ["M14 16C18 72 102 72 106 16", "^!" + ring(84, 44, 7), "~M84 44C70 56 44 56 34 40"],
  compass: ["~M8 56L112 66", "M60 18L40 59", "^M60 18L84 62", "!" + ring(60, 17, 5)],
  "curved-foot": [
    "~M8 60L112 64",
    "M60 14L46 54",
    "^M60 14L78 52",
    "M36 54a20 12 0 0 0 22 4",
    "^M68 54a20 12 0 0 0 22 3",
    "!" + ring(60, 14, 5),
  ],
  quadruped: [
    "M26 20h64v12H26z",
    "^M32 32L24 46L34 62",
    "^M80 32L72 46L82 62",
    "M40 32L34 46L44 62",
    "M88 32L82 46L92 62",
    "~M12 63h96",
  ],
  lola: [
    "M60 24v22",
    ring(60, 14, 7),
    "M60 46L50 56L52 68",
    "^M60 46L72 56L68 68",
    "M60 28L46 36L50 46",
    "^M60 28L76 34L80 44",
    "~M30 69h60",
  ],
  pendulum: ["~M30 10h60", "^M60 10L82 50", "!" + ring(83, 52, 8), "~M83 62A44 44 0 0 1 34 56"],
  gallery: ["M18 12h36v22H18zM66 12h36v22H66zM18 42h36v22H18zM66 42h36v22H66z", "^M24 30l8-10 8 8 4-4 6 6"],
  other: ["M36 50L60 18L86 46", "^" + ring(60, 18, 5), ring(36, 50, 5), ring(86, 46, 5), "~M20 60h80"],
}

const ALIASES = [
  [/tensegrity/, "tensegrity"],
  [/nail/, "nailed-chain"],
  [/chain/, "chain"],
  [/four.?bar|crank|rocker/, "four-bar"],
  [/three.?bar/, "three-bar"],
  [/cans/, "cans"],
  [/police|car/, "car"],
  [/wave/, "pendulum-wave"],
  [/gyro|top/, "gyroscope"],
  [/strand|beest|jansen/, "strandbeest"],
  [/bowl|ball/, "bowl"],
  [/compass/, "compass"],
  [/curved|foot|feet/, "curved-foot"],
  [/quadruped|solo|dog|spot/, "quadruped"],
  [/lola|biped|humanoid/, "lola"],
  [/pendulum/, "pendulum"],
]

/** The drawing for a scene's name. */
export function sketch(name) {
  const key = SKETCHES[name] ? name : (ALIASES.find(([pattern]) => pattern.test(name))?.[1] ?? "other")
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", "0 0 120 76")
  svg.setAttribute("class", "sketch")
  svg.setAttribute("aria-hidden", "true")
  for (const stroke of SKETCHES[key]) {
    const path = document.createElementNS(SVG, "path"),
      [marks] = stroke.match(/^[!~^]*/)
    path.setAttribute("d", stroke.slice(marks.length))
    path.setAttribute("class", [...marks].map(mark => ({ "!": "filled", "~": "thin", "^": "accent" })[mark]).join(" "))
    svg.append(path)
  }
  return svg
}
