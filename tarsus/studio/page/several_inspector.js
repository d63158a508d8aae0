// Several things are selected: what can be done to all of them, and the numbers that they share.
import { element, icon, iconButton, readable } from "./elements.js"
import { formOf } from "./field.js"
import { duplicateSelected, groupSelected, mirrorSelected, removeSelected } from "./selection.js"

/** Rows of the inspector; `fields(names, fields)` makes fields that set numbers of all of them. */
export function severalRows(studio, kept, fields) {
  const { selection, world } = studio
  const items = selection.map(name => world.find(name)).filter(Boolean)
  const bodies = items.filter(({ what }) => what === "body").map(({ item }) => item)
  const head = kept.get("several", () => makeHead())
  head.tell(items, bodies)
  return [
    head,
    kept.get(`several actions ${bodies.length > 0}`, () => actions(studio, bodies.length > 0)),
    ...fields(selection, sharedFields(items)),
    kept.get(`several names ${JSON.stringify(selection)}`, () => names(studio, selection)),
  ]
}

function makeHead() {
  const [title, about] = [element("p", { class: "name" }), element("p", { class: "about" })]
  const head = element("div", { class: "head" }, icon("group", 26), element("div", {}, title, about))
  head.tell = (items, bodies) => {
    title.textContent = `${items.length} selected`
    const mass = bodies.reduce((sum, body) => sum + body.mass, 0)
    about.textContent = bodies.length ? `${bodies.length} bodies · ${readable(mass)} kg` : "joints, forces and holds"
  }
  return head
}

function actions(studio, hasBodies) {
  const ofBodies = hasBodies
    ? [
        iconButton("duplicate", "Duplicate all (Ctrl+D)", () => duplicateSelected(studio)),
        iconButton("mirror", "Mirror all across the xz plane", () => mirrorSelected(studio)),
        iconButton("group", "Group (Ctrl+G)", () => groupSelected(studio)),
      ]
    : []
  return element(
    "div",
    { class: "actions" },
    ...ofBodies,
    iconButton("delete", "Delete all (Del)", () => removeSelected(studio)),
  )
}

/** Fields that all have in one form, with whether their values differ. */
function sharedFields(items) {
  const [first = {}, ...others] = items.map(({ item }) => item.fields ?? {})
  const isShared = ([name, content]) => others.every(each => each[name] && formOf(each[name]) === formOf(content))
  const isMixed = (name, { value }) => others.some(each => String(each[name].value) !== String(value))
  const shared = Object.entries(first).filter(isShared)
  return Object.fromEntries(shared.map(([name, each]) => [name, { ...each, mixed: isMixed(name, each) }]))
}

function names(studio, selection) {
  const one = name =>
    element("button", {
      type: "button",
      class: "chip",
      text: name,
      title: `${name} only`,
      "data-key": `only ${name}`,
      onclick: () => studio.select(name),
    })
  return element("div", {}, element("h3", { text: "Selected" }), element("div", { class: "chips" }, ...selection.map(one)))
}
