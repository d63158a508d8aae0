// The machine in the picture: what the world says goes to the scene, once a picture.
import { arrowsOf, iconsOf, isHand } from "./signs.js"

export class Picture {
  #studio
  #newFrame = false
  #shapes = -1
  #drawers = []

  constructor(studio) {
    this.#studio = studio
    this.canvas = document.getElementById("picture")
    studio.world.on("scene", scene => this.#build(scene))
    studio.world.on("frame", () => {
      this.#newFrame = true
    })
    // a server that was started anew counts its shapes anew
    studio.connection.on("open", () => {
      this.#shapes = -1
    })
    studio.on("selected", () => this.#select())
    // the next picture is asked for first, so that one that fails is not the last
    const draw = now => {
      requestAnimationFrame(draw)
      this.#draw(now)
    }
    requestAnimationFrame(draw)
  }

  /** Calls back after each picture. */
  each(drawer) {
    this.#drawers.push(drawer)
  }

  /** The place on the canvas about which the machine is framed, in CSS pixels. */
  get middle() {
    const { left, right, top, bottom } = this.#studio.scene.camera.inset
    return [(left + this.canvas.clientWidth - right) / 2, (top + this.canvas.clientHeight - bottom) / 2]
  }

  /** Where a point of the world is on the canvas, nothing if it is behind the eye. */
  project(point) {
    return this.#studio.scene.place(point)
  }

  /** The ray {from, way} through a place of the canvas; `way` has length one. */
  ray(x, y) {
    return this.#studio.scene.ray(x, y)
  }

  /** What is at a place of the canvas: {body, point, local, normal}; the ground is of the world. */
  pick(x, y) {
    const hit = this.#studio.scene.pick(x, y)
    return hit && { ...hit, body: this.#studio.world.scene.bodies[hit.body]?.name ?? "world" }
  }

  hover(name) {
    const index = this.#studio.world.bodyIndex(name)
    this.#studio.scene.hover(index < 0 ? null : index)
  }

  #build(scene) {
    if (scene.shapes !== this.#shapes) {
      this.#shapes = scene.shapes
      this.#studio.scene.setMachine({ bodies: scene.bodies, ground: scene.ground, size: scene.size || 1 })
    }
    this.#studio.scene.setIcons(iconsOf(this.#studio.world))
    this.#newFrame = true
    this.#select()
  }

  #select() {
    const bodies = this.#studio.selection.map(name => this.#studio.world.bodyIndex(name)).filter(index => index >= 0)
    this.#studio.scene.select(bodies)
  }

  #draw(now) {
    const { world, scene } = this.#studio
    if (this.#newFrame) {
      this.#newFrame = false
      if (world.frame.revision === world.scene.revision) scene.setPoses(world.frame.poses)
      scene.setArrows(arrowsOf(world).filter(arrow => !isHand(arrow)))
    }
    scene.render(now)
    for (const drawer of this.#drawers) drawer(now)
  }
}
