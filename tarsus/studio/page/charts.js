// Instruments: strips of quantities by unit, the ledger of energy with its residual, a portrait.
import { element, icon, refill } from "./elements.js"
import { Gait } from "./gait.js"
import { History } from "./history.js"
import { word } from "./lines.js"
import { Portrait } from "./portrait.js"
import { PowerFlow } from "./power_flow.js"
import { Strip } from "./strip.js"

const SPANS = [5, 10, 30, 120]
const EVERY = 50
const isEnergy = name => name.startsWith("energy:")

export class Charts {
  root = element("div", { class: "charts" })
  #studio
  #history = new History()
  #strips = []
  #portrait
  #hasPortrait = false
  #powers
  #list = element("div", { class: "strips" })
  #picker = element("input", {
    type: "text",
    list: "quantities",
    placeholder: "Add a quantity …",
    "aria-label": "Add a quantity to the chart",
    autocomplete: "off",
    spellcheck: "false",
  })
  #known = element("datalist", { id: "quantities" })
  #message = element("p", { class: "field-message", role: "alert" })
  #charted = ""
  #span = 10
  #drawn = 0

  constructor(studio) {
    this.#studio = studio
    this.#portrait = new Portrait(studio, this.#history)
    this.#powers = new PowerFlow(studio)
    this.root.append(this.#tools(), this.#message, new Gait(studio).root, this.#list)
    studio.world.on("scene", scene => this.#sceneChanged(scene))
    studio.world.on("frame", frame => this.#history.add(frame.t, values(frame)))
    studio.on("theme", () => {
      this.#drawn = 0
    })
    studio.on("chartOf", name => this.#chartOf(name))
    studio.connection.on("open", () => this.#askHistory())
    studio.picture.each(now => this.#draw(now))
  }

  focus() {
    this.#picker.focus()
  }

  #tools() {
    this.#picker.addEventListener("change", () => this.#add(this.#picker.value.trim()))
    this.#picker.addEventListener("focus", () => this.#askQuantities())
    const span = element(
      "select",
      {
        "aria-label": "Seconds shown",
        onchange: event => {
          this.#span = Number(event.target.value)
        },
      },
      ...SPANS.map(value =>
        element("option", { value: String(value), text: `${value} s`, selected: value === this.#span }),
      ),
    )
    const energy = element(
      "button",
      { type: "button", class: "chip", "data-key": "energy", onclick: () => this.#toggleEnergy() },
      icon("chart", 16),
      element("span", { text: "Energy" }),
    )
    const power = element(
      "button",
      {
        type: "button",
        class: "chip",
        "data-key": "powers",
        onclick: () => this.#studio.run(`show powers ${this.#showsPowers ? "off" : "on"}`),
      },
      icon("flow", 16),
      element("span", { text: "Power" }),
    )
    this.#studio.world.on("scene", () => power.setAttribute("aria-pressed", String(this.#showsPowers)))
    const portrait = element(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": "false",
        onclick: () => {
          this.#hasPortrait = !this.#hasPortrait
          portrait.setAttribute("aria-pressed", String(this.#hasPortrait))
          this.#fill()
        },
      },
      icon("portrait", 16),
      element("span", { text: "Phase" }),
    )
    return element(
      "div",
      { class: "chart-tools" },
      this.#picker,
      span,
      this.#known,
      element("div", { class: "chips" }, energy, power, portrait),
    )
  }

  async #add(name) {
    if (!name) return
    const answer = await this.#studio.run(`chart ${word(name)}`, { quiet: true })
    this.#message.textContent = answer.ok ? "" : answer.text
    this.#picker.setAttribute("aria-invalid", String(!answer.ok))
    if (answer.ok) this.#picker.value = ""
  }

  async #toggleEnergy() {
    const { charts } = this.#studio.world.scene
    const energies = charts.filter(isEnergy)
    const known = energies.length ? [] : await this.#askQuantities()
    await this.#studio.run(
      energies.length ? `unchart ${energies.join(" ")}` : `chart ${known.filter(isEnergy).join(" ")}`,
    )
  }

  async #chartOf(name) {
    const known = await this.#askQuantities()
    const own = known.filter(each => each.slice(each.indexOf(":") + 1) === name)
    const best = ["q:", "v:", "force:", "z:", "speed:"]
      .flatMap(kind => own.filter(each => each.startsWith(kind)))
      .slice(0, 2)
    if (!best.length) this.#studio.say(`There is no quantity of ${name} to chart.`)
    else if ((await this.#studio.run(`chart ${best.map(word).join(" ")}`)).ok) this.#studio.layout.show("charts", false)
  }

  async #askQuantities() {
    const { units = {} } = await this.#studio.connection.ask("quantities")
    refill(this.#known, ...Object.entries(units).map(([name, unit]) => element("option", { value: name, label: unit })))
    return Object.keys(units)
  }

  async #askHistory() {
    const answer = await this.#studio.connection.ask("history")
    if (answer.t) this.#history.fill(answer)
    this.#drawn = 0
  }

  #sceneChanged(scene) {
    const wanted = [...scene.charts, this.#showsPowers].join(" ")
    if (wanted === this.#charted && this.#list.children.length) return
    this.#charted = wanted
    this.#fill()
  }

  #fill() {
    const { charts, units: unitOf } = this.#studio.world.scene
    const remove = name => this.#studio.run(`unchart ${word(name)}`)
    const plain = charts.filter(name => !isEnergy(name)),
      energies = charts.filter(name => isEnergy(name) && name !== "energy:residual")
    const units = [...new Set(plain.map(name => unitOf.get(name) ?? ""))]
    this.#strips = units.map(unit =>
      this.#strip({ title: "", unit, names: plain.filter(name => (unitOf.get(name) ?? "") === unit), remove }),
    )
    if (energies.length) this.#strips.push(this.#strip({ title: "Energy", unit: "J", names: energies, remove }))
    if (charts.includes("energy:residual"))
      this.#strips.push(
        this.#strip({ title: "Residual of the ledger", unit: "J", names: ["energy:residual"], first: 5, remove }),
      )
    this.#portrait.offer(charts)
    const empty = element("p", {
      class: "empty",
      text: "Choose a quantity above, or select something and press its chart button.",
    })
    refill(
      this.#list,
      this.#showsPowers ? this.#powers.root : null,
      ...this.#strips.map(strip => strip.root),
      this.#hasPortrait ? this.#portrait.root : null,
      charts.length || this.#hasPortrait || this.#showsPowers ? null : empty,
    )
    this.#drawn = 0
  }

  get #showsPowers() {
    return this.#studio.world.scene.shown?.includes("powers") ?? false
  }

  #strip(settings) {
    return new Strip(this.#studio, this.#history, settings)
  }

  // Twenty pictures a second are enough for lines, and leave time to the machine.
  #draw(now) {
    if (now - this.#drawn < EVERY || !this.root.isConnected || !this.#list.clientHeight) return
    this.#drawn = now
    const { t } = this.#studio.world.frame,
      begin = Math.max(0, t - this.#span),
      end = Math.max(t, begin + 1)
    for (const strip of this.#strips) strip.draw(begin, end, t)
    if (this.#hasPortrait) this.#portrait.draw(t)
    if (this.#showsPowers) this.#powers.draw()
  }
}

const values = frame =>
  frame.residual === undefined ? (frame.values ?? {}) : { "energy:residual": frame.residual, ...frame.values }
