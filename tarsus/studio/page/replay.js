// The question about lines of a session that were not done again because they use files.
import { askYes } from "./dialog.js"

const TEXT =
  "These lines of the session were not done again when it was restored, because they read or write files, or come " +
  "after one that does."

export class Replay {
  #studio
  #open = null

  constructor(studio) {
    this.#studio = studio
    studio.connection.on("replay", message => this.#ask(message))
  }

  async #ask({ lines, count }) {
    this.#open?.abort()
    this.#open = null
    if (!count) return
    this.#open = new AbortController()
    const { signal } = this.#open
    const yes = await askYes(`Do ${count === 1 ? "a line" : `${count} lines`} again?`, TEXT, "Do again", {
      items: lines,
      count,
      decline: "Forget",
      signal,
    })
    if (yes === undefined) return
    const answer = await this.#studio.connection.ask("replay", { do: yes })
    this.#studio.say(answer.text, answer.ok ? "good" : "wrong")
  }
}
