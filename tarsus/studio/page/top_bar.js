// The bar above: the name of the world, what one can do with it as a whole, undo and redo.
import { askText, askYes } from "./dialog.js"
import { element, icon, iconButton, refill } from "./elements.js"
import { showHelp } from "./help.js"
import { word } from "./lines.js"

/** Endings that `export` knows, and what people call them. */
const EXPORTS = [
  [
    "Machine",
    [
      ["urdf", "URDF"],
      ["sdf", "SDF"],
      ["xml", "MJCF"],
      ["yaml", "Tarsus (YAML)"],
    ],
  ],
  [
    "Motion",
    [
      ["html", "Page that plays alone"],
      ["glb", "glTF animation"],
      ["mp4", "Film"],
      ["png", "Picture"],
      ["csv", "Numbers (CSV)"],
      ["parquet", "Numbers (Parquet)"],
      ["npz", "Run (NumPy)"],
    ],
  ],
]

export class TopBar {
  #studio
  #undo
  #redo
  #title = element("strong", { class: "title", text: "Tarsus Studio" })

  constructor(studio, place) {
    this.#studio = studio
    this.#undo = iconButton("undo", "Undo", () => studio.run("undo"))
    this.#redo = iconButton("redo", "Redo", () => studio.run("redo"))
    place.append(
      element("div", { class: "panel bar" }, this.#menu(), this.#title),
      element(
        "div",
        { class: "panel bar" },
        this.#undo,
        this.#redo,
        element("span", { class: "divider" }),
        iconButton("gallery", "Gallery (G)", () => studio.gallery.open(), { class: "round wide-only" }),
        iconButton("frame", "Look at all of it (F)", () => studio.gaze.frame()),
        iconButton("theme", "Light or dark", () => studio.theme.toggle()),
        iconButton("help", "Help and keys (?)", showHelp, { class: "round wide-only" }),
      ),
    )
    studio.world.on("scene", scene => this.#show(scene))
    studio.connection.on("closed", () => document.body.classList.add("offline"))
    studio.connection.on("open", () => document.body.classList.remove("offline"))
  }

  #show({ name, undo, redo, guide }) {
    const title = guide?.title || (name === "untitled" ? "" : name)
    this.#title.textContent = title || "Tarsus Studio"
    document.title = title ? `${title} · Tarsus Studio` : "Tarsus Studio"
    this.#undo.disabled = !undo
    this.#redo.disabled = !redo
    this.#undo.title = undo ? `Undo: ${undo} (Ctrl+Z)` : "Nothing to undo"
    this.#redo.title = redo ? `Redo: ${redo} (Ctrl+Shift+Z)` : "Nothing to redo"
    this.#undo.setAttribute("aria-label", this.#undo.title)
    this.#redo.setAttribute("aria-label", this.#redo.title)
  }

  #menu() {
    const list = element("div", { class: "menu panel", popover: "auto", id: "file-menu" })
    const item = (drawing, text, act) =>
      element(
        "button",
        {
          type: "button",
          class: "item",
          onclick: () => {
            list.hidePopover()
            act()
          },
        },
        icon(drawing, 18),
        element("span", { text }),
      )
    refill(
      list,
      item("add", "New world", () => this.#fresh()),
      item("gallery", "Gallery …", () => this.#studio.gallery.open()),
      item("open", "Load …", () => this.#load()),
      item("save", "Save …", () => this.save()),
      ...EXPORTS.flatMap(([title, kinds]) => [
        element("hr"),
        element("p", { class: "quiet", text: `Export the ${title.toLowerCase()}` }),
        element(
          "div",
          { class: "endings" },
          ...kinds.map(([ending, name]) =>
            element("button", {
              type: "button",
              class: "chip",
              text: name,
              onclick: () => {
                list.hidePopover()
                this.#export(ending, name)
              },
            }),
          ),
        ),
      ]),
      element("hr"),
      item("script", "Take as a script", () => this.#script()),
      item("help", "Help and keys", showHelp),
    )
    list.addEventListener("toggle", event => event.newState === "open" && list.querySelector("button").focus())
    document.body.append(list)
    this.#studio.on("save", () => this.save())
    return iconButton("menu", "World: new, load, save, export", () => {}, {
      popovertarget: "file-menu",
      id: "file-button",
    })
  }

  async #fresh() {
    if (
      this.#studio.world.isEmpty ||
      (await askYes("A new world?", "What is there goes; undo brings it back.", "New world"))
    )
      this.#studio.run("new")
  }

  async #load() {
    const name = await askText("Load", {
      label: "A file beside the studio, or a robot's name",
      action: "Load",
      hint: "A saved world, URDF, SDF, MJCF, YAML; or a name such as lola.",
    })
    if (name) this.#studio.run(`load ${word(name)}`)
  }

  async save() {
    const { name } = this.#studio.world.scene
    const file = await askText("Save", {
      label: "File name",
      value: `${name || "untitled"}.json`,
      action: "Save",
      hint: "The world is also kept by itself, all the time.",
    })
    if (!file) return
    const answer = await this.#studio.run(`save ${word(file)}`)
    if (answer.ok) this.#studio.say(answer.text || `Saved as ${file}.`, "good")
  }

  async #export(ending, title) {
    const { name } = this.#studio.world.scene
    const file = await askText(`Export: ${title}`, {
      label: "File name",
      value: `${name || "untitled"}.${ending}`,
      action: "Export",
    })
    if (!file) return
    const answer = await this.#studio.run(`export ${word(file)}`)
    if (answer.ok) this.#studio.say(answer.text || `Written: ${file}.`, "good")
  }

  async #script() {
    const answer = await this.#studio.run("script")
    if (answer.ok) this.#studio.layout.show("console")
  }
}
