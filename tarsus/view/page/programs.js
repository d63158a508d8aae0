// Programs of WebGL: compiled once, with their uniforms by name.

/** A program with `set(name, value)`, which takes numbers, vectors and matrices. */
export class Program {
  constructor(gl, { vertex, fragment }) {
    this.gl = gl
    this.program = gl.createProgram()
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind)
      gl.shaderSource(shader, source)
      gl.compileShader(shader)
      gl.attachShader(this.program, shader)
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
        throw new Error(`a shader does not compile: ${gl.getShaderInfoLog(shader)}`)
      }
    }
    gl.linkProgram(this.program)
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`a program does not link: ${gl.getProgramInfoLog(this.program)}`)
    }
    this.places = new Map()
  }

  use(values = {}) {
    this.gl.useProgram(this.program)
    for (const [name, value] of Object.entries(values)) this.set(name, value)
    return this
  }

  set(name, value) {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name))
    const [gl, place] = [this.gl, this.places.get(name)]
    // uniforms that a shader does not need have no place
    if (place === null) return
    if (typeof value === "number") gl.uniform1f(place, value)
    else if (value.unit !== undefined) gl.uniform1i(place, value.unit)
    else if (value.length === 16) gl.uniformMatrix4fv(place, false, value)
    else gl[`uniform${value.length}fv`](place, value)
  }
}

/** A buffer of floats that grows when it must: what changes in each picture is written over. */
export class FloatBuffer {
  constructor(gl) {
    this.gl = gl
    this.buffer = gl.createBuffer()
    this.room = 0
  }

  write(values, count = values.length) {
    const { gl } = this
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer)
    if (count > this.room) {
      this.room = Math.ceil(1.5 * count)
      gl.bufferData(gl.ARRAY_BUFFER, 4 * this.room, gl.DYNAMIC_DRAW)
    }
    if (count) gl.bufferSubData(gl.ARRAY_BUFFER, 0, values, 0, count)
  }

  delete() {
    this.gl.deleteBuffer(this.buffer)
  }
}

/** Describe attributes of the bound vertex array: [slot, size] after another in one buffer. */
export function attributes(gl, buffer, slots, perInstance = false) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
  const stride = 4 * slots.reduce((sum, [, size]) => sum + size, 0)
  let at = 0
  for (const [slot, size] of slots) {
    gl.enableVertexAttribArray(slot)
    gl.vertexAttribPointer(slot, size, gl.FLOAT, false, stride, at)
    if (perInstance) gl.vertexAttribDivisor(slot, 1)
    at += 4 * size
  }
}
