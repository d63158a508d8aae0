// Where power goes now: who gives on the left, the motion in the middle, who takes on the right.
import { element, readable } from "./elements.js"

/** How fast what is shown follows what is [s]: powers of a single frame flicker. */
const CALM = 0.25
/** Below this share of all that flows ports are drawn as one. */
const SMALL = 0.02
/** What is below this share even together is not drawn. */
const NOTHING = 1e-3
const HEIGHT = 220
const LABEL = 96
const BAR = 7

/** Kinds of ports: a colour of the style sheet, and words for giving and taking. */
const KINDS = {
  source: ["series-1", "drives", "brakes"],
  store: ["series-2", "frees", "stores"],
  loss: ["series-5", "gives", "lost"],
  body: ["series-3", "slows", "speeds up"],
  steps: ["series-6", "", ""],
}

export class PowerFlow {
  #studio
  #calm = new Map()
  #seen = -1
  #largest = 0
  #canvas = element("canvas", { class: "power-flow", role: "img" })
  #words = element("p", { class: "quiet power-words" })

  constructor(studio) {
    this.#studio = studio
    this.root = element(
      "figure",
      { class: "strip-figure", "data-figure": "powers" },
      element(
        "figcaption",
        {},
        element("span", { text: "Power: who gives, who takes" }),
        element("span", { class: "unit", text: "W" }),
      ),
      this.#canvas,
      this.#words,
    )
    studio.world.on("frame", frame => frame.powers && this.#take(frame))
  }

  /** Ports that give and that take [{name, kind, watts}], calmed, the small ones as one. */
  get sides() {
    const all = [...this.#calm].map(([name, { watts, kind }]) => ({ name, watts, kind }))
    const gives = all.filter(port => port.watts > 0),
      takes = all.filter(port => port.watts < 0).map(port => ({ ...port, watts: -port.watts }))
    return { gives: gathered(gives), takes: gathered(takes) }
  }

  #take({ t, powers }) {
    const time = t - this.#seen
    const share = time > 0 && time < 1 ? 1 - Math.exp(-time / CALM) : 1
    if (time === 0) return
    this.#seen = t
    const now = new Map()
    for (const [name, [watts, kind]] of Object.entries(powers.ports)) now.set(name, { watts: watts ?? 0, kind })
    // what a body takes up, it takes from the motion as a port would
    for (const [name, watts] of Object.entries(powers.bodies))
      now.set(`${name} `, { watts: -(watts ?? 0), kind: "body" })
    for (const [name, port] of now) {
      const before = this.#calm.get(name)?.watts ?? port.watts
      port.watts = before + share * (port.watts - before)
    }
    this.#calm = now
  }

  draw() {
    const { clientWidth: width } = this.#canvas
    if (!width) return
    const sharp = devicePixelRatio || 1
    if (this.#canvas.width !== Math.round(width * sharp)) {
      this.#canvas.width = Math.round(width * sharp)
      this.#canvas.height = Math.round(HEIGHT * sharp)
    }
    const c = this.#canvas.getContext("2d")
    c.setTransform(sharp, 0, 0, sharp, 0, 0)
    c.clearRect(0, 0, width, HEIGHT)
    const { gives, takes } = this.sides
    const total = sum(gives)
    // widths are compared over time: the scale follows the largest flow, and forgets it slowly
    this.#largest = Math.max(total, 0.995 * this.#largest, 1e-9)
    if (total > 1e-9) {
      const scale = (HEIGHT - 27 * Math.max(gives.length, takes.length)) / this.#largest
      this.#bar(c, width, scale * total)
      this.#side(c, gives, { width, scale, from: LABEL, to: width / 2 - BAR, right: false, total })
      this.#side(c, takes, { width, scale, from: width - LABEL, to: width / 2 + BAR, right: true, total })
    }
    this.#tell(gives, takes, total)
  }

  #bar(c, width, height) {
    c.fillStyle = this.#studio.theme.color("ink-soft")
    c.fillRect(width / 2 - BAR, (HEIGHT - height) / 2 - 1, 2 * BAR, height + 2)
  }

  /** Bands between labels at the edge and the bar in the middle, as wide as the power. */
  #side(c, ports, { width, scale, from, to, right, total }) {
    const room = HEIGHT - scale * total
    let [outer, inner] = [0, (HEIGHT - scale * total) / 2]
    const gap = room / Math.max(1, ports.length)
    for (const { name, kind, watts } of ports) {
      const high = Math.max(1, scale * watts)
      const at = outer + gap / 2
      band(c, [from, at], [to, inner], high)
      c.fillStyle = this.#studio.theme.color(KINDS[kind][0])
      c.globalAlpha = 0.75
      c.fill()
      c.globalAlpha = 1
      if (kind === "loss") hatched(c, this.#studio.theme.color("paper"), HEIGHT, width)
      const edge = right ? from + 6 : from - 6
      c.fillStyle = this.#studio.theme.color("ink")
      c.textAlign = right ? "left" : "right"
      c.textBaseline = "middle"
      c.font = "600 11.5px system-ui, sans-serif"
      const middle = Math.min(HEIGHT - 13, Math.max(13, at + high / 2))
      c.fillText(fitted(c, name.trim(), LABEL - 8), edge, middle - 6)
      c.font = "11px system-ui, sans-serif"
      c.fillStyle = this.#studio.theme.color("ink-soft")
      c.fillText(`${readable(watts)} W ${KINDS[kind][right ? 2 : 1]}`, edge, middle + 7)
      outer += high + gap
      inner += high
    }
  }

  #tell(gives, takes, total) {
    const words = ports => ports.map(({ name, watts }) => `${name.trim()} ${readable(watts)} W`).join(", ")
    const text = total > 1e-9 ? `Gives: ${words(gives)}. Takes: ${words(takes)}.` : ""
    this.#canvas.setAttribute("aria-label", text || "No power flows.")
    this.#words.textContent =
      total > 1e-9
        ? `${readable(total)} W flow. Hatched: lost as heat.`
        : this.#studio.world.frame.powers
          ? "No power flows: nothing moves."
          : "Powers are told while it runs."
  }
}

const sum = ports => ports.reduce((all, { watts }) => all + watts, 0)

/** Ports in their order; those below a share of all are one, the last. */
function gathered(ports) {
  const least = SMALL * sum(ports)
  const large = ports.filter(({ watts }) => watts >= least),
    small = ports.filter(({ watts }) => watts < least)
  if (sum(small) < NOTHING * sum(ports)) return large
  if (small.length < 2) return ports
  return [...large, { name: `${small.length} others`, kind: "steps", watts: sum(small) }]
}

/** A band of one height from an edge to the middle, as smooth as water. */
function band(c, [ax, ay], [bx, by], high) {
  const half = (ax + bx) / 2
  c.beginPath()
  c.moveTo(ax, ay)
  c.bezierCurveTo(half, ay, half, by, bx, by)
  c.lineTo(bx, by + high)
  c.bezierCurveTo(half, by + high, half, ay + high, ax, ay + high)
  c.closePath()
}

/** Hatches the band that was filled last: what is lost is known without colours. */
function hatched(c, color, height, width) {
  c.save()
  c.clip()
  c.beginPath()
  for (let x = -height; x < width + height; x += 6) {
    c.moveTo(x, height)
    c.lineTo(x + height, 0)
  }
  c.strokeStyle = color
  c.lineWidth = 2
  c.stroke()
  c.restore()
}

/** As much of a name as there is room for. */
function fitted(c, text, room) {
  if (c.measureText(text).width <= room) return text
  let end = text.length
  while (end > 1 && c.measureText(`${text.slice(0, end)}…`).width > room) end--
  return `${text.slice(0, end)}…`
}
