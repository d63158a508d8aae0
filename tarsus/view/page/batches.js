// Batches: one mesh on the graphics card, drawn at many places at once.

import { attributes, FloatBuffer } from "./programs.js"

/** Numbers of an instance: three rows of a pose, colour with opacity, and a look. */
export const INSTANCE = 20

export class Batch {
  /** `mesh` is one of meshes.js; `cast` says whether it throws a shadow. */
  constructor(gl, mesh, { cast = true } = {}) {
    this.gl = gl
    this.mesh = mesh
    this.cast = cast
    this.instances = new Float32Array(INSTANCE)
    this.count = 0
    this.array = gl.createVertexArray()
    this.corners = gl.createBuffer()
    this.places = new FloatBuffer(gl)
    gl.bindVertexArray(this.array)
    const both = new Float32Array(2 * mesh.points.length)
    for (let i = 0; i < mesh.points.length; i += 3) {
      both.set(mesh.points.subarray(i, i + 3), 2 * i)
      both.set(mesh.normals.subarray(i, i + 3), 2 * i + 3)
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners)
    gl.bufferData(gl.ARRAY_BUFFER, both, gl.STATIC_DRAW)
    attributes(gl, this.corners, [[0, 3], [1, 3]])
    attributes(gl, this.places.buffer, [[2, 4], [3, 4], [4, 4], [5, 4], [6, 4]], true)
    gl.bindVertexArray(null)
  }

  clear() {
    this.count = 0
  }

  /** Add an instance: a pose, a colour [r, g, b, opacity] and a look of materials.js. */
  add(pose, color, look) {
    const at = INSTANCE * this.count++
    if (at + INSTANCE > this.instances.length) {
      const larger = new Float32Array(2 * this.instances.length)
      larger.set(this.instances)
      this.instances = larger
    }
    this.instances.set(pose, at)
    this.instances[at + 12] = color[0]
    this.instances[at + 13] = color[1]
    this.instances[at + 14] = color[2]
    this.instances[at + 15] = color[3] ?? 1
    this.instances.set(look, at + 16)
  }

  upload() {
    this.places.write(this.instances, INSTANCE * this.count)
  }

  draw() {
    if (!this.count) return
    this.gl.bindVertexArray(this.array)
    this.gl.drawArraysInstanced(this.gl.TRIANGLES, 0, 3 * this.mesh.triangles, this.count)
  }

  delete() {
    this.gl.deleteVertexArray(this.array)
    this.gl.deleteBuffer(this.corners)
    this.places.delete()
  }
}

/** Lines with a width in pixels: strings, springs, wires, axes. */
export class LineBatch {
  constructor(gl) {
    this.gl = gl
    this.array = gl.createVertexArray()
    this.places = new FloatBuffer(gl)
    this.count = 0
    gl.bindVertexArray(this.array)
    this.corners = gl.createBuffer()
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners)
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW)
    attributes(gl, this.corners, [[0, 2]])
    attributes(gl, this.places.buffer, [[1, 3], [2, 3], [3, 4], [4, 2]], true)
    gl.bindVertexArray(null)
  }

  /** Segments of {points: [[x, y, z], …], color, width [px], dash [px] or 0}. */
  write(lines) {
    this.count = lines.reduce((sum, line) => sum + Math.max(0, line.points.length - 1), 0)
    const values = new Float32Array(12 * this.count)
    let at = 0
    for (const { points, color, width = 2, dash = 0 } of lines) {
      for (let k = 0; k + 1 < points.length; k++) {
        values.set([...points[k], ...points[k + 1], ...color.slice(0, 3), color[3] ?? 1, width, dash], at)
        at += 12
      }
    }
    this.places.write(values)
  }

  draw() {
    if (!this.count) return
    this.gl.bindVertexArray(this.array)
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, this.count)
  }
}
