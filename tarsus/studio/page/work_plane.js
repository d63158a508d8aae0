// The plane one draws in when no body is under the pointer: across the view, through the last point.
import { dot } from "../view/vectors.js"
import { gridSpacing, onGrid } from "./snap.js"

const AXES = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]

export class WorkPlane {
  #studio
  #chosen = -1

  constructor(studio) {
    this.#studio = studio
    this.through = [0, 0, 0]
  }

  /** The axis that faces the eye most, or the one that was chosen. */
  get axis() {
    if (this.#chosen >= 0) return this.#chosen
    const { way } = this.#studio.picture.ray(...this.#studio.picture.middle)
    // Looking down a little on a machine one still means its upright plane.
    const faces = way.map((x, i) => Math.abs(x) * (i === 2 ? 0.6 : 1))
    return faces.indexOf(Math.max(...faces))
  }

  get normal() {
    return AXES[this.axis]
  }

  get title() {
    return ["YZ", "XZ", "XY"][this.axis]
  }

  /** Turns to the next of the three planes. */
  turn() {
    this.#chosen = (this.axis + 1) % 3
  }

  get spacing() {
    return gridSpacing(Math.max(0.5, this.#studio.world.scene.size || 1))
  }

  /** The point of the plane under a place of the picture, on the grid unless `free`. */
  at(x, y, free = false) {
    const { from, way } = this.#studio.picture.ray(x, y)
    const steep = dot(way, this.normal)
    if (Math.abs(steep) < 1e-3) return null
    const far =
      dot(
        this.through.map((p, i) => p - from[i]),
        this.normal,
      ) / steep
    if (far <= 0) return null
    const point = from.map((p, i) => p + far * way[i])
    if (free) return point
    const snapped = onGrid(point, this.spacing)
    snapped[this.axis] = this.through[this.axis]
    return snapped
  }
}
