// What is there to say of the world when nothing is selected: gravity, time, ground, what is shown.
import { element, icon } from "./elements.js"

const SHOWN = [
  ["forces", "Forces"],
  ["contacts", "Contact forces"],
  ["cones", "Friction cones"],
  ["velocities", "Velocities"],
  ["joints", "Joints"],
  ["reactions", "Reactions"],
  ["distances", "Distances"],
  ["names", "Names"],
]
const GROUND_UNITS = { slope: "rad" }

/** Rows of the inspector; `fields(name, fields)` makes fields that set numbers of what has a name. */
export function worldRows(studio, fields) {
  const { scene } = studio.world
  const ground = Object.fromEntries(
    ["friction", "restitution", "slope"]
      .filter(key => typeof scene.ground?.[key] === "number")
      .map(key => [key, { value: scene.ground[key], unit: GROUND_UNITS[key] ?? "" }]),
  )
  return [
    head(scene),
    element("h3", { text: "World" }),
    ...fields("world", {
      gravity: { value: scene.gravity ?? [0, 0, -9.81], unit: "m/s²" },
      dt: { value: scene.settings.dt ?? 0.001, unit: "s" },
    }),
    Object.keys(ground).length ? element("h3", { text: "Ground" }) : null,
    ...fields("ground", ground),
    element("h3", { text: "Show" }),
    element("div", { class: "chips" }, ...SHOWN.map(([name, title]) => chip(studio, name, title))),
  ]
}

function head({ name, bodies, joints, parts }) {
  const title = name && name !== "untitled" ? name : "Nothing selected"
  const text = `${count(bodies, "body", "bodies")} · ${count(joints, "joint")} · ${count(parts, "part")}`
  return element(
    "div",
    { class: "head" },
    icon("frame", 26),
    element("div", {}, element("p", { class: "name", text: title }), element("p", { class: "about", text })),
  )
}

const count = (list, one, many = `${one}s`) => `${list.length} ${list.length === 1 ? one : many}`

function chip(studio, name, title) {
  const on = studio.world.scene.shown?.includes(name) ?? false
  return element("button", {
    type: "button",
    class: "chip",
    "aria-pressed": String(on),
    text: title,
    "data-key": `show ${name}`,
    onclick: () => studio.run(`show ${name} ${on ? "off" : "on"}`),
  })
}
