// What one builds with: parts to place, joints, forces and holds to make between two points.
import { AttachTool } from "./attach_tool.js"
import { ConnectTool } from "./connect_tool.js"
import { DrawTool } from "./draw_tool.js"
import { element, icon } from "./elements.js"
import { JointTool } from "./joint_tool.js"
import { GROUPS } from "./kinds.js"
import { MeshTool } from "./mesh_tool.js"
import { PathTool } from "./path_tool.js"
import { PlaceTool } from "./place_tool.js"
import { WireTool } from "./wire_tool.js"

const TOOLS = {
  place: PlaceTool,
  draw: DrawTool,
  connect: ConnectTool,
  attach: AttachTool,
  joint: JointTool,
  joints: JointTool,
  path: PathTool,
  wire: WireTool,
  mesh: MeshTool,
}

export class Palette {
  root = element("div", { class: "palette" })
  #studio
  #tiles = new Map()
  #group = 0

  constructor(studio) {
    this.#studio = studio
    this.#fill()
    studio.on("tool", tool => this.#mark(tool))
  }

  focus() {
    this.root.querySelector(".tile")?.focus()
  }

  #fill() {
    this.#tiles.clear()
    const groups = element("div", { class: "segments", role: "group", "aria-label": "Kinds of things to build with" })
    for (const [k, group] of GROUPS.entries()) {
      groups.append(
        element("button", {
          type: "button",
          "aria-pressed": String(k === this.#group),
          "data-key": `group ${k}`,
          text: group.title,
          "data-group": group.title,
          onclick: () => {
            this.#group = k
            this.#refill(`group ${k}`)
          },
        }),
      )
    }
    const grid = element("div", { class: "tiles" }, ...GROUPS[this.#group].kinds.map(each => this.#tile(each)))
    this.root.replaceChildren(groups, grid)
  }

  #refill(key) {
    this.#fill()
    this.root.querySelector(`[data-key="${key}"]`)?.focus()
    this.#mark(this.#studio.tool)
  }

  #tile(each) {
    const { kind, title } = each
    const tile = element(
      "button",
      {
        type: "button",
        class: "tile",
        "data-kind": kind,
        "aria-pressed": "false",
        title: `${title} (${kind})`,
        onclick: () => this.#toggle(each),
      },
      icon(kind, 26),
      element("span", { text: title }),
    )
    this.#tiles.set(kind, tile)
    return tile
  }

  #toggle(each) {
    if (this.#studio.tool?.kind === each.kind) this.#studio.drop()
    else this.#studio.take(new TOOLS[each.how](this.#studio, each))
  }

  #mark(tool) {
    for (const [kind, tile] of this.#tiles) tile.setAttribute("aria-pressed", String(tool?.kind === kind))
  }
}
