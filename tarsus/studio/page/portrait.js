// A phase portrait: one quantity over another, the newest bright, the oldest faint.
import { Paper, roomy, styleOf } from "./chart_paper.js"
import { element, refill } from "./elements.js"

const SPAN = 20
const PIECES = 6

export class Portrait {
  #history
  #canvas = element("canvas", { class: "portrait", role: "img", "aria-label": "Phase portrait" })
  #paper
  #across = element("select", { "aria-label": "Quantity across" })
  #up = element("select", { "aria-label": "Quantity up" })

  constructor(studio, history) {
    this.#history = history
    this.#paper = new Paper(this.#canvas, studio.theme)
    this.root = element(
      "figure",
      { class: "strip-figure" },
      element("figcaption", {}, element("span", { text: "Phase portrait" })),
      element("div", { class: "portrait-axes" }, this.#up, element("span", { text: "over" }), this.#across),
      this.#canvas,
    )
  }

  /** Quantities to choose from; what was chosen stays if it is still there. */
  offer(names) {
    for (const [select, otherwise] of [
      [this.#across, 0],
      [this.#up, 1],
    ]) {
      const before = select.value
      refill(select, ...names.map(name => element("option", { value: name, text: name })))
      select.value = names.includes(before) ? before : (names[Math.min(otherwise, names.length - 1)] ?? "")
    }
    // An angle and its rate are the pair that people mean.
    const angle = names.find(name => name.startsWith("q:") && names.includes(`v:${name.slice(2)}`))
    if (angle && this.#across.value === this.#up.value) {
      this.#across.value = angle
      this.#up.value = `v:${angle.slice(2)}`
    }
  }

  draw(end) {
    if (!this.#canvas.clientWidth) return
    const x = this.#history.get(this.#across.value),
      y = this.#history.get(this.#up.value)
    const from = x.from(end - SPAN),
      to = x.from(end + 1e-9),
      points = []
    for (let k = from; k < to; k++) points.push([x.value(k), y.at(x.time(k))])
    const range = axis => roomy(Math.min(...points.map(p => p[axis])), Math.max(...points.map(p => p[axis])))
    this.#paper.begin(points.length ? range(0) : [-1, 1], points.length ? range(1) : [-1, 1])
    this.#paper.axes("")
    const [color] = styleOf(0),
      step = Math.ceil(points.length / PIECES) || 1
    for (let piece = 0; piece * step < points.length; piece++) {
      this.#paper.c.globalAlpha = 0.25 + (0.75 * (piece + 1)) / PIECES
      const part = points.slice(piece * step, (piece + 1) * step + 1)
      this.#paper.line(part.length, k => part[k], [color, []])
    }
    this.#paper.c.globalAlpha = 1
    if (points.length) this.#paper.dot(...points.at(-1), [color, []], 4.5)
  }
}
