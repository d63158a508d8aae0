// Joints, springs and strings under the pointer, and what they bear, as the server tells it.

/** How near the pointer must be [px]. */
const NEAR = 10
/** How old words may be until they are asked for again [ms]. */
const FRESH = 150

export class Things {
  #studio
  #told = { name: "", text: "", at: 0 }

  constructor(studio) {
    this.#studio = studio
  }

  /** What is told of the joint or part at a place of the canvas; undefined if there is none. */
  wordsAt(x, y) {
    const name = this.#at(x, y)
    if (name === undefined) return undefined
    if (name !== this.#told.name) this.#told = { name, text: name, at: 0 }
    if (performance.now() - this.#told.at > FRESH) this.#ask(name)
    return this.#told.text
  }

  async #ask(name) {
    this.#told.at = performance.now()
    const { text } = await this.#studio.connection.ask("told", { name })
    if (this.#told.name === name) this.#told.text = text || name
  }

  #at(x, y) {
    const { world, picture } = this.#studio
    const place = point => picture.project(point)
    const joint = world.scene.joints.find(each => {
      const seen = place(world.jointPoint(each))
      return seen && Math.hypot(seen[0] - x, seen[1] - y) < NEAR
    })
    if (joint) return joint.name
    const part = world.scene.parts.find(({ a, b }) => {
      if (!a || !b) return false
      const ends = [a, b].map(end => place(world.toWorld(end.body, end.point)))
      return ends[0] && ends[1] && fromSegment(ends[0], ends[1], [x, y]) < NEAR
    })
    return part?.name
  }
}

function fromSegment(a, b, p) {
  const way = [b[0] - a[0], b[1] - a[1]]
  const along = ((p[0] - a[0]) * way[0] + (p[1] - a[1]) * way[1]) / (way[0] ** 2 + way[1] ** 2 || 1)
  const u = Math.min(1, Math.max(0, along))
  return Math.hypot(p[0] - a[0] - u * way[0], p[1] - a[1] - u * way[1])
}
