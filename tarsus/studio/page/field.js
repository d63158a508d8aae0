// A number with its unit, or several: what is wrong with it is told at the field itself.
import { element, tidy } from "./elements.js"

let count = 0

/** What people read for the short names of the command language. */
const TITLES = {
  t: "Position",
  E: "Orientation",
  m: "Mass",
  vl: "Velocity",
  vr: "Turning",
  in: "Inertia",
  q: "Angle or way",
  qdot: "Rate",
  dt: "Time step",
  mu: "Friction",
}
export const titleOf = name => TITLES[name] ?? (name[0].toUpperCase() + name.slice(1)).replaceAll("_", " ")

const isOnOff = value => typeof value === "boolean"

/**
 * A field named `name`; `change(words)` sends what was typed and gives the answer.
 *
 * A value is a number, a list of numbers, a text, or on and off.
 */
export function makeField(name, { value, unit = "", options = null }, change) {
  const id = `field-${++count}`,
    values = Array.isArray(value) ? value.flat() : [value]
  const message = element("p", { class: "field-message", id: `${id}-message`, role: "alert" })
  const inputs = isOnOff(value) ? [toggle(value)] : options ? [choice(value, options)] : values.map(each => box(each))
  inputs.forEach((input, k) => {
    input.id = `${id}-${k}`
    input.dataset.field = name
    input.dataset.key = `${name} ${k}`
    input.setAttribute("aria-describedby", message.id)
    if (inputs.length > 1) input.setAttribute("aria-label", `${titleOf(name)} ${part(k, inputs.length)}`)
    input.addEventListener("change", send)
    input.addEventListener("keydown", key => {
      if (key.key === "Escape") reset()
    })
  })

  async function send() {
    const words = inputs
      .map(input => (input.type === "checkbox" ? (input.checked ? "on" : "off") : input.value.trim().replace(",", ".")))
      .join(" ")
    const answer = await change(words)
    message.textContent = answer.ok ? "" : answer.text
    for (const input of inputs) input.setAttribute("aria-invalid", String(!answer.ok))
    row.classList.toggle("wrong", !answer.ok)
  }

  function reset() {
    inputs.forEach((input, k) => {
      if (input.type !== "checkbox") input.value = show(values[k])
    })
    message.textContent = ""
    row.classList.remove("wrong")
    for (const input of inputs) input.removeAttribute("aria-invalid")
  }

  const row = element(
    "div",
    { class: `field ${inputs.length > 2 ? "wide" : ""}`, "data-row": name },
    element("label", { for: `${id}-0`, text: titleOf(name) }),
    element("div", { class: "field-inputs" }, ...inputs, unit ? element("span", { class: "unit", text: unit }) : null),
    message,
  )
  return row
}

const part = (k, of) => (of === 4 ? "wxyz" : of === 3 ? "xyz" : String(k + 1))[k] ?? String(k + 1)

const show = value => (typeof value === "number" ? tidy(value, 5) : String(value ?? ""))

function box(value) {
  return element("input", {
    type: "text",
    value: show(value),
    placeholder: value === null ? "none" : null,
    inputmode: typeof value === "number" ? "decimal" : "text",
    autocomplete: "off",
    spellcheck: "false",
  })
}

function toggle(value) {
  return element("input", { type: "checkbox", class: "switch", role: "switch", checked: value })
}

function choice(value, options) {
  return element(
    "select",
    {},
    ...options.map(option => element("option", { value: option, text: option, selected: option === value })),
  )
}
