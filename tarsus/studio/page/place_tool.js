// One click puts a part where the pointer is: on the body under it, or in the work plane.
import { words } from "./lines.js"
import { Tool } from "./tool.js"

/** How far above what it stands on the middle of a part is at first [m]: it just touches nothing. */
const HEIGHTS = { box: 0.052, plate: 0.012, sphere: 0.102, wheel: 0.202, foot: 0.017 }

export class PlaceTool extends Tool {
  cursor = "copy"

  get hint() {
    return `${this.title}: click where it shall be. It stands on what is under the pointer.`
  }

  choices() {
    return [{ label: "In the middle", key: "Enter", act: () => this.take({ point: [0, 0, 0] }) }]
  }

  take({ point: [x, y, z] }) {
    this.add(`-t ${words([x, y, z + (HEIGHTS[this.kind] ?? 0.1)])}`)
  }

  at({ x, y, shift }) {
    const point = this.studio.picture.pick(x, y)?.point ?? this.plane.at(x, y, shift)
    return point && { point }
  }

  draw(pen) {
    if (this.under) pen.mark(this.under.point, "", this.kind)
  }
}
