// The shaders: one light for everything. Colours come as on a screen, are lit as light, and go back.
//
// Fog mixes on the screen's side, so that the ground ends exactly in the colour of the horizon.

const HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`

const LIGHT = `
uniform vec3 eye, sun, sunLight, skyLight, bounceLight, horizon, zenith;
uniform float fog, exposure;
uniform mat4 sunMatrix;
uniform sampler2DShadow shadows;
uniform float softness;  // radius of the penumbra on the map
uniform mat4 overMatrix;
uniform highp sampler2D heights;  // depths seen from straight above
uniform float overDepth, reach;

const vec2 DISC[16] = vec2[16](
  vec2(-.94, -.40), vec2(.95, -.77), vec2(-.09, -.93), vec2(.34, .29), vec2(-.92, .46), vec2(-.82, -.88),
  vec2(-.38, .28), vec2(.97, .76), vec2(.44, -.98), vec2(.54, -.47), vec2(-.26, -.42), vec2(.79, .19),
  vec2(-.24, .90), vec2(-.81, .91), vec2(.20, .79), vec2(.14, -.14));

// towards the edge of the map shadows fade
float sunEdge(vec2 p) { return smoothstep(.995, .9, max(abs(p.x), abs(p.y))); }
// the share of the sun that arrives: sixteen soft looks into the map, turned from pixel to pixel
float sunshine(vec3 at, vec3 normal) {
  vec4 p = sunMatrix * vec4(at + normal * softness * 2.5, 1.);
  vec3 place = p.xyz * .5 + .5;
  if (any(greaterThan(abs(p.xy), vec2(.995))) || place.z > 1.) return 1.;
  float turn = 6.2832 * fract(52.983 * fract(dot(gl_FragCoord.xy, vec2(.06711, .00584))));
  mat2 rotate = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
  float slope = clamp(1. - dot(normal, sun), 0., 1.);
  float sum = 0.;
  for (int k = 0; k < 16; k++) {
    vec2 away = rotate * DISC[k] * softness * .5;
    sum += texture(shadows, vec3(place.xy + away, place.z - .0008 - .0025 * slope));
    // most places are far from the edge of any shadow: a few looks tell
    if (k == 5 && (sum == 0. || sum == 6.)) return mix(1., sum / 6., sunEdge(p.xy));
  }
  return mix(1., sum / 16., sunEdge(p.xy));
}
// the share of the sky that arrives: what stands closely above takes some of it away
float openness(vec3 at) {
  vec3 place = (overMatrix * vec4(at, 1.)).xyz * .5 + .5;
  if (any(greaterThan(abs(place.xy - .5), vec2(.5)))) return 1.;
  float turn = 6.2832 * fract(52.983 * fract(dot(gl_FragCoord.xy + 17., vec2(.06711, .00584))));
  mat2 rotate = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
  float sum = 0.;
  for (int k = 0; k < 16; k++) {
    float above = (place.z - texture(heights, place.xy + rotate * DISC[k] * reach).r) * overDepth;
    sum += smoothstep(.0, .03, above) * exp(-1.6 * above);
    if (k == 7 && sum == 0.) return 1.;
  }
  vec2 edge = smoothstep(vec2(.5), vec2(.42), abs(place.xy - .5));
  return 1. - .8 * sum / 16. * edge.x * edge.y;
}
vec3 toLight(vec3 c) { return pow(c, vec3(2.2)); }
// the curve of the Khronos group's "PBR neutral": colours of files stay what they are, lights roll off
vec3 toScreen(vec3 c) {
  c *= exposure;
  float least = min(c.r, min(c.g, c.b));
  c -= least < .08 ? least - 6.25 * least * least : .04;
  float peak = max(c.r, max(c.g, c.b)), start = .76;
  if (peak > start) {
    float rolled = 1. - (1. - start) * (1. - start) / (peak + 1. - 2. * start);
    c = mix(c * rolled / peak, vec3(rolled), 1. - 1. / (.15 * (peak - rolled) + 1.));
  }
  return pow(clamp(c, 0., 1.), vec3(1. / 2.2));
}
vec3 skyColor(vec3 way) {
  float up = clamp(way.z, 0., 1.);
  vec3 c = mix(horizon, zenith, 1. - exp(-4.5 * up));
  return c + .10 * pow(max(dot(way, sun), 0.), 24.) * smoothstep(.0, .25, way.z);
}
vec3 inFog(vec3 c, vec3 at) {
  float far = length(at - eye) / fog;
  return mix(c, horizon, 1. - exp(-far * far));
}
vec3 lit(vec3 albedo, vec3 n, vec3 v, float rough, float metal, float share, float open) {
  float facing = max(dot(n, sun), 0.);
  vec3 around = mix(bounceLight, skyLight, .5 + .5 * n.z) * open;
  vec3 base = mix(vec3(.04), albedo, metal);
  vec3 h = normalize(sun + v);
  float a = rough * rough, d = max(dot(n, h), 0.);
  float spread = d * d * (a * a - 1.) + 1.;
  float shine = a * a / (3.1416 * spread * spread) * .25 / mix(.25, 1., max(dot(n, v), 0.));
  float rim = pow(1. - max(dot(n, v), 0.), 5.);
  vec3 mirror = base + (max(vec3(1. - rough), base) - base) * rim;
  vec3 seen = toLight(skyColor(reflect(-v, n)));
  vec3 c = albedo * (1. - .75 * metal) * (around + sunLight * facing * share);
  c += base * min(shine, 4.) * sunLight * facing * share;
  return c + mirror * mix(bounceLight * .5, seen, smoothstep(-.3, .3, reflect(-v, n).z)) * (1. - .7 * rough) * open;
}
`

const INSTANCE = `
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 rowX;
layout(location = 3) in vec4 rowY;
layout(location = 4) in vec4 rowZ;
layout(location = 5) in vec4 color;
layout(location = 6) in vec4 look;
uniform mat4 camera;
vec3 placed() { vec4 p = vec4(point, 1.); return vec3(dot(rowX, p), dot(rowY, p), dot(rowZ, p)); }
// cofactors turn normals rightly where an instance is stretched
vec3 turnedNormal() {
  vec3 x = rowX.xyz, y = rowY.xyz, z = rowZ.xyz;
  return vec3(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
}
`

export const BODY = {
  vertex: `${HEAD}${INSTANCE}
out vec3 world, facing, local; flat out vec4 tint, surface;
uniform float order;  // faces in one plane are drawn in a fixed order, or they would flicker
void main() {
  world = placed(); facing = turnedNormal(); local = point; tint = color; surface = look;
  gl_Position = camera * vec4(world, 1.);
  gl_Position.z -= order * gl_Position.w;
}`,
  // look: roughness, metal, own light, stripes along z
  fragment: `${HEAD}${LIGHT}
in vec3 world, facing, local; flat in vec4 tint, surface; out vec4 result;
void main() {
  vec3 n = normalize(facing) * (gl_FrontFacing ? 1. : -1.), v = normalize(eye - world);
  if (surface.w > 0. && fract(local.z * surface.w) > .55) discard;
  vec3 albedo = toLight(tint.rgb);
  vec3 c = lit(albedo, n, v, surface.x, surface.y, sunshine(world, n), openness(world));
  vec3 own = albedo * (.75 + .35 * dot(n, v));
  result = vec4(inFog(toScreen(mix(c, own, surface.z)), world), tint.a);
}`,
}

export const SHADOW = {
  vertex: `${HEAD}${INSTANCE}
void main() { gl_Position = camera * vec4(placed(), 1.); }`,
  fragment: `${HEAD} void main() {}`,
}

export const MASK = {
  vertex: SHADOW.vertex,
  fragment: `${HEAD} uniform vec4 mark; out vec4 result; void main() { result = mark; }`,
}

export const SCREEN_VERTEX = `${HEAD}
out vec2 place;
void main() {
  place = vec2(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1.);
  gl_Position = vec4(place, .999999, 1.);
}`

export const OUTLINE = {
  vertex: SCREEN_VERTEX,
  fragment: `${HEAD}
in vec2 place; out vec4 result;
uniform sampler2D mask; uniform vec2 pixel; uniform vec3 selected, hovered; uniform float width;
void main() {
  vec2 at = place * .5 + .5, own = texture(mask, at).rg, near = vec2(0.);
  for (int k = 0; k < 16; k++) {
    float angle = 6.2832 * float(k) / 16.;
    near += texture(mask, at + pixel * width * vec2(cos(angle), sin(angle))).rg;
  }
  // an edge is where some neighbours are marked and others are not
  vec2 edge = clamp(near / 5., 0., 1.) * (1. - own);
  vec4 a = vec4(selected, edge.r), b = vec4(hovered, .8 * edge.g);
  result = a.a >= b.a ? a : b;
  if (own.r > 0.) result = max(result, vec4(selected, .10));
}`,
}

export const SKY = {
  vertex: SCREEN_VERTEX,
  fragment: `${HEAD}${LIGHT}
in vec2 place; out vec4 result; uniform vec3 right, up, ahead;
void main() {
  vec3 way = normalize(ahead + place.x * right + place.y * up);
  // a grain smaller than a step of colour hides the bands of the gradient
  float grain = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - .5;
  result = vec4(skyColor(way) + grain / 255., 1.);
}`,
}

export const GROUND = {
  vertex: `${HEAD}
layout(location = 0) in vec3 point; layout(location = 1) in vec3 normal;
uniform mat4 camera; uniform vec3 shift; out vec3 world, facing;
void main() { world = point + shift; facing = normal; gl_Position = camera * vec4(world, 1.); }`,
  fragment: `${HEAD}${LIGHT}
in vec3 world, facing; out vec4 result;
uniform vec3 soil, ink; uniform float finest, solid, border, cover; uniform vec4 edge;
// lines of one spacing; they fade where they would be nearer than a few pixels
float net(vec2 at, float spacing, float pixels) {
  vec2 x = at / spacing, w = max(fwidth(x), 1e-6);
  vec2 off = abs(fract(x - .5) - .5) / w;
  vec2 line = clamp(pixels * .5 + .5 - off, 0., 1.);
  vec2 sparse = smoothstep(vec2(.16), vec2(.02), w);
  return max(line.x * sparse.x, line.y * sparse.y);
}
void main() {
  vec3 n = normalize(facing); n *= sign(n.z + 1e-6);
  float lines = max(max(net(world.xy, finest, 1.) * .30, net(world.xy, 10. * finest, 1.4) * .75),
                    net(world.xy, 100. * finest, 1.8));
  float share = sunshine(world, n), open = openness(world);
  // soil has no shine: the plain part of the light is enough, and the ground is most of the picture
  vec3 c = toLight(soil) * (mix(bounceLight, skyLight, .5 + .5 * n.z) * open + sunLight * max(dot(n, sun), 0.) * share);
  vec3 screen = toScreen(c);
  screen = mix(screen, ink, lines * .55);
  float far = length(world - eye) / fog;
  vec2 inside = min(world.xy - edge.xy, edge.zw - world.xy) / border;
  float clear = exp(-far * far) * smoothstep(0., 1., min(inside.x, inside.y));
  // a floor that is no ground of the model is only lines and shadows
  float there = mix(max(lines * .5, (1. - share * open) * .45), 1., solid) * cover;
  result = vec4(screen, there * clear);
}`,
}

export const LINE = {
  vertex: `${HEAD}
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in vec4 color;
layout(location = 4) in vec2 look;  // width [pixels], dash [pixels] or none
uniform mat4 camera; uniform vec2 view; out vec4 tint; out vec2 along; out vec3 world; flat out float dash;
void main() {
  vec4 a = camera * vec4(from, 1.), b = camera * vec4(to, 1.);
  // what is behind the eye is cut off, or the line would turn round
  float near = 1e-4;
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 p = a.xy / a.w * view, q = b.xy / b.w * view, way = q - p;
  float size = length(way); way = size > 1e-6 ? way / size : vec2(1., 0.);
  vec4 c = corner.x < .5 ? a : b;
  float wide = look.x + 1.;
  vec2 away = vec2(-way.y, way.x) * corner.y * wide * .5 + way * (corner.x - .5) * wide * .6;
  gl_Position = vec4(c.xy + away / view * c.w, c.z - 2e-5 * c.w, c.w);
  along = vec2(corner.x * size, corner.y * wide * .5);
  world = mix(from, to, corner.x); tint = vec4(color.rgb, color.a); dash = look.y;
  along.y /= max(look.x * .5, .5);
}`,
  fragment: `${HEAD}${LIGHT}
in vec4 tint; in vec2 along; in vec3 world; flat in float dash; out vec4 result;
void main() {
  if (dash > 0. && fract(along.x / dash) > .55) discard;
  float round = 1. - .35 * along.y * along.y;  // as if it were a cord
  float edge = clamp((1.15 - abs(along.y)) / max(fwidth(along.y), 1e-3), 0., 1.);
  result = vec4(inFog(tint.rgb * round, world), tint.a * edge);
}`,
}
