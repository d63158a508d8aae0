// Joints and parts that were refused: a sign where they should have been, with the reason.
//
// A line that fails changes nothing, so that the world knows nothing of it: the page does, until an
// edit succeeds or the sign is clicked.

const PLACE = /-(?:a|b|where)\s+(?:"([^"]*)"|(\S+))\s+(\S+)\s+(\S+)\s+(\S+)/g

export class Refusals {
  /** What was refused: {text, body, local}. */
  list = []
  #studio
  #revision = -1

  constructor(studio) {
    this.#studio = studio
    studio.on("ran", message => this.#note(message))
    studio.world.on("scene", scene => this.#sceneChanged(scene))
    studio.overlay.layer(
      pen => this.#draw(pen),
      () => this.list.length > 0,
    )
  }

  /** Takes the sign at a place of the picture away; whether there was one. */
  clear(x, y) {
    const hit = this.list.find(each => this.#isAt(each, x, y))
    if (hit) this.#set([])
    return Boolean(hit)
  }

  #note({ line, text, ok }) {
    if (ok || !/^\s*add\s/.test(line)) return
    const places = [...line.matchAll(PLACE)].map(([, quoted, plain, ...numbers]) => ({
      body: quoted ?? plain,
      local: numbers.map(Number),
      text,
    }))
    const { world } = this.#studio
    const known = places.filter(
      ({ body, local }) => (body === "world" || world.bodyIndex(body) >= 0) && local.every(Number.isFinite),
    )
    if (known.length) this.#set([known.find(({ body }) => body !== "world") ?? known[0]])
  }

  #sceneChanged({ revision }) {
    if (revision !== this.#revision && this.list.length) this.#set([])
    this.#revision = revision
  }

  #set(list) {
    this.list = list
    this.#revision = this.#studio.world.scene.revision
    this.#studio.emit("refused", list)
  }

  #seen({ body, local }) {
    return this.#studio.picture.project(this.#studio.world.toWorld(body, local))
  }

  #isAt(each, x, y) {
    const seen = this.#seen(each)
    return seen && Math.hypot(seen[0] - x, seen[1] - y) < 14
  }

  #draw(pen) {
    for (const each of this.list) {
      const seen = this.#seen(each)
      if (!seen) continue
      pen.badge(seen)
      pen.label(seen[0] + 16, seen[1], "refused")
    }
  }
}
