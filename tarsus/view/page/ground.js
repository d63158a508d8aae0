// The ground: a plane to the horizon or a mesh, with a net of lines that gives scale.
//
// The lines are drawn in the shader, as wide on the screen near and far, and fade where they would
// flicker. The ground ends in fog, in the colour of the horizon, so that it seems to have no end.

import { meshOf } from "./meshes.js"
import { attributes, Program } from "./programs.js"
import { GROUND } from "./shaders.js"

/** Spacing of the finest lines for a machine of a size [m]: 0.1 m for what is as large as a person. */
export function finestSpacing(size) {
  return 10 ** Math.floor(Math.log10(0.4 * size) + 1e-9)
}

/** Words for the net, such as "lines 0.1 m and 1 m apart". */
export function scaleWords(size) {
  const fine = finestSpacing(size)
  const words = x => (x < 0.1 ? `${+(100 * x).toPrecision(3)} cm` : `${+x.toPrecision(3)} m`)
  return `lines ${words(fine)} and ${words(10 * fine)} apart`
}

export class GroundPlot {
  constructor(gl) {
    this.gl = gl
    this.program = new Program(gl, GROUND)
    this.array = gl.createVertexArray()
    this.buffer = gl.createBuffer()
    gl.bindVertexArray(this.array)
    attributes(gl, this.buffer, [[0, 3], [1, 3]])
    gl.bindVertexArray(null)
    this.triangles = 0
  }

  /**
   * Take a ground for a machine of a size [m].
   *
   * {height, normal} is a plane through [0, 0, height]; {vertices, triangles} is a mesh; null is no
   * ground: then lines and shadows are drawn on a floor below the machine, at `floor` [m].
   */
  set(ground, size, floor) {
    this.solid = ground ? 1 : 0
    this.finest = finestSpacing(size)
    this.size = size
    this.mesh = ground && ground.vertices ? meshOf(ground.vertices, ground.triangles) : null
    this.normal = (ground && ground.normal) || [0, 0, 1]
    this.height = ground ? (ground.height ?? 0) : floor
    this.edge = [-1e9, -1e9, 1e9, 1e9]
    if (this.mesh) {
      const { low, high } = this.mesh
      this.edge = [low[0], low[1], high[0], high[1]]
      this.upload(this.mesh.points, this.mesh.normals)
    } else {
      this.uploadPlane(3000 * Math.max(size, 0.1))
    }
  }

  uploadPlane(reach) {
    const [x, y, z] = this.normal
    const corner = (i, j) => [i * reach, j * reach, (-(x * i + y * j) * reach) / z]
    const order = [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]
    const points = new Float32Array(order.flatMap(([i, j]) => corner(i, j)))
    this.upload(points, new Float32Array(order.flatMap(() => this.normal)))
  }

  upload(points, normals) {
    const both = new Float32Array(2 * points.length)
    for (let i = 0; i < points.length; i += 3) {
      both.set(points.subarray(i, i + 3), 2 * i)
      both.set(normals.subarray(i, i + 3), 2 * i + 3)
    }
    this.triangles = points.length / 9
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer)
    this.gl.bufferData(this.gl.ARRAY_BUFFER, both, this.gl.STATIC_DRAW)
  }

  /** Where a ray {from, way} meets a plane, which has no triangles to ask: as picking.js says it, or null. */
  hit({ from, way }) {
    if (this.mesh || !this.solid) return null
    const [n, p] = [this.normal, [0, 0, this.height]]
    const along = n[0] * way[0] + n[1] * way[1] + n[2] * way[2]
    const distance = n.reduce((sum, x, i) => sum + x * (p[i] - from[i]), 0) / along
    if (!(distance > 0)) return null
    const point = from.map((x, i) => x + distance * way[i])
    return { body: -1, point, local: point, normal: n, distance }
  }

  /** Height of a plane below a place; meshes are asked with a ray. */
  heightAt(x, y) {
    const n = this.normal
    return this.height - (n[0] * x + n[1] * y) / n[2]
  }

  draw(view, light, theme) {
    const { gl } = this
    if (!this.triangles) return
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
    if (!this.solid) gl.depthMask(false)
    const below = !this.mesh && view.eye[2] < this.heightAt(view.eye[0], view.eye[1])
    this.program.use({
      ...light,
      camera: view.matrix,
      shift: this.mesh ? [0, 0, 0] : [0, 0, this.height],
      soil: theme.soil,
      ink: theme.ink,
      finest: this.finest,
      solid: this.solid,
      edge: this.edge,
      border: 1.5 * this.size,
      // from below one looks through it
      cover: below ? 0.3 : 1,
    })
    gl.bindVertexArray(this.array)
    gl.drawArrays(gl.TRIANGLES, 0, 3 * this.triangles)
    gl.depthMask(true)
    gl.disable(gl.BLEND)
  }
}
