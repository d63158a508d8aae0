// A mesh: its file is asked for, then a click puts it where the pointer is.
import { askText } from "./dialog.js"
import { word } from "./lines.js"
import { PlaceTool } from "./place_tool.js"

export class MeshTool extends PlaceTool {
  get hint() {
    return this.start ? super.hint : `${this.title}: which file?`
  }

  async enter() {
    super.enter()
    const file = await askText("Mesh", {
      label: "A file beside the studio",
      action: "Take it",
      hint: "STL, OBJ, PLY, DAE, OFF or glTF in metres; its scale can be set later, its mass is that of wood.",
    })
    if (this.studio.tool !== this) return
    if (!file) {
      this.studio.drop()
      return
    }
    this.start = `-file ${word(file)}`
    this.changed()
  }

  take(found) {
    if (this.start) super.take(found)
  }
}
