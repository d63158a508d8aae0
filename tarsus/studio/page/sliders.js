// Numbers that are moved by hand while the machine runs, and a form to bind more of them.
import { Bindings } from "./bindings.js"
import { element, icon, readable, refill, tidy } from "./elements.js"
import { word } from "./lines.js"

export class Sliders {
  root = element("div", { class: "sliders" })
  #studio
  #list = element("div", { class: "slider-list" })
  #busy = new Map()

  constructor(studio) {
    this.#studio = studio
    const targets = element("datalist", { id: "slider-targets" })
    const bindings = new Bindings(studio)
    this.root.append(
      this.#list,
      bindings.root,
      targets,
      this.#form(
        "slider",
        "New slider",
        [
          ["name", "Name", "stiffness"],
          ["target", "Number", "spring1.stiffness", "slider-targets"],
          ["low", "From", "0"],
          ["high", "To", "100"],
        ],
        "Add slider",
      ),
      bindings.form,
      this.#form(
        "bind",
        "Follow an expression of t",
        [
          ["target", "Target", "nail1.target", "slider-targets"],
          ["expression", "Expression", ".2*sin(3*t), 0, 1"],
        ],
        "Bind",
      ),
    )
    studio.world.on("scene", scene => {
      this.#fill(scene.sliders)
      refill(targets, ...targetsOf(scene).map(value => element("option", { value })))
    })
  }

  focus() {
    this.root.querySelector("canvas, input")?.focus()
  }

  #fill(sliders) {
    if (
      this.#list.contains(document.activeElement) &&
      sliders.every(each => this.#list.querySelector(`[data-slider="${CSS.escape(each.name)}"]`))
    )
      return
    refill(
      this.#list,
      ...(sliders.length
        ? sliders.map(slider => this.#slider(slider))
        : [
            element("p", {
              class: "empty",
              text: "No slider yet. Bind one to any number: a spring's stiffness, a motor's torque, the slope of the ground.",
            }),
          ]),
    )
  }

  #slider({ name, target, low, high, value }) {
    const shown = element("output", { text: readable(value) })
    const range = element("input", {
      type: "range",
      min: low,
      max: high,
      step: (high - low) / 500,
      value: String(value),
      "aria-label": `${name}: ${target}`,
      "data-slider": name,
      "data-key": `slider ${name}`,
      oninput: () => {
        shown.textContent = readable(Number(range.value))
        this.#move(target, range.value)
      },
    })
    const fill = () => range.style.setProperty("--share", String((Number(range.value) - low) / (high - low)))
    range.value = String(value)
    fill()
    range.addEventListener("input", fill)
    const title = element(
      "div",
      { class: "slider-title" },
      element("strong", { text: name }),
      element("span", { class: "quiet", text: target }),
      shown,
    )
    return element(
      "div",
      { class: "slider" },
      title,
      range,
      element(
        "div",
        { class: "slider-ends" },
        element("span", { text: readable(low) }),
        element("span", { text: readable(high) }),
      ),
    )
  }

  // The newest value follows when the one before is done: a slow world is not flooded.
  async #move(target, value) {
    if (this.#busy.has(target)) {
      this.#busy.set(target, value)
      return
    }
    this.#busy.set(target, value)
    for (let sent = null; sent !== this.#busy.get(target);) {
      sent = this.#busy.get(target)
      const [name, field] = splitTarget(target)
      await this.#studio.run(`set ${word(name)} -${field} ${tidy(Number(sent), 6)}`)
    }
    this.#busy.delete(target)
  }

  /** A form whose fields are the words of a line; what is wrong is told below it, at the field. */
  #form(verb, title, fields, action) {
    const inputs = fields.map(([id, label, example, list]) => [
      id,
      element("input", {
        type: "text",
        id: `${verb}-${id}`,
        placeholder: example,
        autocomplete: "off",
        spellcheck: "false",
        list: list ?? null,
        "aria-describedby": `${verb}-message`,
      }),
      label,
    ])
    const message = element("p", { class: "field-message", id: `${verb}-message`, role: "alert" })
    const send = async event => {
      event.preventDefault()
      const answer = await this.#studio.run([verb, ...inputs.map(([, input]) => input.value.trim())].join(" "), {
        quiet: true,
      })
      message.textContent = answer.ok ? "" : answer.text
      for (const [id, input] of inputs)
        input.setAttribute(
          "aria-invalid",
          String(!answer.ok && (answer.field ?? "").toLowerCase().split(/\W+/).includes(id)),
        )
      if (answer.ok) event.target.reset()
    }
    return element(
      "form",
      { class: "bind", "data-form": verb, onsubmit: send },
      element("h3", { text: title }),
      ...inputs.map(([id, input, label]) =>
        element(
          "div",
          { class: "field" },
          element("label", { for: `${verb}-${id}`, text: label }),
          element("div", { class: "field-inputs" }, input),
        ),
      ),
      message,
      element("button", { type: "submit", class: "plain" }, icon("add", 16), element("span", { text: action })),
    )
  }
}

/** "spring1.stiffness" as the name of a thing and of its field; "nail1.target.x" is "target.x" of nail1. */
function splitTarget(target) {
  const end = target.replace(/\.[xyz]$/, "").lastIndexOf(".")
  return [target.slice(0, end), target.slice(end + 1)]
}

function targetsOf(scene) {
  const own = [...scene.parts, ...scene.bodies, ...scene.joints].flatMap(({ name, fields }) =>
    Object.entries(fields ?? {}).flatMap(([field, { value }]) => {
      if (typeof value === "number" || (value?.length === 1 && typeof value[0] === "number")) return `${name}.${field}`
      return value?.length === 3 && typeof value[0] === "number"
        ? ["x", "y", "z"].map(axis => `${name}.${field}.${axis}`)
        : []
    }),
  )
  return [...own, "ground.friction", "ground.slope", "world.gravity.z"]
}
