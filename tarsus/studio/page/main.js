// The page put together: one connection, one world, one picture, and the panels around it.
import { Scene } from "../view/scene.js"
import { Charts } from "./charts.js"
import { Connection, socketAddress } from "./connection.js"
import { Console } from "./console.js"
import { Gallery } from "./gallery.js"
import { Gaze } from "./gaze.js"
import { Guide } from "./guide.js"
import { Hand } from "./hand.js"
import { Hint } from "./hint.js"
import { Inspector } from "./inspector.js"
import { Keyboard } from "./keyboard.js"
import { Layout } from "./layout.js"
import { Messages } from "./messages.js"
import { Nearness } from "./nearness.js"
import { Overlay } from "./overlay.js"
import { Palette } from "./palette.js"
import { Picture } from "./picture.js"
import { Pointer } from "./pointer.js"
import { Refusals } from "./refusals.js"
import { Replay } from "./replay.js"
import { SelectTool } from "./select_tool.js"
import { Sliders } from "./sliders.js"
import { Studio } from "./studio.js"
import { Theme } from "./theme.js"
import { Timeline } from "./timeline.js"
import { TopBar } from "./top_bar.js"
import { Tree } from "./tree.js"
import { Welcome } from "./welcome.js"
import { World } from "./world.js"

const place = id => document.getElementById(id)

function start() {
  const connection = new Connection(socketAddress(location))
  const world = new World(connection)
  const studio = new Studio(connection, world)
  new Messages(studio, place("messages"))
  new Replay(studio)
  studio.scene = new Scene(place("picture"))
  studio.theme = new Theme(studio)
  studio.picture = new Picture(studio)
  studio.gaze = new Gaze(studio)
  studio.overlay = new Overlay(studio, place("overlay"))
  studio.hand = new Hand(studio)
  studio.refusals = new Refusals(studio)
  studio.nearness = new Nearness(studio)
  studio.layout = new Layout(studio, {
    palette: new Palette(studio),
    inspector: new Inspector(studio),
    tree: new Tree(studio),
    sliders: new Sliders(studio),
    guide: new Guide(studio),
    charts: new Charts(studio),
    console: new Console(studio),
  })
  new Hint(studio, place("hint"))
  studio.timeline = new Timeline(studio, place("transport"))
  studio.gallery = new Gallery(studio)
  new TopBar(studio, place("top"))
  new Welcome(studio, place("welcome"))
  new Pointer(studio, place("stage"))
  studio.rest(new SelectTool(studio))
  new Keyboard(studio)
  window.studio = studio // for the console of the browser and for tests
}

try {
  start()
} catch (error) {
  place("messages").textContent = `The page cannot start: ${error.message}`
  throw error
}
