// Attachment points: ends, centres and corners of bodies, to which the pointer snaps.
/** How near a pointer must be, and a finger, which is broad [pixels]. */
const REACH = 16
const FINGER = 26
const memory = new WeakMap()

/** The points of a body that are worth snapping to, in its frame: [x, y, z, what]. */
export function snapPoints(body) {
  // shapes stay the same from scene to scene, bodies do not
  if (!memory.has(body.surfaces)) memory.set(body.surfaces, findPoints(body))
  return memory.get(body.surfaces)
}

/** The corners of the box around a body, in its frame; infinite if it has no surface. */
export function boxOf(body) {
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity]
  for (const { vertices } of body.surfaces) {
    for (let i = 0; i < vertices.length; i++) {
      low[i % 3] = Math.min(low[i % 3], vertices[i])
      high[i % 3] = Math.max(high[i % 3], vertices[i])
    }
  }
  return [low, high]
}

/** The sides of the box around a body [m]; zeros if it has no surface. */
export function extentsOf(body) {
  const [low, high] = boxOf(body)
  return low.map((x, i) => Math.max(0, high[i] - x))
}

function findPoints(body) {
  const [low, high] = boxOf(body)
  if (!Number.isFinite(low[0])) return [{ at: [0, 0, 0], what: "origin" }]
  const middle = low.map((x, i) => (x + high[i]) / 2),
    half = high.map((x, i) => (x - low[i]) / 2)
  const at = signs => signs.map((s, i) => middle[i] + s * half[i])
  const points = [{ at: middle, what: "centre" }]
  const long = half.indexOf(Math.max(...half))
  const isRod = half.every((h, i) => i === long || 3 * h < half[long])
  for (let i = 0; i < 3; i++) {
    for (const s of [-1, 1]) {
      const signs = [0, 0, 0]
      signs[i] = s
      // The faces of a slim rod are too near its axis to be told apart from its centre.
      if (!isRod || i === long) points.push({ at: at(signs), what: isRod ? "end" : "face" })
    }
  }
  if (!isRod) points.push(...corners(body, at, Math.hypot(...half)))
  return points
}

/** Corners of the box around a body that its surface has, too. */
function corners(body, at, radius) {
  const found = []
  for (const x of [-1, 1])
    for (const y of [-1, 1])
      for (const z of [-1, 1]) {
        const corner = at([x, y, z])
        const has = body.surfaces.some(({ vertices }) => {
          for (let i = 0; i < vertices.length; i += 3) {
            if (
              Math.hypot(vertices[i] - corner[0], vertices[i + 1] - corner[1], vertices[i + 2] - corner[2]) <
              0.02 * radius
            )
              return true
          }
          return false
        })
        if (has) found.push({ at: corner, what: "corner" })
      }
  return found
}

/**
 * The attachment point at a place of the picture: {body, local, point, what}.
 *
 * A point to snap to wins over the surface under the pointer; bodies in `except` are looked through.
 * Nothing if there is neither.
 */
export function attachmentAt(studio, { x, y, touch = false }, { except = [] } = {}) {
  const { world, picture } = studio,
    reach = touch ? FINGER : REACH
  const hit = picture.pick(x, y)
  const onBody = hit && hit.body !== "world" && !except.includes(hit.body)
  let best = null
  for (const body of world.scene.bodies) {
    if (except.includes(body.name)) continue
    for (const { at, what } of snapPoints(body)) {
      const point = world.toWorld(body.name, at)
      const seen = picture.project(point)
      if (!seen) continue
      // Among points at one place, those of the body under the pointer are meant.
      const away = Math.hypot(seen[0] - x, seen[1] - y) + (onBody && hit.body !== body.name ? 4 : 0)
      if (away < reach && (!best || away < best.away))
        best = { body: body.name, local: at, point, what, away, snapped: true }
    }
  }
  if (best) return best
  if (onBody) return { body: hit.body, local: hit.local, point: hit.point, what: "surface", snapped: false }
  return null
}

/** A point on a grid that suits the size of what is seen. */
export function onGrid(point, spacing) {
  return point.map(x => Math.round(x / spacing) * spacing)
}

/** A spacing of 1, 2 or 5 times a power of ten, about a twentieth of a length. */
export function gridSpacing(length) {
  const rough = length / 20,
    power = 10 ** Math.floor(Math.log10(rough))
  return power * [1, 2, 5, 10].find(step => step * power >= rough * 0.999)
}
