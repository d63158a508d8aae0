// The viewer's page: a player whose server says what is shown, and hears what people do.

import { showError } from "./errors.js"
import { HandleSet } from "./handles.js"
import { numbers } from "./meshes.js"
import { Player } from "./player.js"
import { addSliders } from "./sliders.js"
import { PageSocket } from "./socket.js"

class Viewer {
  constructor(data) {
    this.player = new Player(data, message => this.send(message))
    this.scene = this.player.scene
    this.sliders = addSliders(data.sliders, (joint, value) => this.send({ joint, value }), () => this.player.inset())
    this.handles = new HandleSet(this.scene, message => this.send(message))
    this.player.inset()
    this.scene.frame({ jump: true })
    this.socket = new PageSocket(message => this.hear(message), text => this.status(text))
  }

  /** Fields and handles may be moved before the socket is there. */
  send(message) {
    this.socket?.send(message)
  }

  hear({ state, poses, joints, shells, handles, status }) {
    const { player } = this
    if (state && player.last > 0) {
      const time = player.times[state.picture]
      // while both play, small differences of the clocks are left alone
      if (!state.playing || !player.playing || Math.abs(time - player.time) > 0.25 * state.speed) player.time = time
      player.playing = state.playing
      player.setSpeed(state.speed)
      player.stale = true
    }
    if (poses) this.scene.setPoses(numbers(poses))
    if (joints) this.sliders(joints)
    if (shells) this.dress(shells)
    if (handles) this.handles.set(handles)
    if (status !== undefined) this.status(status)
  }

  status(text) {
    this.statusLine ??= document.querySelector(".title").appendChild(document.createElement("p"))
    this.statusLine.textContent = text
  }

  /** Colours of volumes, the shortest lines between them, and the scale of distances. */
  dress({ colors, opacities, lines, lineColors, gap, bar }) {
    colors.forEach((color, tag) => this.scene.setLook(tag, { color, opacity: opacities[tag] }))
    this.scene.setLines([
      ...this.player.ownLines,
      ...lines.map((points, k) => ({ points, color: lineColors[k], width: 3 })),
    ])
    this.scale ??= document.querySelector(".title").appendChild(document.createElement("div"))
    this.scale.className = "distances"
    this.scale.innerHTML = bar
    this.scale.title = gap
    this.scale.append(gap)
  }
}

fetch("data.json")
  .then(answer => answer.json())
  .then(data => (window.viewer = new Viewer(data)))
  .catch(error => showError(`The picture cannot be drawn: ${error.message}`))
