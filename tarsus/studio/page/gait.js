// How a machine walks: a button that finds the gait, its multipliers in the unit circle, its returns.
import { Paper, roomy, styleOf } from "./chart_paper.js"
import { element, icon, readable, refill } from "./elements.js"

export class Gait {
  root = element("section", { class: "gait", hidden: true, "aria-label": "Gait" })
  #studio
  #shown = null
  #circle
  #map

  constructor(studio) {
    this.#studio = studio
    studio.world.on("scene", scene => this.#fill(scene))
    studio.on("theme", () => this.#draw())
  }

  #fill({ walks, gait }) {
    this.root.hidden = !walks
    const said = JSON.stringify([walks, gait])
    if (!walks || said === this.#shown) return
    this.#shown = said
    const find = element(
      "button",
      { type: "button", class: "plain", "data-key": "gait", onclick: () => this.#find(find) },
      icon("foot", 16),
      element("span", { text: gait ? "Find the gait again" : "Find the gait" }),
    )
    refill(this.root, element("h3", { text: "Gait" }), find, ...(gait ? this.#report(gait) : []))
    this.#draw()
  }

  async #find(button) {
    button.disabled = true
    button.lastChild.textContent = "Looking for a gait …"
    const answer = await this.#studio.run("gait")
    button.disabled = false
    this.#shown = null
    this.#fill(this.#studio.world.scene)
    if (answer.ok) this.#studio.run("play")
  }

  #report(gait) {
    const numbers = [
      ["speed", gait.speed, "m/s"],
      ["step", gait.step_length, "m"],
      ["period", gait.period, "s"],
      ["cost of transport", gait.cost_of_transport, ""],
    ]
    this.#circle = element("canvas", {
      class: "floquet",
      role: "img",
      "aria-label": `Floquet multipliers: ${gait.multipliers.map(([re, im]) => readable(Math.hypot(re, im))).join(", ")}; inside the unit circle deviations die out`,
    })
    this.#map = element("canvas", {
      class: "floquet",
      role: "img",
      "aria-label": "Return map: the next deviation over the one before",
    })
    const verdict = gait.stable
      ? "stable: all multipliers are inside the circle"
      : "unstable: a multiplier is outside the circle"
    return [
      element("p", { class: "verdict" }, icon(gait.stable ? "dot" : "warning", 16), element("span", { text: verdict })),
      element(
        "dl",
        { class: "numbers" },
        ...numbers.flatMap(([name, value, unit]) => [
          element("dt", { text: name }),
          element("dd", { text: `${readable(value)} ${unit}` }),
        ]),
      ),
      element(
        "div",
        { class: "pair" },
        element("figure", {}, element("figcaption", { text: "Multipliers" }), this.#circle),
        element("figure", {}, element("figcaption", { text: "Return map" }), this.#map),
      ),
      ...gait.violations.map(text => element("p", { class: "notice" }, icon("warning", 18), element("span", { text }))),
    ]
  }

  #draw() {
    const { gait } = this.#studio.world.scene
    if (!gait || !this.root.isConnected) return
    requestAnimationFrame(() => {
      if (!this.#circle?.clientWidth) return
      this.#drawCircle(gait.multipliers)
      this.#drawMap(gait.returns)
    })
  }

  #drawCircle(multipliers) {
    const paper = new Paper(this.#circle, this.#studio.theme),
      reach = Math.max(1.25, ...multipliers.map(([re, im]) => 1.1 * Math.hypot(re, im)))
    paper.box = { left: 26, right: 6, top: 6, bottom: 20 }
    paper.begin([-reach, reach], [-reach, reach])
    paper.axes("")
    const round = Array.from({ length: 73 }, (_, k) => [Math.cos((k * Math.PI) / 36), Math.sin((k * Math.PI) / 36)])
    paper.line(round.length, k => round[k], ["ink-soft", [3, 3]], 1.2)
    for (const [re, im] of multipliers) paper.dot(re, im, styleOf(0), 4)
  }

  // Each step's deviation over that of the step before, the first coordinate of the section.
  #drawMap(returns) {
    const values = returns.map(row => (Array.isArray(row) ? row[0] : row))
    const pairs = values.slice(1).map((value, k) => [values[k], value])
    const range = roomy(Math.min(...values), Math.max(...values))
    const paper = new Paper(this.#map, this.#studio.theme)
    paper.box = { left: 38, right: 6, top: 6, bottom: 20 }
    paper.begin(range, range)
    paper.axes("")
    paper.line(2, k => [range[k], range[k]], ["ink-soft", [3, 3]], 1.2)
    paper.line(pairs.length, k => pairs[k], styleOf(1), 1.2)
    for (const [x, y] of pairs) paper.dot(x, y, styleOf(0), 3)
  }
}
