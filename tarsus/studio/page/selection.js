// What is done to all that is selected: each is one line.
import { word, words } from "./lines.js"

const bodiesOf = ({ world, selection }) => selection.filter(name => world.find(name)?.what === "body")
const listed = names => names.map(word).join(" ")

/** Takes away all that is selected. */
export const removeSelected = studio => studio.selected && studio.run(`delete ${listed(studio.selection)}`)

/** Copies the selected bodies, with what is between them; the copies are selected then. */
export const duplicateSelected = studio => copySelected(studio, "duplicate", "")

/** Copies them as their image in the xz plane. */
export const mirrorSelected = studio => copySelected(studio, "mirror", " -plane y")

async function copySelected(studio, verb, more) {
  const bodies = bodiesOf(studio)
  if (!bodies.length) return
  const fresh = studio.world.freshName(bodies.length > 1 ? "copy" : bodies[0].replace(/\d+$/, ""))
  const answer = await studio.run(`${verb} ${listed(bodies)} ${word(fresh)}${more}`)
  if (answer.ok) studio.select(fresh)
}

/** Gives the selected bodies one name. */
export async function groupSelected(studio) {
  const { scene } = studio.world
  let k = 1
  while (scene.groups[`group${k}`]) k++
  const answer = await studio.run(`group group${k} ${listed(bodiesOf(studio))}`)
  if (answer.ok) studio.say(`group${k} is in the structure.`, "good")
}

/** Puts the selected bodies elsewhere, by a vector; what hangs on them goes along. */
export const moveSelected = (studio, by) => studio.run(`move ${listed(bodiesOf(studio))} -by ${words(by)}`)
