// What is drawn upon the picture: points to snap to, the spring of the hand, badges of trouble.
import { Pen } from "./pen.js"

export class Overlay {
  #studio
  #canvas
  #context
  #layers = new Map()
  #told = null
  #badges = []
  #wasBusy = true

  constructor(studio, canvas) {
    this.#studio = studio
    this.#canvas = canvas
    this.#context = canvas.getContext("2d")
    studio.picture.each(() => this.#draw())
  }

  /** Draws something with every picture while `active`, until the function that comes back is called. */
  layer(drawer, active = () => true) {
    this.#layers.set(drawer, active)
    return () => this.#layers.delete(drawer)
  }

  /** Shows a few words beside the pointer; none if there are none. */
  tell(x, y, text) {
    this.#told = text ? { x, y, text } : null
  }

  /** The name of the joint or part whose badge is at a place. */
  badgeAt(x, y) {
    return this.#badges.find(badge => Math.hypot(badge.x - x, badge.y - y) < 14)?.name
  }

  #draw() {
    // An empty sheet upon an empty sheet costs the browser as much as a full one.
    const layers = [...this.#layers].filter(([, active]) => active()).map(([drawer]) => drawer)
    const { scene } = this.#studio.world
    const named = scene.shown?.includes("names") ?? false
    const busy = layers.length > 0 || named || this.#told !== null || troubled(scene).size > 0
    if (!busy && !this.#wasBusy) return
    this.#wasBusy = busy
    const { clientWidth: width, clientHeight: height } = this.#canvas,
      sharp = devicePixelRatio || 1
    if (this.#canvas.width !== Math.round(width * sharp) || this.#canvas.height !== Math.round(height * sharp)) {
      this.#canvas.width = Math.round(width * sharp)
      this.#canvas.height = Math.round(height * sharp)
    }
    const c = this.#context
    c.setTransform(sharp, 0, 0, sharp, 0, 0)
    c.clearRect(0, 0, width, height)
    this.#drawBadges()
    const pen = new Pen(this.#studio, c)
    if (named) for (const { name } of scene.bodies) pen.name(this.#studio.world.toWorld(name, [0, 0, 0]), name)
    for (const layer of layers) layer(pen)
    if (this.#told) pen.label(this.#told.x + 14, this.#told.y - 16, this.#told.text)
  }

  // Joints that repeat or contradict others are marked where they are, as in the tree.
  #drawBadges() {
    this.#badges = []
    const { world, picture } = this.#studio
    for (const name of troubled(world.scene)) {
      const place = placeOf(world, name),
        seen = place && picture.project(place)
      if (!seen) continue
      this.#badges.push({ name, x: seen[0], y: seen[1] })
      new Pen(this.#studio, this.#context).badge(seen)
    }
  }
}

const troubles = new WeakMap()

/** Names of the joints and parts of which a note tells trouble, or whose loop holds nothing. */
export function troubled(scene) {
  if (!troubles.has(scene)) troubles.set(scene, findTrouble(scene))
  return troubles.get(scene)
}

function findTrouble(scene) {
  // A loop in a plane repeats rows by its nature; one that adds none at all is one too many.
  const names = new Set(scene.loops.filter(loop => loop.rank === 0).map(loop => loop.name))
  for (const note of scene.notes) {
    for (const { name } of [...scene.joints, ...scene.parts]) if (mentions(note, name)) names.add(name)
  }
  return names
}

/** Whether a text has a name as a word of its own. */
export function mentions(text, name) {
  const at = text.indexOf(name)
  return at >= 0 && !/\w/.test(text[at - 1] ?? " ") && !/\w/.test(text[at + name.length] ?? " ")
}

/** Where a joint or a part is in the world. */
function placeOf(world, name) {
  const found = world.find(name)
  if (found?.what === "joint") return world.jointPoint(found.item)
  if (found?.what === "part" && found.item.a) return world.toWorld(found.item.a.body, found.item.a.point)
  return null
}
