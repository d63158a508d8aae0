// Materials: colours that tell parts apart, and how rough or metallic they are.
//
// The hues keep their distance for eyes that see no red or no green (after Okabe and Ito 2002), and
// differ in lightness as well, so that neighbours are told apart even without colour.

import { rgb } from "./themes.js"

/** Colours of bodies that state none, in the order of their depth or number. */
export const PALETTE = [
  "#64798f", "#2f79b5", "#e59a3c", "#3aa597", "#c4573f", "#8fc1e3", "#8a5a94", "#d8cba8",
].map(rgb)

/** Roughness, metal, own light, stripes along z: what shaders.js calls a look. */
export const LOOKS = {
  plastic: [0.42, 0, 0, 0],
  metal: [0.32, 0.85, 0, 0],
  painted: [0.3, 0.1, 0, 0],
  rubber: [0.9, 0, 0, 0],
  wood: [0.72, 0, 0, 0],
  sign: [0.8, 0, 0.75, 0],
}

/** What contacts do, and pushes from outside. The shape says it as well as the colour: arrows.js draws each in its own way. */
export const STATES = {
  open: { color: rgb("#8b949e"), pattern: 0, words: "open" },
  stick: { color: rgb("#1b9a78"), pattern: 0, words: "sticks" },
  slip: { color: rgb("#f08a1d"), pattern: 7, words: "slips" },
  impact: { color: rgb("#d6336c"), pattern: 0, words: "strikes" },
  push: { color: rgb("#8a4fd0"), pattern: 0, words: "pushes" },
}

/** Colours of vectors by what they are. */
export const VECTORS = {
  force: rgb("#d6336c"),
  torque: rgb("#8a4fd0"),
  velocity: rgb("#1c8fd6"),
  acceleration: rgb("#0f9e9e"),
  pull: rgb("#f08a1d"),
}

/** The colour of a body that states none. */
export const colorOf = number => PALETTE[((number % PALETTE.length) + PALETTE.length) % PALETTE.length]

/**
 * The look of a surface: what it says, or what its colour suggests.
 *
 * Files tell colours and hardly ever materials. Greys are taken for metal, what is nearly black for
 * rubber, the rest for plastic.
 */
export function lookOf(color, material) {
  if (material !== undefined) {
    if (!LOOKS[material]) throw new Error(`the material is ${material}, must be one of ${Object.keys(LOOKS).join(", ")}`)
    return LOOKS[material]
  }
  const [low, high] = [Math.min(...color.slice(0, 3)), Math.max(...color.slice(0, 3))]
  if (high < 0.16) return LOOKS.rubber
  return high - low < 0.05 && high < 0.85 ? LOOKS.painted : LOOKS.plastic
}
