// The one WebSocket to the server: lines go out, answers, scenes and frames of motion come in.
import { Signals } from "./signals.js"

const SOONEST = 300
const LATEST = 5000

/** The poses, arrows and lines of one moment, cut out of a binary message. */
function decodeFrame(buffer) {
  const length = new DataView(buffer).getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)))
  const numbers = new Float32Array(buffer, 4 + length)
  const arrows = 12 * header.bodies,
    lines = arrows + 6 * (header.arrows?.length ?? 0)
  const end = lines + 6 * (header.lines?.length ?? 0)
  return {
    ...header,
    poses: numbers.subarray(0, arrows),
    arrowNumbers: numbers.subarray(arrows, lines),
    lineNumbers: numbers.subarray(lines, end),
  }
}

/** Emits `open`, `closed`, `scene`, `frame`, `echo` and every other kind the server sends. */
export class Connection extends Signals {
  #address
  #socket = null
  #waiting = new Map()
  #queue = []
  #next = 1
  #pause = SOONEST

  constructor(address) {
    super()
    this.#address = address
    this.#open()
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /**
   * Sends a line of the command language; the promise is its answer.
   *
   * `overwrite` are paths of existing files that the line may replace, because the user confirmed it.
   */
  send(line, overwrite = []) {
    return this.#request(overwrite.length ? { line, overwrite } : { line })
  }

  /** Reads something that is not in the scene: quantities, help, history. */
  ask(what, more = {}) {
    return this.#request({ ask: what, ...more })
  }

  #request(message) {
    const id = this.#next++
    return new Promise(resolve => {
      this.#waiting.set(id, { resolve, message })
      const text = JSON.stringify({ id, ...message })
      if (this.isOpen) this.#socket.send(text)
      else this.#queue.push(text)
    })
  }

  #open() {
    const socket = new WebSocket(this.#address)
    socket.binaryType = "arraybuffer"
    socket.onopen = () => {
      this.#pause = SOONEST
      this.emit("open")
      for (const text of this.#queue.splice(0)) socket.send(text)
    }
    socket.onmessage = message => {
      if (typeof message.data === "string") this.#take(JSON.parse(message.data))
      else this.emit("frame", decodeFrame(message.data))
    }
    socket.onclose = () => this.#closed()
    this.#socket = socket
  }

  #take(message) {
    const waiting = this.#waiting.get(message.id)
    if (waiting) {
      this.#waiting.delete(message.id)
      waiting.resolve(message)
    }
    this.emit(message.kind, message)
  }

  // What was sent and not answered is told as lost: sending it twice might build it twice.
  #closed() {
    for (const [id, { resolve, message }] of this.#waiting) {
      if (this.#queue.some(text => JSON.parse(text).id === id)) continue
      this.#waiting.delete(id)
      resolve({
        kind: "answer",
        ok: false,
        field: "",
        line: message.line ?? "",
        text: "The connection broke before an answer came.",
      })
    }
    this.emit("closed")
    setTimeout(() => this.#open(), this.#pause)
    this.#pause = Math.min(LATEST, 1.6 * this.#pause)
  }
}

/** The address of the socket beside this page: the token is the first folder of the path. */
export function socketAddress(location) {
  const token = location.pathname.split("/")[1]
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/${token}/socket`
}
