// The socket of a page: JSON objects from and to the server at whose address the page was loaded.

import { showError } from "./errors.js"

export class PageSocket {
  /** `hear` is called with each message, `say` with a line of text when the server has ended. */
  constructor(hear, say) {
    this.hear = hear
    this.say = say
    this.connect()
  }

  connect() {
    const address = new URL(".", location.href)
    address.protocol = "ws:"
    this.socket = new WebSocket(address)
    this.socket.onmessage = ({ data }) => this.hear(JSON.parse(data))
    this.socket.onopen = () => showError("")
    // a server that comes back at the same address is found again
    this.socket.onclose = () => {
      this.say("the server has ended; this page waits for it")
      setTimeout(() => this.connect(), 2000)
    }
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN
  }

  send(message) {
    if (this.isOpen) this.socket.send(JSON.stringify(message))
  }
}
