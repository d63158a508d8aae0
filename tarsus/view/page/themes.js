// Light and dark: the sun, the sky, the ground and the marks of each, as one look.

import { unit } from "./vectors.js"

/** [red, green, blue] of "#rrggbb", from 0 to 1. */
export const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)

export const THEMES = {
  light: {
    name: "light",
    sun: unit([0.42, -0.55, 0.95]),
    sunLight: [2.15, 2.0, 1.78],
    skyLight: [0.62, 0.72, 0.86],
    bounceLight: [0.36, 0.34, 0.31],
    exposure: 0.78,
    zenith: rgb("#86b3dc"),
    horizon: rgb("#e6edf2"),
    soil: rgb("#b9bdba"),
    ink: rgb("#5d6a74"),
    selected: rgb("#ff8a1e"),
    hovered: rgb("#1673c8"),
    text: "#17212b",
  },
  dark: {
    name: "dark",
    sun: unit([0.42, -0.55, 0.95]),
    sunLight: [1.75, 1.72, 1.7],
    skyLight: [0.34, 0.42, 0.54],
    bounceLight: [0.14, 0.15, 0.18],
    exposure: 0.8,
    zenith: rgb("#0b1119"),
    horizon: rgb("#26323f"),
    soil: rgb("#4a545e"),
    ink: rgb("#a3b4c4"),
    selected: rgb("#ffa347"),
    hovered: rgb("#5fb4ff"),
    text: "#e8eef4",
  },
}

/** "light" or "dark", as the person's system says. */
export function preferredTheme() {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
}

/** Call back whenever the system changes from light to dark or back; return how to stop. */
export function onPreferredTheme(callback) {
  const query = matchMedia("(prefers-color-scheme: dark)")
  const tell = () => callback(preferredTheme())
  query.addEventListener("change", tell)
  return () => query.removeEventListener("change", tell)
}
