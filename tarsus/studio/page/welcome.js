// An empty studio invites: three things to click, and the scenes of the gallery below them.
import { element } from "./elements.js"
import { sketch } from "./sketches.js"

const PENDULUM = [
  "add rod arm -length 1 -radius .02 -t .5 0 1.4",
  "add sphere bob -radius .08 -t 1 0 1.4",
  "add weld grip -a arm .5 0 0 -b bob 0 0 0",
  "add revolute hinge -a world 0 0 1.4 -b arm -.5 0 0 -axis 0 1 0",
  "chart q:hinge",
  "play",
]

const FOUR_BAR = [
  "add rod crank -length .35 -t .0599 0 .7644 -E .8192 0 -.5736 0",
  "add revolute pivot -a world 0 0 .6 -b crank -.175 0 0 -axis 0 1 0",
  "add rod coupler -length 1 -t .5759 0 1.1336 -E .9778 0 -.2093 0",
  "add revolute pin -a crank .175 0 0 -b coupler -.5 0 0 -axis 0 1 0",
  "add rod rocker -length .75 -t .966 0 .9691 -E .6418 0 .7668 0",
  "add revolute elbow -a coupler .5 0 0 -b rocker -.375 0 0 -axis 0 1 0",
  "add revolute closure -a world .9 0 .6 -b rocker .375 0 0 -axis 0 1 0",
  "add motor drive -joint pivot -constant 1 -resistance 1 -voltage 5",
  "slider voltage drive.voltage 0 10",
  "chart v:pivot force:drive",
  "play",
]

export class Welcome {
  #studio
  #place
  #away = false

  constructor(studio, place) {
    this.#studio = studio
    this.#place = place
    studio.world.on("scene", () => this.#show())
    studio.on("gallery", () => this.#show())
    studio.on("tool", () => this.#show())
  }

  #show() {
    const wanted = this.#studio.world.isEmpty && this.#studio.isResting && !this.#away
    this.#place.hidden = !wanted
    document.body.classList.toggle("welcoming", wanted)
    this.#studio.gaze.fit()
    if (!wanted) {
      this.#place.replaceChildren()
      return
    }
    if (this.#place.firstChild) return
    this.#place.replaceChildren(
      element(
        "div",
        { class: "welcome" },
        element("h1", { text: "Build something that moves." }),
        element("p", {
          class: "lead",
          text: "Rods, hinges, springs and motors that obey mechanics while you put them together.",
        }),
        element(
          "div",
          { class: "invitations" },
          this.#invitation("pendulum", "Hang a pendulum", "A rod, a ball, a hinge. Then pull it.", () =>
            this.#build(PENDULUM),
          ),
          this.#invitation("four-bar", "Build a four-bar", "Watch four hinges become one freedom.", () =>
            this.#build(FOUR_BAR),
          ),
          this.#invitation("gallery", "Open the gallery", "Walkers, gyroscopes, a ball of sticks and strings.", () =>
            this.#studio.gallery.open(),
          ),
        ),
        element("p", { class: "quiet", text: "Or take a part from the palette and click where it shall be, or type a line into the console." }),
      ),
    )
  }

  #invitation(drawing, title, text, onclick) {
    return element(
      "button",
      { type: "button", class: "card", "data-invite": drawing, onclick },
      sketch(drawing),
      element("strong", { text: title }),
      element("span", { text }),
    )
  }

  // Part by part, slowly enough to be seen: the lines appear in the console meanwhile.
  async #build(lines) {
    this.#away = true
    this.#show()
    await this.#studio.run("pause", { quiet: true })
    for (const line of lines) {
      if (!(await this.#studio.run(line)).ok) break
      if (line.startsWith("add")) await new Promise(resolve => setTimeout(resolve, 320))
    }
    this.#away = false
    this.#studio.say("Pull it with the pointer.", "good")
  }
}
