// Where the camera looks: at the whole machine when it is new or out of sight, and after it when it walks.
import { norm, subtract } from "../view/vectors.js"

const LONG = 1.2
const SHORT = 0.1
const EMPTY = { low: [-1, -0.4, 0], high: [1, 0.4, 1.2] }

export class Gaze {
  #studio
  #set = null
  #waiting = false
  #names = null
  #leash = LONG

  constructor(studio) {
    this.#studio = studio
    studio.world.on("scene", scene => this.#sceneChanged(scene))
    studio.picture.each(() => this.#look())
    new ResizeObserver(() => this.fit()).observe(document.body)
  }

  /** Looks at all of the machine, in what panels leave free. */
  frame(jump = false) {
    const { scene, world } = this.#studio
    this.fit()
    if (world.scene.bodies.length) scene.frame({ jump })
    else {
      scene.camera.frame(EMPTY)
      if (jump) scene.camera.jump()
      scene.dirty = true
    }
    this.#set = [...scene.camera.goal.target]
    this.#leash = LONG
  }

  /** Tells the camera which edges of the canvas panels cover. */
  fit() {
    const covers = document.body.classList.contains("welcoming") ? {} : (this.#studio.layout?.covers() ?? {})
    Object.assign(this.#studio.scene.camera.inset, { left: 0, right: 0, top: 0, bottom: 0, ...covers })
    this.#studio.scene.dirty = true
  }

  #sceneChanged(scene) {
    const names = scene.bodies.map(body => body.name).join("\n")
    this.#waiting ||= names !== this.#names
    this.#names = names
  }

  // Poses come after the scene: what is in sight is known only then.
  #look() {
    const { world } = this.#studio
    if (world.frame.revision !== world.scene.revision) return
    if (this.#waiting) {
      this.#waiting = false
      const first = this.#set === null
      if (first || !this.#isInSight()) this.frame(first)
    } else if (world.frame.playing) this.#follow()
  }

  /** Whether the box around the machine is within what is free, and not tiny in it. */
  #isInSight() {
    const { scene, picture } = this.#studio,
      { low, high } = scene.bounds
    const { left, right, top, bottom } = scene.camera.inset,
      { clientWidth: width, clientHeight: height } = picture.canvas
    const seen = []
    for (let corner = 0; corner < 8; corner++)
      seen.push(scene.place(low.map((x, i) => ((corner >> i) & 1 ? high[i] : x))))
    if (seen.some(place => !place)) return false
    const [xs, ys] = [seen.map(place => place[0]), seen.map(place => place[1])]
    const fits =
      Math.min(...xs) > left &&
      Math.max(...xs) < width - right &&
      Math.min(...ys) > top &&
      Math.max(...ys) < height - bottom
    return fits && Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) > 0.15 * height
  }

  // What swings about stays in a still picture; what once went away is followed closely from then on,
  // until someone looks elsewhere.
  #follow() {
    const { camera, bounds } = this.#studio.scene,
      { target } = camera.goal
    if (!this.#set || norm(subtract(target, this.#set)) > 1e-9) return
    const away = subtract(bounds.middle, target),
      far = norm(away),
      leash = this.#leash * bounds.radius
    if (!(far > leash)) return
    this.#leash = SHORT
    camera.goal.target = target.map((x, i) => x + away[i] * (1 - leash / far))
    this.#set = [...camera.goal.target]
  }
}
