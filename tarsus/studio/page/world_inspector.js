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
export function worldRows(studio, kept, fields) {
  const { scene } = studio.world
  const ground = Object.fromEntries(
    ["friction", "restitution", "slope"]
      .filter(key => typeof scene.ground?.[key] === "number")
      .map(key => [key, { value: scene.ground[key], unit: GROUND_UNITS[key] ?? "" }]),
  )
  const title = text => kept.get(`title ${text}`, () => element("h3", { text }))
  return [
    head(scene, kept),
    title("World"),
    ...fields("world", {
      gravity: { value: scene.gravity ?? [0, 0, -9.81], unit: "m/s²" },
      dt: { value: scene.settings.dt ?? 0.001, unit: "s" },
    }),
    Object.keys(ground).length ? title("Ground") : null,
    ...fields("ground", ground),
    title("Show"),
    chips(studio, kept),
  ]
}

function head({ name, bodies, joints, parts }, kept) {
  const title = name && name !== "untitled" ? name : "Nothing selected"
  const text = `${count(bodies, "body", "bodies")} · ${count(joints, "joint")} · ${count(parts, "part")}`
  return kept.get(`head ${title} ${text}`, () =>
    element(
      "div",
      { class: "head" },
      icon("frame", 26),
      element("div", {}, element("p", { class: "name", text: title }), element("p", { class: "about", text })),
    ),
  )
}

const count = (list, one, many = `${one}s`) => `${list.length} ${list.length === 1 ? one : many}`

function chips(studio, kept) {
  const isOn = name => studio.world.scene.shown?.includes(name) ?? false
  const row = kept.get("chips", () =>
    element(
      "div",
      { class: "chips" },
      ...SHOWN.map(([name, title]) =>
        element("button", {
          type: "button",
          class: "chip",
          text: title,
          "data-key": `show ${name}`,
          onclick: () => studio.run(`show ${name} ${isOn(name) ? "off" : "on"}`),
        }),
      ),
    ),
  )
  SHOWN.forEach(([name], k) => row.children[k].setAttribute("aria-pressed", String(isOn(name))))
  return row
}
