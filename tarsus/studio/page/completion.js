// What a line may go on with: verbs, kinds, options and names, by what stands before.
import { KINDS } from "./kinds.js"

const OPTIONS = {
  add: ["-a", "-b", "-axis", "-where", "-t", "-E", "-size", "-length", "-radius", "-m", "-density", "-color"],
  grab: ["-to"],
}
const NAMED = new Set([
  "set",
  "delete",
  "rename",
  "duplicate",
  "mirror",
  "pin",
  "grab",
  "pb",
  "pf",
  "sb",
  "sf",
  "-a",
  "-b",
  "-where",
])
const SHOWN = ["forces", "contacts", "velocities", "joints", "reactions", "energy"]

/** Words that may stand where the last word of a line is, best first. */
export function completions(line, { verbs, scene, quantities, scenes }) {
  const words = line.trimStart().split(/\s+/),
    last = words.at(-1),
    before = words.slice(0, -1)
  const fitting = list => [...new Set(list)].filter(each => each.startsWith(last) && each !== last).sort()
  if (!before.length) return fitting(verbs)
  const [verb] = before,
    previous = before.at(-1)
  const things = [...scene.bodies, ...scene.joints, ...scene.parts]
  if (last.startsWith("-")) return fitting(optionsOf(verb, before[1], things))
  if (verb === "add" && before.length === 1) return fitting([...KINDS.keys()])
  if (verb === "open" && before.length === 1) return fitting(scenes)
  if (verb === "show") return fitting(before.length === 1 ? SHOWN : ["on", "off"])
  if (verb === "chart" || verb === "unchart") return fitting(quantities)
  if (verb === "slider" && before.length === 2)
    return fitting(things.flatMap(each => Object.keys(each.fields ?? {}).map(field => `${each.name}.${field}`)))
  if (NAMED.has(previous))
    return fitting([...things.map(each => each.name), ...(previous.startsWith("-") ? ["world"] : ["world", "ground"])])
  return []
}

function optionsOf(verb, name, things) {
  const fields = Object.keys(things.find(each => each.name === name)?.fields ?? {}).map(field => `-${field}`)
  return [...(OPTIONS[verb] ?? []), ...fields]
}

/** What all words begin with. */
export function commonStart(words) {
  let start = words[0] ?? ""
  for (const each of words) while (!each.startsWith(start)) start = start.slice(0, -1)
  return start
}
