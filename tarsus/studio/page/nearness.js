// How near bodies are to each other: a tint that grows with nearness, and the nearest pair in words.

/** From far to near, and within: lighter to darker as well, for eyes that see no colours. */
const FAR = [0.98, 0.83, 0.45]
const NEAR = [0.86, 0.24, 0.11]
const WITHIN = [0.45, 0.02, 0.3]

export class Nearness {
  #studio
  #tinted = new Set()

  constructor(studio) {
    this.#studio = studio
    studio.world.on("frame", frame => this.#tint(frame.distances))
    studio.overlay.layer(
      pen => this.#draw(pen),
      () => Boolean(this.#studio.world.frame.distances?.pair[0]),
    )
  }

  /** What is told of a body: how far the next one is. */
  wordsOf(name) {
    const distance = this.#studio.world.frame.distances?.bodies[name]
    if (distance === undefined) return ""
    return distance < 0 ? `${name}: ${millimetres(-distance)} in another` : `${name}: ${millimetres(distance)} to the next`
  }

  #tint(distances) {
    const { world, scene } = this.#studio
    const now = new Map(Object.entries(distances?.bodies ?? {}))
    for (const name of this.#tinted) if (!now.has(name)) scene.setColor(world.bodyIndex(name), null)
    for (const [name, distance] of now) {
      const index = world.bodyIndex(name)
      if (index >= 0) scene.setColor(index, colorOf(distance, distances.reach))
    }
    this.#tinted = new Set(now.keys())
  }

  #draw(pen) {
    const { least, points, text } = this.#studio.world.frame.distances
    pen.gap(points[0], points[1], text, least < 0)
  }
}

function colorOf(distance, reach) {
  if (distance < 0) return WITHIN
  const share = Math.min(1, distance / reach) ** 0.6
  return NEAR.map((x, i) => x + share * (FAR[i] - x))
}

const millimetres = metres => (metres < 1 ? `${Number((1000 * metres).toPrecision(3))} mm` : `${Number(metres.toPrecision(3))} m`)
