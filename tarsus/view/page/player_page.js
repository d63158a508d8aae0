// The page that is one file: it plays the run that stands in it.

import { showError } from "./errors.js"
import { Player } from "./player.js"

try {
  const player = new Player(JSON.parse(document.getElementById("data").textContent))
  if (player.last > 0) player.toggle()
  window.player = player
} catch (error) {
  showError(`The picture cannot be drawn: ${error.message}`)
  throw error
}
