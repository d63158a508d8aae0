// Light and dark: the sun, the sky, the ground and the marks of each, as one look.

import { unit } from "./vectors.js"

/** [red, green, blue] of "#rrggbb", from 0 to 1. */
export const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)

export const THEMES = {
  light: {
    name: "light",
    sun: unit([0.42, -0.55, 0.95]),
    sunLight: [1.72, 1.62, 1.48],
    skyLight: [0.5, 0.56, 0.64],
    bounceLight: [0.3, 0.28, 0.26],
    exposure: 0.66,
    zenith: rgb("#5d9bd3"),
    horizon: rgb("#e4edf3"),
    soil: rgb("#bdbfbb"),
    ink: rgb("#4d5861"),
    selected: rgb("#ff8a1e"),
    hovered: rgb("#1673c8"),
    text: "#17212b",
  },
  dark: {
    name: "dark",
    sun: unit([0.42, -0.55, 0.95]),
    sunLight: [1.75, 1.72, 1.7],
    skyLight: [0.58, 0.66, 0.78],
    bounceLight: [0.34, 0.36, 0.4],
    exposure: 0.68,
    zenith: rgb("#0a0f16"),
    horizon: rgb("#2a3744"),
    soil: rgb("#282e35"),
    ink: rgb("#93a4b4"),
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
