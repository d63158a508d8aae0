// What is drawn upon the picture: points to snap to, the spring of the hand, badges of trouble.
import { Pen } from "./pen.js"

export class Overlay {
  #studio
  #canvas
  #context
  #layers = new Set()
  #springs = []
  #badges = []
  #wasBusy = true

  constructor(studio, canvas) {
    this.#studio = studio
    this.#canvas = canvas
    this.#context = canvas.getContext("2d")
    studio.picture.each(() => this.#draw())
  }

  /** Draws something with every picture until the function that comes back is called. */
  layer(drawer) {
    this.#layers.add(drawer)
    return () => this.#layers.delete(drawer)
  }

  /** The spring of a hand in the next picture, and its force if it is known. */
  spring(from, to, force) {
    this.#springs.push([from, to, force])
  }

  /** The name of the joint or part whose badge is at a place. */
  badgeAt(x, y) {
    return this.#badges.find(badge => Math.hypot(badge.x - x, badge.y - y) < 14)?.name
  }

  #draw() {
    // An empty sheet upon an empty sheet costs the browser as much as a full one.
    const busy = this.#layers.size > 0 || this.#springs.length > 0 || troubled(this.#studio.world.scene).size > 0
    if (!busy && !this.#wasBusy) return
    this.#wasBusy = busy
    const { clientWidth: width, clientHeight: height } = this.#canvas, sharp = devicePixelRatio || 1
    if (this.#canvas.width !== Math.round(width * sharp) || this.#canvas.height !== Math.round(height * sharp)) {
      this.#canvas.width = Math.round(width * sharp)
      this.#canvas.height = Math.round(height * sharp)
    }
    const c = this.#context
    c.setTransform(sharp, 0, 0, sharp, 0, 0)
    c.clearRect(0, 0, width, height)
    this.#drawBadges()
    const pen = new Pen(this.#studio, c)
    for (const [from, to, force] of this.#springs.splice(0)) pen.spring(from, to, force)
    for (const layer of this.#layers) layer(pen)
  }

  // Joints that repeat or contradict others are marked where they are, as in the tree.
  #drawBadges() {
    this.#badges = []
    const { world, picture } = this.#studio
    for (const name of troubled(world.scene)) {
      const place = placeOf(world, name), seen = place && picture.project(place)
      if (!seen) continue
      this.#badges.push({ name, x: seen[0], y: seen[1] })
      new Pen(this.#studio, this.#context).badge(seen)
    }
  }
}

/** Names of the joints and parts of which a loop or a note tells trouble. */
export function troubled(scene) {
  const names = new Set(scene.loops.filter(loop => loop.reason || loop.rank < loop.rows).map(loop => loop.name))
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
