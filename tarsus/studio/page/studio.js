// What all panels share: lines that are run, what is selected, which tool is in hand.
import { askYes } from "./dialog.js"
import { Signals } from "./signals.js"

/** Emits `ran` for each line that was answered, `selected`, `refused`, `tool`, `hint` and `said`. */
export class Studio extends Signals {
  /** Names of all that is selected, the last one last. */
  selection = []
  tool = null
  #restingTool = null

  constructor(connection, world) {
    super()
    this.connection = connection
    this.world = world
    connection.on("echo", message => this.emit("ran", { ...message, elsewhere: true }))
    world.on("scene", () => {
      this.selectAll(this.selection.filter(name => world.find(name)))
    })
  }

  /**
   * Runs one line; what went wrong is shown as a message unless the caller shows it itself.
   *
   * When it comes back, the world is known as the line left it.
   */
  async run(line, { quiet = false } = {}) {
    const answer = await this.#send(line)
    if (answer.ok) await this.world.reached(answer.revision)
    this.emit("ran", { ...answer, line })
    if (!answer.ok && !quiet) this.say(answer.text, "wrong")
    return answer
  }

  /** Sends a line; if it would replace files it asks, and repeats the line with their paths. */
  async #send(line) {
    const overwrite = []
    for (;;) {
      const answer = await this.connection.send(line, overwrite)
      const asked = (answer.confirm ?? []).filter(path => !overwrite.includes(path))
      if (answer.ok || !asked.length) return answer
      const several = asked.length > 1
      const title = several ? `Replace ${asked.length} files?` : "Replace a file?"
      const text = `This session did not write ${several ? "them" : "it"}:`
      if (!(await askYes(title, text, "Replace", { items: asked }))) return answer
      overwrite.push(...asked)
    }
  }

  /** Runs lines in turn up to the first that fails; true if none did. */
  async runAll(lines, pause = 0) {
    for (const line of lines) {
      if (!(await this.run(line)).ok) return false
      if (pause) await new Promise(resolve => setTimeout(resolve, pause))
    }
    return true
  }

  /** A short message for eyes and ears: `plain`, `good` or `wrong`. */
  say(text, tone = "plain") {
    this.emit("said", { text, tone })
  }

  /** The name that was selected last, none if nothing is. */
  get selected() {
    return this.selection.at(-1) ?? ""
  }

  /** Selects what has a name alone, all bodies of a group, or nothing. */
  select(name) {
    const { groups } = this.world.scene
    this.selectAll(this.world.find(name) || !name ? [name].filter(Boolean) : (groups[name] ?? []))
  }

  /** Selects something beside what is selected already, or no more if it is. */
  toggle(name) {
    const others = this.selection.filter(each => each !== name)
    this.selectAll(others.length < this.selection.length ? others : [...others, name])
  }

  selectAll(names) {
    if (names.join("\n") === this.selection.join("\n")) return
    this.selection = names
    this.emit("selected", this.selected)
  }

  /** The tool that is in hand when no other is. */
  rest(tool) {
    this.#restingTool = tool
    this.take(tool)
  }

  take(tool) {
    this.tool?.leave?.()
    this.tool = tool ?? this.#restingTool
    this.tool?.enter?.()
    this.emit("tool", this.tool)
  }

  /** Puts the tool in hand away. */
  drop() {
    this.take(this.#restingTool)
  }

  get isResting() {
    return this.tool === this.#restingTool
  }
}
