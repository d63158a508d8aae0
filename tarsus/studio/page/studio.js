// What all panels share: lines that are run, what is selected, which tool is in hand.
import { Signals } from "./signals.js"

/** Emits `ran` for each line that was answered, `selected`, `tool`, `hint` and `said`. */
export class Studio extends Signals {
  selected = ""
  tool = null
  #restingTool = null

  constructor(connection, world) {
    super()
    this.connection = connection
    this.world = world
    connection.on("echo", message => this.emit("ran", { ...message, elsewhere: true }))
    world.on("scene", () => {
      if (this.selected && !world.find(this.selected)) this.select("")
    })
  }

  /** Runs one line; what went wrong is shown as a message unless the caller shows it itself. */
  async run(line, { quiet = false } = {}) {
    const answer = await this.connection.send(line)
    this.emit("ran", { ...answer, line })
    if (!answer.ok && !quiet) this.say(answer.text, "wrong")
    return answer
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

  select(name) {
    if (name === this.selected) return
    this.selected = name
    this.emit("selected", name)
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
