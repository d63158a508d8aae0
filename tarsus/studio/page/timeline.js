// Time: play, pause, step, speed, and back and forth through what has been recorded.
import { element, icon, iconButton, readable } from "./elements.js"

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5]

export class Timeline {
  #studio
  #play
  #slider
  #clock = element("output", { class: "clock", text: "0.00 s" })
  #rate = element("span", { class: "rate", title: "Simulated seconds per second" })
  #speed
  #past
  #wanted = null
  #busy = false
  #held = false
  #asked = null

  constructor(studio, place) {
    this.#studio = studio
    this.#play = element(
      "button",
      { type: "button", class: "play", "aria-label": "Play", title: "Play (Space)", onclick: () => this.toggle() },
      icon("play", 24),
    )
    this.#slider = element("input", {
      type: "range",
      min: "0",
      max: "0",
      step: "0.001",
      value: "0",
      "aria-label": "Time",
      class: "time",
      oninput: () => this.#look(Number(this.#slider.value)),
      onpointerdown: () => {
        this.#held = true
      },
      onpointerup: () => {
        this.#held = false
      },
    })
    this.#speed = element(
      "select",
      { "aria-label": "Speed", title: "Speed", onchange: () => studio.run(`speed ${this.#speed.value}`) },
      ...SPEEDS.map(speed => element("option", { value: String(speed), text: `${speed} ×`, selected: speed === 1 })),
    )
    this.#past = element(
      "div",
      { class: "past", hidden: true },
      element("span", { text: "Looking back" }),
      element("button", {
        type: "button",
        class: "choice",
        text: "Go on from here",
        onclick: () => studio.run(`rewind ${studio.world.frame.t}`).then(() => studio.run("play")),
      }),
      element("button", {
        type: "button",
        class: "choice",
        text: "Back to now",
        onclick: () => studio.run(`look ${studio.world.frame.end}`),
      }),
    )
    place.append(
      this.#past,
      element(
        "div",
        { class: "panel bar" },
        iconButton("restart", "Back to the start (Home)", () => studio.run("restart")),
        iconButton("back", "A little back (,)", () => this.nudge(-1)),
        this.#play,
        iconButton("step", "A step on (.)", () => this.nudge(1)),
        this.#slider,
        this.#clock,
        this.#speed,
        this.#rate,
      ),
    )
    studio.world.on("frame", frame => this.#show(frame))
    studio.world.on("scene", scene => this.#setSpeed(scene.settings.speed ?? 1))
  }

  // Frames tell late whether the clock runs: what was asked for last counts until they do.
  async toggle() {
    const { playing, working, t, end } = this.#studio.world.frame
    if (working) return this.#studio.run("pause")
    this.#asked = !(this.#asked ?? playing)
    if (!this.#asked) return this.#studio.run("pause")
    if (this.#isPast(t, end) && !this.#isFilm) await this.#studio.run(`rewind ${t}`)
    return this.#studio.run("play")
  }

  /** A little back in the recording, or forth in it; at its end, a step of the simulation. */
  nudge(way) {
    const { t, end, playing } = this.#studio.world.frame
    if (way > 0 && !this.#isPast(t, end)) return playing ? this.#studio.run("pause") : this.#studio.run("step 1")
    this.#look(Math.min(end, Math.max(0, t + way / 30)))
  }

  faster(way) {
    const now = SPEEDS.indexOf(Number(this.#speed.value))
    const next = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, now + way))]
    this.#studio.run(`speed ${next}`)
  }

  /** Whether a gait that was found is shown: a film has no now to go back to. */
  get #isFilm() {
    return Boolean(this.#studio.world.scene.gait)
  }

  #isPast(t, end) {
    return end - t > 1e-6
  }

  async #look(t) {
    this.#wanted = t
    if (this.#busy) return
    this.#busy = true
    while (this.#wanted !== null) {
      const next = this.#wanted
      this.#wanted = null
      await this.#studio.run(`look ${next}`, { quiet: true })
    }
    this.#busy = false
  }

  #setSpeed(speed) {
    if (!SPEEDS.includes(speed) && ![...this.#speed.options].some(option => Number(option.value) === speed)) {
      this.#speed.append(element("option", { value: String(speed), text: `${speed} ×` }))
    }
    this.#speed.value = String(speed)
  }

  #show({ t, end, playing, working, rate }) {
    if (playing === this.#asked) this.#asked = null
    if (this.#slider.max !== String(end)) this.#slider.max = String(end)
    if (!this.#held && !this.#busy) this.#slider.value = String(t)
    this.#slider.style.setProperty("--share", end > 0 ? String(t / end) : "0")
    this.#slider.setAttribute("aria-valuetext", `${t.toFixed(2)} of ${end.toFixed(2)} seconds`)
    this.#clock.textContent = `${t.toFixed(2)} s`
    this.#rate.textContent = working || (playing ? `${readable(rate, 2)} ×` : "paused")
    this.#rate.classList.toggle("slow", playing && rate < 0.9 * Number(this.#speed.value))
    this.#past.hidden = playing || working || this.#isFilm || !this.#isPast(t, end)
    const label = working ? "Stop" : playing ? "Pause" : "Play"
    if (this.#play.getAttribute("aria-label") === label) return
    this.#play.setAttribute("aria-label", label)
    this.#play.title = `${label} (Space)`
    this.#play.replaceChildren(icon(playing || working ? "pause" : "play", 24))
    document.body.classList.toggle("playing", playing)
  }
}
