// The player: the picture of a run or a model, time, and charts that move with it.
//
// On its own it plays what it was given. With a server behind it, `tell` sends what people do there,
// and viewer.js changes the player as the server says.

import { arrowWords } from "./arrows.js"
import { nearest, short, StripChart } from "./charts.js"
import { scaleWords } from "./ground.js"
import { numbers } from "./meshes.js"
import { STATES } from "./materials.js"
import { Scene } from "./scene.js"
import { poseBetween } from "./vectors.js"

const find = name => document.querySelector(name)
const PLAY = "M3 1.5l11 6.5-11 6.5z"
const PAUSE = "M3 2h4v12H3zM9 2h4v12H9z"

export class Player {
  constructor(data, tell = () => {}) {
    this.data = data
    this.tell = tell
    this.poses = numbers(data.poses)
    this.times = data.times
    this.last = data.times.length - 1
    this.time = data.times[0]
    this.playing = false
    this.speed = data.speed
    this.scene = new Scene(find("canvas.world"))
    this.scene.setMachine({ ...data.machine, shells: data.shells })
    this.ownLines = data.lines.map(points => ({ points, color: [0.91, 0.6, 0.24], width: 3 }))
    this.scene.setLines(this.ownLines)
    this.scene.onTheme = theme => this.dress(theme)
    this.dress(this.scene.theme)
    this.charts = data.charts.map(chart => this.chart(chart))
    this.words()
    this.listen()
    this.show()
    this.inset()
    this.scene.frame({ jump: true })
    if (this.travels()) find("#follow").click()
    this.scene.start(now => this.step(now))
  }

  chart({ title, unit, lines }) {
    const chart = new StripChart(find(".charts"), { title, unit, onSeek: time => this.seek(time) })
    chart.set(this.times, lines.map(({ name, values }) => ({ name, values: numbers(values) })))
    return chart
  }

  words() {
    const { name, machine, speed } = this.data
    find(".title b").textContent = name
    find(".title span").textContent = scaleWords(machine.size)
    find("canvas.world").setAttribute("aria-label", `${name} in three dimensions; arrow keys turn it, F frames it`)
    find("#time").max = this.last
    this.setSpeed(speed)
    find("#graphs").hidden = !this.charts.length
    find(".transport").hidden = this.last === 0
    find(".panel").hidden = this.last === 0 && !this.charts.length
    for (const id of ["#forces", "#follow"]) find(id).hidden = this.last === 0
  }

  /** Whether the first body goes so far that it would leave the picture. */
  travels() {
    const at = frame => [3, 7].map(i => this.poses[(this.poses.length / this.times.length) * frame + i])
    const [first, last] = [at(0), at(this.last)]
    return Math.hypot(last[0] - first[0], last[1] - first[1]) > 0.5 * this.data.machine.size
  }

  setSpeed(speed) {
    this.speed = speed
    const list = find("select")
    list.value = String(speed)
    if (list.selectedIndex < 0) list.add(new Option(`${speed} ×`, speed, true, true))
  }

  dress(theme) {
    document.documentElement.dataset.theme = theme.name
    this.stale = true
  }

  /** Tell the camera how much the panels cover. */
  inset() {
    const panel = find(".panel")
    const covered = panel.hidden ? 0 : innerHeight - panel.getBoundingClientRect().top
    const sliders = find(".sliders[open]")
    const beside = sliders && innerWidth > 700 ? sliders.offsetWidth + 14 : 0
    Object.assign(this.scene.camera.inset, { top: 40, right: beside, bottom: Math.min(covered, 0.6 * innerHeight) })
    this.scene.dirty = true
    this.stale = true
  }

  // --- time -----------------------------------------------------------------------------------

  seek(time) {
    this.time = Math.min(this.times[this.last], Math.max(this.times[0], time))
    this.playing = false
    this.stale = true
    this.tell({ picture: nearest(this.times, this.time) })
  }

  toggle() {
    this.playing = !this.playing && this.last > 0
    if (this.playing && this.time >= this.times[this.last]) this.time = this.times[0]
    this.stale = true
    this.tell({ playing: this.playing })
  }

  step(now) {
    if (this.playing) {
      // a page that was asleep, or a picture that took long, makes no leap in time
      this.time += Math.min(0.1, (now - (this.before ?? now)) / 1000) * this.speed
      if (this.time > this.times[this.last]) this.time = this.times[0]
      this.stale = true
    }
    this.before = now
    if (this.stale) this.show()
    this.stale = false
  }

  show() {
    const frame = nearest(this.times, this.time)
    if (this.last > 0 || !this.scene.posed) this.scene.setPoses(this.posesAt(frame))
    this.scene.posed = true
    this.showArrows(frame)
    find("#time").value = frame
    find("#time").setAttribute("aria-valuetext", `${this.times[frame].toFixed(2)} seconds`)
    find("#clock").textContent = `${this.times[frame].toFixed(3)} s`
    const label = this.playing ? "pause" : "play"
    if (find("#play").ariaLabel !== label) {
      find("#play").ariaLabel = label
      find("#play path").setAttribute("d", this.playing ? PAUSE : PLAY)
    }
    if (!find(".charts").hidden) for (const chart of this.charts) chart.draw(this.time)
  }

  /** Poses at the time, between two pictures: slow motion shall be smooth. */
  posesAt(frame) {
    const size = this.poses.length / this.times.length
    const here = this.poses.subarray(frame * size, (frame + 1) * size)
    if (frame === this.last) return here
    const share = (this.time - this.times[frame]) / (this.times[frame + 1] - this.times[frame])
    if (!(share > 0.01)) return here
    const there = this.poses.subarray((frame + 1) * size, (frame + 2) * size)
    const mixed = new Float32Array(size)
    for (let k = 0; k < size; k += 12) mixed.set(poseBetween(here.subarray(k, k + 12), there.subarray(k, k + 12), share), k)
    return mixed
  }

  showArrows(frame) {
    const { points, vectors, states, newtons } = this.data.arrows[frame]
    const shown = find("#forces").ariaPressed === "true"
    const arrows = points.map((from, k) => ({
      from, vector: vectors[k], state: this.data.states[states[k]], label: `${short(newtons[k])} N`,
    }))
    this.scene.setArrows(shown ? arrows : [])
    const seen = shown ? [...new Set(arrows.map(arrow => arrow.state))] : []
    const legend = find(".legend")
    // the line stays where there are forces at all, or the charts would jump
    legend.hidden = !this.data.arrows.some(each => each.points.length)
    const text = seen.sort().map(state => entry(state)).join("") || "<span>nothing touches</span>"
    if (legend.innerHTML !== text) legend.innerHTML = text
  }

  // --- what people do -----------------------------------------------------------------------------

  listen() {
    const press = (id, act) => (find(id).onclick = act)
    const flip = (id, act) => press(id, () => {
      find(id).ariaPressed = String(find(id).ariaPressed !== "true")
      act(find(id).ariaPressed === "true")
      this.stale = true
    })
    press("#play", () => this.toggle())
    press("#back", () => this.seek(this.times[Math.max(0, nearest(this.times, this.time) - 1)]))
    press("#on", () => this.seek(this.times[Math.min(this.last, nearest(this.times, this.time) + 1)]))
    press("#frame", () => this.scene.frame({ turn: true }))
    press("#theme", () => this.scene.setTheme(this.scene.theme.name === "dark" ? "light" : "dark"))
    press("#help", () => find("dialog").showModal())
    flip("#forces", () => {})
    flip("#follow", on => { this.scene.follow = on })
    flip("#graphs", on => {
      find(".charts").hidden = !on
      this.inset()
    })
    find("select").onchange = () => {
      this.speed = Number(find("select").value)
      this.tell({ speed: this.speed })
    }
    find("#time").oninput = () => this.seek(this.times[find("#time").value])
    addEventListener("resize", () => this.inset())
    addEventListener("keydown", event => this.key(event))
    const canvas = find("canvas.world")
    canvas.addEventListener("pointermove", event => this.point(event))
    canvas.addEventListener("pointerleave", () => (find(".hint").hidden = true))
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || find("dialog").open) return
    const ids = { " ": "#play", ",": "#back", ".": "#on", v: "#follow", c: "#forces", g: "#graphs", d: "#theme", "?": "#help" }
    const id = ids[event.key.toLowerCase()]
    // buttons and lists have their own use of the space bar
    if (event.key === " " && ["BUTTON", "SELECT"].includes(event.target.tagName)) return
    if (id && !find(id).hidden) find(id).click()
    else if (event.key === "Home") this.seek(this.times[0])
    else if (event.key === "End") this.seek(this.times[this.last])
    else if (event.target === document.body) this.scene.camera.key(event)
    else return
    event.preventDefault()
  }

  /** Say what is under the pointer: a force and its number, or the name of a body. */
  point(event) {
    const hint = find(".hint")
    const [x, y] = [event.offsetX, event.offsetY]
    const arrow = event.buttons ? null : this.scene.pickArrow(x, y)
    const hit = event.buttons || arrow ? null : this.scene.pick(x, y)
    const body = hit && hit.body >= 0 ? hit.body : null
    this.scene.hover(body)
    const words = arrow ? arrowWords(arrow) : body === null ? "" : this.data.machine.bodies[body].name
    hint.hidden = !words
    hint.textContent = words
    hint.style.left = `${Math.min(event.clientX, innerWidth - 160)}px`
    hint.style.top = `${Math.max(event.clientY, 40)}px`
  }
}

/** A sample of an arrow with the words of a state: a full line, pieces, two heads, or a head only. */
function entry(state) {
  const { color, words } = STATES[state]
  const paint = `rgb(${color.map(x => Math.round(255 * x))})`
  const dash = state === "slip" ? "5 3" : ""
  const shaft = state === "open" ? "" : `<line x1="1" x2="24" y1="5" y2="5" stroke="${paint}" stroke-width="2.5" stroke-dasharray="${dash}"/>`
  const second = state === "impact" ? `<path d="M16 1l8 4-8 4z" fill="${paint}"/>` : ""
  return `<span><svg viewBox="0 0 34 10" aria-hidden="true">${shaft}${second}<path d="M24 1l9 4-9 4z" fill="${paint}"/></svg> ${words}</span>`
}
