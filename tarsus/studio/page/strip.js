// A strip chart: quantities of one unit over time, with a legend that tells their values.
import { Paper, roomy, styleOf } from "./chart_paper.js"
import { element, readable, refill } from "./elements.js"

export class Strip {
  #studio
  #history
  #names
  #styles
  #values = []
  #cursor = null
  #canvas = element("canvas", { class: "strip", tabindex: "0" })
  #paper

  /** `names` share the unit; `first` is the number of the style of the first of them. */
  constructor(studio, history, { title, unit, names, first = 0, remove = null }) {
    this.#studio = studio
    this.#history = history
    this.#names = names
    this.#styles = names.map((_, k) => styleOf(first + k))
    this.#paper = new Paper(this.#canvas, studio.theme)
    const legend = element("ul", { class: "legend" })
    refill(legend, ...names.map((name, k) => this.#entry(name, this.#styles[k], remove)))
    this.#canvas.setAttribute("role", "img")
    this.#canvas.setAttribute(
      "aria-label",
      `${title}: ${names.join(", ")} [${unit}] over time. The legend has the values.`,
    )
    this.#canvas.addEventListener("pointermove", event => {
      this.#cursor = this.#paper.valueOfX?.(event.offsetX) ?? null
    })
    this.#canvas.addEventListener("pointerleave", () => {
      this.#cursor = null
    })
    this.#canvas.addEventListener("keydown", key => this.#moveCursor(key))
    this.root = element(
      "figure",
      { class: "strip-figure", "data-unit": unit },
      element("figcaption", {}, element("span", { text: title }), element("span", { class: "unit", text: unit })),
      legend,
      this.#canvas,
    )
  }

  #entry(name, style, remove) {
    const sample = element("canvas", { class: "sample", width: 52, height: 16, "aria-hidden": "true" })
    const value = element("output", { text: "–" })
    this.#values.push({ sample, value, style })
    const drop =
      remove &&
      element("button", {
        type: "button",
        class: "tiny",
        "aria-label": `Take ${name} off the chart`,
        title: "Take off",
        text: "×",
        onclick: () => remove(name),
      })
    return element("li", {}, sample, element("span", { class: "legend-name", text: name, title: name }), value, drop)
  }

  #moveCursor(key) {
    if (key.key !== "ArrowLeft" && key.key !== "ArrowRight") return
    const { x0, x1 } = this.#paper.range
    const now = this.#cursor ?? x1
    this.#cursor = Math.min(x1, Math.max(x0, now + ((key.key === "ArrowLeft" ? -1 : 1) * (x1 - x0)) / 40))
    key.preventDefault()
  }

  /** Draws the time from `begin` to `end`; values are told as they are at `now`, or at the cursor. */
  draw(begin, end, now) {
    if (!this.#canvas.clientWidth) return
    let low = Infinity,
      high = -Infinity
    for (const name of this.#names) {
      const series = this.#history.get(name)
      for (let k = series.from(begin); k < series.length && series.time(k) <= end; k++) {
        low = Math.min(low, series.value(k))
        high = Math.max(high, series.value(k))
      }
    }
    this.#paper.begin([begin, end], roomy(low, high))
    this.#paper.axes("s")
    const moment = this.#cursor ?? now
    if (this.#cursor !== null) this.#paper.cursor(this.#cursor)
    this.#names.forEach((name, i) => {
      const series = this.#history.get(name),
        from = Math.max(0, series.from(begin) - 1)
      this.#paper.line(
        series.from(end + 1e-9) - from,
        k => [series.time(from + k), series.value(from + k)],
        this.#styles[i],
      )
      const value = series.at(moment)
      if (Number.isFinite(value)) this.#paper.dot(Math.max(begin, Math.min(moment, end)), value, this.#styles[i])
      this.#values[i].value.textContent = readable(value)
      drawSample(this.#values[i], this.#studio.theme)
    })
  }
}

function drawSample({ sample, style }, theme) {
  const c = sample.getContext("2d"),
    color = theme.color(style[0])
  if (sample.dataset.color === color) return
  sample.dataset.color = color
  c.clearRect(0, 0, 52, 16)
  c.beginPath()
  c.moveTo(0, 8)
  c.lineTo(52, 8)
  c.lineWidth = 4
  c.setLineDash(style[1].map(x => 2 * x))
  c.strokeStyle = color
  c.stroke()
}
