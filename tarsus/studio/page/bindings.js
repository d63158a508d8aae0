// What follows expressions of time: each with its text, curves in it to draw, and a way to let it be.
import { CurveEditor } from "./curve_editor.js"
import { curvesIn, curveText, withCurve } from "./curves.js"
import { element, icon, refill } from "./elements.js"
import { word } from "./lines.js"

export class Bindings {
  root = element("div", { class: "bindings" })
  #studio
  #known = new Map()

  constructor(studio) {
    this.#studio = studio
    this.form = this.#form()
    studio.world.on("scene", scene => this.#show(scene.bindings ?? {}))
  }

  #show(bindings) {
    for (const target of this.#known.keys()) if (!(target in bindings)) this.#known.delete(target)
    for (const [target, text] of Object.entries(bindings)) {
      const count = curvesIn(text).length
      if (this.#known.get(target)?.editors.length !== count) this.#known.set(target, this.#binding(target, count))
      this.#known.get(target).show(text)
    }
    const wanted = [...this.#known.values()].map(each => each.root)
    const there = [...this.root.children]
    // who draws keeps the focus: nothing is put in anew that is there already
    if (wanted.length !== there.length || wanted.some((root, k) => root !== there[k])) refill(this.root, ...wanted)
  }

  #binding(target, count) {
    const code = element("code")
    let now = ""
    const bind = text => this.#studio.run(`bind ${word(target)} ${text}`)
    const editors = Array.from(
      { length: count },
      (_, k) => new CurveEditor(this.#studio, target, curve => bind(withCurve(now, k, curve))),
    )
    const drop = element("button", {
      type: "button",
      class: "tiny",
      "aria-label": `Let ${target} be`,
      title: "Let it be",
      text: "×",
      onclick: () => this.#studio.run(`bind ${word(target)}`),
    })
    const head = element("div", { class: "end" }, element("span", { text: target }), element("span", {}, code, drop))
    return {
      editors,
      root: element("div", { class: "binding", "data-target": target }, head, ...editors.map(each => each.root)),
      show(text) {
        now = text
        code.textContent = text
        curvesIn(text).forEach((curve, k) => editors[k].show(curve))
      },
    }
  }

  #form() {
    const target = element("input", {
      type: "text",
      id: "curve-target",
      list: "slider-targets",
      placeholder: "motor1.target",
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": "curve-message",
    })
    const message = element("p", { class: "field-message", id: "curve-message", role: "alert" })
    const send = async event => {
      event.preventDefault()
      const name = target.value.trim()
      const answer = await this.#studio.run(`bind ${word(name)} ${this.#level(name)}`, { quiet: true })
      message.textContent = answer.ok ? "" : answer.text
      target.setAttribute("aria-invalid", String(!answer.ok))
      if (answer.ok) event.target.reset()
    }
    return element(
      "form",
      { class: "bind", "data-form": "curve", onsubmit: send },
      element("h3", { text: "Follow a curve" }),
      element(
        "div",
        { class: "field" },
        element("label", { for: "curve-target", text: "Number" }),
        element("div", { class: "field-inputs" }, target),
      ),
      message,
      element("button", { type: "submit", class: "plain" }, icon("chart", 16), element("span", { text: "Draw a curve" })),
    )
  }

  /** A level curve from now on where the number is: one, or three for a point. */
  #level(target) {
    const cut = target.lastIndexOf(".")
    const part = this.#studio.world.scene.parts.find(each => each.name === target.slice(0, cut))
    const field = target.slice(cut + 1)
    const value = part?.fields[field]?.value ?? part?.fields.voltage?.value ?? 0
    const t = Math.round(2 * this.#studio.world.frame.t) / 2
    const points = x => [0, 1, 2].map(k => [t + k, typeof x === "number" ? x : 0])
    return [value].flat().map(x => curveText({ smooth: true, cycle: false, points: points(x) })).join(", ")
  }
}
