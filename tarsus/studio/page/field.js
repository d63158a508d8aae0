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

/** What a field is made of, apart from its numbers: fields of one form can `update` to each other. */
export const formOf = ({ value, unit = "", options = null, color = false }) =>
  JSON.stringify([typeof value, Array.isArray(value) ? value.flat().length : 1, unit, options, color])

/**
 * A field named `name`; `change(words)` sends what was typed and gives the answer.
 *
 * A value is a number, a list of numbers, a text, on and off, or three numbers that are a `color`.
 * `update({value})` of what comes back shows another value, unless someone is typing there.
 */
export function makeField(name, content, change) {
  const id = `field-${++count}`,
    { unit = "" } = content
  const message = element("p", { class: "field-message", id: `${id}-message`, role: "alert" })
  const inputs = inputsOf(content)
  let shown = textsOf(content),
    isSending = false
  inputs.forEach((input, k) => {
    input.id = `${id}-${k}`
    input.dataset.field = name
    input.dataset.key = `${name} ${k}`
    input.setAttribute("aria-describedby", message.id)
    if (inputs.length > 1) input.setAttribute("aria-label", `${titleOf(name)} ${part(k, inputs.length)}`)
    input.addEventListener("change", send)
    input.addEventListener("blur", event => row.contains(event.relatedTarget) || show())
    input.addEventListener("keydown", key => {
      if (key.key === "Escape") reset()
    })
  })

  async function send() {
    isSending = true
    const sent = inputs.map(wordsOf)
    const answer = await change(sent.join(" "))
    isSending = false
    tell(answer.ok ? "" : answer.text)
    // what was typed meanwhile stays
    if (answer.ok) inputs.forEach((input, k) => wordsOf(input) === sent[k] && put(input, shown[k]))
  }

  function tell(text) {
    message.textContent = text
    row.classList.toggle("wrong", text !== "")
    for (const input of inputs) input.setAttribute("aria-invalid", String(text !== ""))
  }

  /** Shows the values as they are now; what is being typed, sent or wrong stays. */
  function show() {
    if (isSending || row.classList.contains("wrong") || row.contains(document.activeElement)) return
    inputs.forEach((input, k) => put(input, shown[k]))
  }

  function reset() {
    tell("")
    inputs.forEach((input, k) => put(input, shown[k]))
  }

  const row = element(
    "div",
    { class: `field ${inputs.length > 2 ? "wide" : ""}`, "data-row": name },
    element("label", { for: `${id}-0`, text: titleOf(name) }),
    element("div", { class: "field-inputs" }, ...inputs, unit ? element("span", { class: "unit", text: unit }) : null),
    message,
  )
  row.update = content => {
    shown = textsOf(content)
    for (const input of inputs) input.placeholder = content.mixed ? "mixed" : content.value === null ? "none" : ""
    show()
  }
  reset()
  return row
}

const valuesOf = ({ value }) => (Array.isArray(value) ? value.flat() : [value])

function inputsOf(content) {
  if (typeof content.value === "boolean") return [toggle()]
  if (content.options) return [choice(content.options)]
  if (content.color) return [element("input", { type: "color" })]
  return valuesOf(content).map(value =>
    element("input", {
      type: "text",
      inputmode: typeof value === "number" ? "decimal" : "text",
      autocomplete: "off",
      spellcheck: "false",
    }),
  )
}

/** What the inputs of a field show: nothing, if several things differ in it. */
function textsOf(content) {
  if (content.mixed && !content.color) return valuesOf(content).map(() => "")
  if (content.color) return [hexOf(content.value)]
  return valuesOf(content).map(value => (typeof value === "number" ? tidy(value, 5) : String(value ?? "")))
}

function put(input, text) {
  if (input.type === "checkbox") input.checked = text === "true"
  else if (input.value !== text) input.value = text
}

/** What an input says, as words of a line. */
function wordsOf(input) {
  if (input.type === "checkbox") return input.checked ? "on" : "off"
  if (input.type === "color") return numbersOf(input.value).join(" ")
  return input.value.trim().replace(",", ".")
}

const hexOf = color => "#" + color.map(x => Math.round(255 * x).toString(16).padStart(2, "0")).join("")
const numbersOf = hex => [1, 3, 5].map(k => tidy(parseInt(hex.slice(k, k + 2), 16) / 255, 3))

const part = (k, of) => (of === 4 ? "wxyz" : of === 3 ? "xyz" : String(k + 1))[k] ?? String(k + 1)

const toggle = () => element("input", { type: "checkbox", class: "switch", role: "switch" })

const choice = options =>
  element("select", {}, ...options.map(option => element("option", { value: option, text: option })))
