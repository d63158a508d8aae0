// Two clicks draw a wire from point to point; ends that snap to a body are tied to it.
import { DrawTool } from "./draw_tool.js"
import { end, words } from "./lines.js"

export class WireTool extends DrawTool {
  get joined() {
    return "Tied where it snaps"
  }

  async make(name, ...places) {
    const isTied = place => DrawTool.joins && place.body
    const [a, b] = places.map(place => (isTied(place) ? end(place) : `world ${words(place.point)}`))
    const loose = places.flatMap((place, k) => (isTied(place) ? [] : ["ab"[k]]))
    const free = loose.length ? ` -free ${loose.length > 1 ? "both" : loose[0]}` : ""
    return (await this.studio.run(`add wire ${name} -a ${a} -b ${b}${free}`)).ok
  }
}
