// The volume editor's page: the shapes of one link, its volumes over them, handles and fields.
//
// The server has the draft. The page sends commands {do, …} and handles that were dragged, and shows
// the state that comes back; `waiting` keeps a dragged handle from sending faster than the answers.

import { showError } from "./errors.js"
import { scaleWords } from "./ground.js"
import { HandleSet } from "./handles.js"
import { Scene } from "./scene.js"
import { PageSocket } from "./socket.js"

const find = name => document.querySelector(name)
const all = name => [...document.querySelectorAll(name)]
const NONE = "–"
/** Largest movement of the pointer that is a click [CSS pixels]. */
const CLICK = 4

class VolumeEditor {
  constructor({ name, file, links, axes }) {
    this.scene = new Scene(find("canvas.world"))
    this.handles = new HandleSet(this.scene, message => this.drag(message))
    this.surfaces = new Map()
    this.shells = []
    this.waiting = false
    this.scene.onTheme = theme => (document.documentElement.dataset.theme = theme.name)
    this.scene.onTheme(this.scene.theme)
    this.scene.camera.onFrame = () => this.frame()
    find(".title b").textContent = name
    find("canvas.world").setAttribute("aria-label", `volumes of ${name} in three dimensions; arrow keys turn it, F frames it`)
    find("#save").title = `write the volumes of all links to ${file}`
    fill(find("#link"), links)
    fill(find("#axis"), axes)
    fill(find("#other"), ["within the link", ...links], ["", ...links])
    find("#axis").value = "y"
    find(".editor").open = innerWidth > 700
    this.listen()
    this.socket = new PageSocket(message => this.hear(message), text => this.status(text))
    this.scene.start()
  }

  // --- what the server says -----------------------------------------------------------------------

  hear({ shapes, state, status }) {
    if (status !== undefined) this.status(status)
    if (shapes) this.showShapes(shapes)
    if (state) this.show(state)
  }

  status(text) {
    find("#status").textContent = text
  }

  showShapes({ name, surfaces, size, box }) {
    this.box = box
    this.scene.setMachine({ bodies: [{ name, surfaces }], ground: null, size })
    this.shells = []
    find(".title span").textContent = `${name}, ${scaleWords(size)}`
    this.inset()
    this.frame({ jump: true })
  }

  show(state) {
    this.state = state
    this.showVolumes(state)
    this.handles.set(state.handles)
    find("#outside").textContent = state.outside
    put(find("#link"), state.link)
    fill(find("#volume"), state.volumes.length ? state.volumes.map(({ name }, k) => `${k + 1} ${name}`) : [NONE], [...state.volumes.keys()])
    put(find("#volume"), state.chosen)
    fill(find("#group"), [NONE, ...state.groups], ["", ...state.groups])
    put(find("#group"), state.group)
    find("#assign").disabled = !state.group
    const volume = state.volumes[state.chosen]
    find("#chosen").disabled = !volume
    put(find("#name"), volume?.name ?? "")
    put(find("#radius"), volume ? tidy(volume.radius) : "")
    put(find("#groups"), volume?.groups.join(", ") ?? "")
    all(".point").forEach((row, k) => {
      row.hidden = !(k < (volume?.points.length ?? 1))
      ;[...row.querySelectorAll("input")].forEach((field, i) => put(field, volume?.points[k] ? tidy(volume.points[k][i]) : ""))
    })
    this.answered()
  }

  /** Draw the volumes; one whose shape is as before is the same object, and is not sent again. */
  showVolumes({ volumes, surfaces }) {
    for (const [key, surface] of Object.entries(surfaces)) this.surfaces.set(key, surface)
    const before = [...this.shells]
    this.shells = []
    volumes.forEach(({ key, color, opacity }, tag) => {
      const at = before.findIndex(shell => shell.key === key)
      const shell = at < 0 ? { ...this.surfaces.get(key), key } : before.splice(at, 1)[0]
      this.shells.push(Object.assign(shell, { color, opacity, tag, body: 0 }))
    })
    for (const key of this.surfaces.keys()) if (!volumes.some(each => each.key === key)) this.surfaces.delete(key)
    this.scene.setShells(this.shells.filter(shell => shell.vertices))
  }

  // --- what people do -----------------------------------------------------------------------------

  send(message) {
    this.socket.send(message)
  }

  drag(message) {
    if (this.waiting) this.next = message
    else this.send(message)
    this.waiting = this.socket.isOpen
  }

  answered() {
    const { next } = this
    this.waiting = false
    this.next = null
    if (next) this.drag(next)
  }

  listen() {
    addEventListener("input", ({ target }) => (target.dataset.typing = "yes"))
    for (const name of ["change", "focusout"]) addEventListener(name, ({ target }) => delete target.dataset?.typing, true)
    const asked = (id, read = field => field.value) => {
      const field = find(`#${id}`)
      field.onchange = () => this.send({ do: id, value: read(field) })
    }
    asked("link")
    asked("volume", field => Number(field.value))
    asked("group")
    asked("name")
    asked("groups")
    asked("radius", field => field.valueAsNumber)
    all(".point").forEach((row, corner) => {
      ;[...row.querySelectorAll("input")].forEach((field, axis) => {
        field.onchange = () => this.send({ do: "point", corner, axis, value: field.valueAsNumber })
      })
    })
    for (const button of all("[data-add]")) button.onclick = () => this.send({ do: "add", value: button.dataset.add })
    for (const button of all("[data-do]")) button.onclick = () => this.send({ do: button.dataset.do, ...this.details(button.dataset.do) })
    find("#save").onclick = () => this.send({ do: "save" })
    find("#frame").onclick = () => this.frame({ turn: true })
    find("#theme").onclick = () => this.scene.setTheme(this.scene.theme.name === "dark" ? "light" : "dark")
    find(".editor").ontoggle = () => this.inset()
    addEventListener("resize", () => this.inset())
    addEventListener("keydown", event => this.key(event))
    this.listenToCanvas()
  }

  /** What a button needs beside its name. */
  details(name) {
    if (name === "mirror") return { axis: find("#axis").value, other: find("#other").value }
    if (name === "fit") return { parts: find("#parts").valueAsNumber }
    return {}
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return
    if (event.key === "d" || event.key === "D") find("#theme").click()
    else if (event.key === "Delete") this.send({ do: "remove" })
    else if (event.target !== document.body || !this.scene.camera.key(event)) return
    event.preventDefault()
  }

  /** A click on a volume chooses it; what is under the pointer is named. */
  listenToCanvas() {
    const canvas = find("canvas.world")
    const hint = find(".hint")
    let pressed = null
    canvas.addEventListener("pointerdown", event => {
      hint.hidden = true
      pressed = this.handles.grabbed ? null : [event.clientX, event.clientY]
    })
    canvas.addEventListener("pointerup", event => {
      // a handle that was let go stands where the draft has it
      if (this.state) this.handles.set(this.state.handles)
      const away = pressed ? Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) : Infinity
      const tag = away <= CLICK ? this.scene.pickShell(event.offsetX, event.offsetY) : null
      if (tag !== null && tag !== this.state.chosen) this.send({ do: "volume", value: tag })
    })
    canvas.addEventListener("pointermove", event => {
      if (event.buttons || !this.state) return
      const handle = this.handles.under?.handle
      const tag = handle ? null : this.scene.pickShell(event.offsetX, event.offsetY)
      hint.textContent = handle?.name ?? (tag === null ? "" : `${tag + 1} ${this.state.volumes[tag].name}`)
      hint.hidden = !hint.textContent
      hint.style.left = `${Math.min(event.clientX, innerWidth - 160)}px`
      hint.style.top = `${Math.max(event.clientY, 40)}px`
    })
    canvas.addEventListener("pointerleave", () => (hint.hidden = true))
  }

  // --- the camera -----------------------------------------------------------------------------------

  frame({ turn = false, jump = false } = {}) {
    if (this.box) this.scene.camera.frame({ low: this.box[0], high: this.box[1] }, { turn })
    if (jump) this.scene.camera.jump()
    this.scene.dirty = true
  }

  /** Tell the camera how much the panel covers. */
  inset() {
    const panel = find(".editor")
    const beside = innerWidth > 700
    Object.assign(this.scene.camera.inset, {
      top: 40,
      right: beside && panel.open ? panel.offsetWidth + 14 : 0,
      bottom: beside ? 0 : panel.offsetHeight,
    })
    this.scene.dirty = true
  }
}

/** Give a list its options, if they differ. */
function fill(list, texts, values = texts) {
  const same = list.options.length === texts.length && texts.every((text, k) => list.options[k].text === text)
  if (!same) list.replaceChildren(...texts.map((text, k) => new Option(text, values[k])))
}

/** Show a value, but not in a field that somebody is typing in. */
function put(field, value) {
  const text = String(value)
  if (field.value !== text && !field.dataset.typing) field.value = text
}

/** A length to a hundredth of a millimetre. */
const tidy = value => Number(value.toFixed(5))

try {
  window.editor = new VolumeEditor(JSON.parse(find("#data").textContent))
} catch (error) {
  showError(`The picture cannot be drawn: ${error.message}`)
  throw error
}
