// Draws a frame with WebGL 2. Poses and values of all items lie in one texture, three texels an item:
// position and presence; rotation; value from 0 to 1 and selection. Meshes never change, but for those of
// deformable solids (solid.js).
"use strict";

const WIDTH = 1023; // texels in a row: a multiple of three

const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D poses;
uniform mat4 view, projection;
vec4 texel(uint item, int which) {
  int at = 3 * int(item) + which;
  return texelFetch(poses, ivec2(at % ${WIDTH}, at / ${WIDTH}), 0);
}
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
`;

const PAINT = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D map;
uniform highp sampler2DShadow shadow;
uniform mat4 view, projection, sun;
uniform vec4 clip;
uniform vec3 boundary, ink, eye, toEye, lamp, middle;
uniform float opacity, texel;
uniform int bodies, items, boundaries;
uniform bool pick, flat2, depths, parallel, shadowed, glass;
out vec4 colour;
vec4 identity(uint item) {
  uint n = item + 1u;
  return vec4(float(n & 255u), float((n >> 8) & 255u), float((n >> 16) & 255u), 255.0) / 255.0;
}
// A depth in the four bytes of a pixel.
vec4 packed(float depth) {
  vec4 parts = fract(depth * vec4(1.0, 255.0, 65025.0, 16581375.0));
  return parts - parts.yzww * vec4(1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0, 0.0);
}
float beyond(vec3 world) { return dot(clip.xyz, world) - clip.w; }
float depthOf(vec3 world) {
  vec4 screen = projection * view * vec4(world, 1.0);
  return 0.5 + 0.5 * screen.z / screen.w;
}
// Deformable solids come after boundaries.
bool isBody(uint item) { return int(item) < bodies || int(item) >= items; }
// How much of the lamp reaches a place. Looked up off the surface, which would shadow itself.
float sunlit(vec3 world, vec3 normal) {
  if (!shadowed) return 1.0;
  vec3 at = 0.5 + 0.5 * (sun * vec4(world + 2.5 * texel * normal, 1.0)).xyz;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  float sum = 0.0, one = 1.0 / float(textureSize(shadow, 0).x);
  for (int i = 0; i < 4; i++) sum += texture(shadow, vec3(at.xy + one * (vec2(i & 1, i >> 1) - 0.5), at.z - 2e-4));
  return 0.25 * sum;
}
vec3 paint(uint item, vec2 value) {
  vec3 base = isBody(item) ? texture(map, vec2(value.x, 0.5)).rgb : boundary;
  return value.y > 0.5 ? mix(base, vec3(1.0, 0.62, 0.1), 0.75) : base;
}
vec4 shade(uint item, vec2 value, vec3 world, vec3 normal) {
  if (depths) return packed(gl_FragCoord.z);
  if (pick) return identity(item);
  bool body = isBody(item);
  vec3 base = paint(item, value);
  float alpha = value.y > 0.5 ? 1.0 : body || flat2 || !glass ? opacity : 0.3 * opacity;
  if (flat2) return vec4(base, alpha);
  // A lamp over the viewer's left shoulder, the sky, and what comes back from below.
  float sun = sunlit(world, normal);
  if (!body && glass) return vec4(base * mix(0.55, 1.0, sun), alpha * mix(1.7, 1.0, sun));
  float light = 0.5 + 0.13 * normal.z + 0.07 * max(dot(normal, toEye), 0.0) + 0.45 * sun * max(dot(normal, lamp), 0.0);
  return vec4(base * light, alpha);
}
// What a clip plane cuts through: flat, and hatched as in drawings, neighbours in different ways.
vec4 section(uint item, vec3 base, float depth) {
  if (depths) return packed(depth);
  if (pick) return identity(item);
  uint kind = (item * 2654435761u) >> 28;
  float along = gl_FragCoord.x + ((kind & 1u) == 0u ? gl_FragCoord.y : -gl_FragCoord.y);
  float stripe = step(0.6, fract(along / (7.0 + float(kind & 6u))));
  return vec4(base * (0.93 - 0.015 * float(kind) - 0.12 * stripe), opacity);
}
`;

const SHADERS = {
  mesh: [`${COMMON}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint item;
uniform vec3 toEye;
uniform bool flat2, pick;
flat out uint which; flat out vec2 value; flat out float plane; centroid out vec3 world; out vec3 outward;
void main() {
  vec4 p = texel(item, 0), q = texel(item, 1);
  which = item; value = texel(item, 2).xy;
  world = p.xyz + turn(q, point); outward = turn(q, normal); plane = length(normal) > 1.5 ? 1.0 : 0.0;
  bool hidden = !flat2 && plane > 0.5 && (pick || dot(outward, toEye) < 0.0);
  gl_Position = p.w > 0.5 && !hidden ? projection * view * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`, `${PAINT}
flat in uint which; flat in vec2 value; flat in float plane; centroid in vec3 world; in vec3 outward;
void main() {
  vec3 n = normalize(outward);
  bool inner = !flat2 && dot(n, parallel ? toEye : eye - world) < 0.0;
  if (inner) n = -n;
  if (!flat2 && !isBody(which)) {
    // Of boundaries, those that lie like a floor and those behind the scene are solid: others would hide it.
    bool clear = plane > 0.5 || boundaries == 1 || (boundaries == 0 && n.z < 0.2 && dot(world - middle, toEye) > 0.0);
    if (clear != glass) discard;
  }
#ifdef CUT
  gl_FragDepth = gl_FragCoord.z;
  float over = beyond(world), ahead = beyond(eye);
  if (over > 0.0) discard;
  if (inner && ahead > 0.0 && int(which) < bodies) {
    // The inside of a body is seen: its section, which lies before that.
    gl_FragDepth = depthOf(mix(eye, world, ahead / (ahead - over)));
    colour = section(which, paint(which, value), gl_FragDepth);
    return;
  }
#endif
  colour = shade(which, value, world, n);
}`],
  lines: [`${COMMON}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint item;
uniform vec3 toEye;
uniform int bodies, boundaries;
out vec3 world;
void main() {
  vec4 p = texel(item, 0), q = texel(item, 1);
  world = p.xyz + turn(q, point);
  bool hidden = (length(normal) > 1.5 && dot(turn(q, normal), toEye) < 0.0) || (boundaries == 2 && int(item) >= bodies);
  gl_Position = p.w > 0.5 && !hidden ? projection * view * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_Position.z -= 1e-4 * gl_Position.w;
}`, `${PAINT}
in vec3 world;
uniform float strength;
void main() {
  if (beyond(world) > 0.0) discard;
  colour = vec4(ink, strength * opacity);
}`],
  round: [`${COMMON}
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 ball;
layout(location = 2) in uint item;
uniform bool flat2, parallel;
flat out uint which; flat out vec2 value; flat out vec3 centre; flat out float radius; flat out vec4 spin;
out vec3 seen;
void main() {
  vec4 p = texel(item, 0); spin = texel(item, 1);
  which = item; value = texel(item, 2).xy; radius = ball.w;
  centre = (view * vec4(p.xyz + turn(spin, ball.xyz), 1.0)).xyz;
  // In perspective the outline of a ball is wider than its radius, and seen from aside.
  float d = length(centre);
  vec3 back = flat2 || parallel ? vec3(0.0, 0.0, 1.0) : -centre / d;
  vec3 right = normalize(cross(abs(back.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), back));
  float wide = flat2 || parallel || d <= radius ? radius : radius / sqrt(1.0 - radius * radius / (d * d));
  seen = centre + wide * (corner.x * right + corner.y * cross(back, right));
  gl_Position = p.w > 0.5 ? projection * vec4(seen, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`, `${PAINT}
flat in uint which; flat in vec2 value; flat in vec3 centre; flat in float radius; flat in vec4 spin;
in vec3 seen;
vec3 back(vec4 q, vec3 v) { vec3 t = 2.0 * cross(-q.xyz, v); return v + q.w * t + cross(-q.xyz, t); }
vec3 worldOf(vec3 v) { return transpose(mat3(view)) * (v - view[3].xyz); }
void main() {
  if (flat2) {
    vec2 off = (seen - centre).xy / radius;
    float r = length(off);
    if (r > 1.0) discard;
    if (beyond(worldOf(seen)) > 0.0) discard;
    colour = shade(which, value, worldOf(seen), vec3(0.0, 0.0, 1.0));
    vec2 own = back(spin, vec3(off, 0.0)).xy;
    float edge = fwidth(r);
    float mark = max(smoothstep(1.0 - 2.0 * edge, 1.0 - edge, r), own.x > 0.0 ? 1.0 - smoothstep(0.5 * edge, 1.5 * edge, abs(own.y)) : 0.0);
    if (!pick) colour.rgb = mix(colour.rgb, ink, 0.55 * mark);
    gl_FragDepth = gl_FragCoord.z;
    return;
  }
  if (boundaries == 2 && !isBody(which)) discard;
  vec3 ray = parallel ? vec3(0.0, 0.0, -1.0) : normalize(seen), from = parallel ? vec3(seen.xy, 0.0) : vec3(0.0);
  float along = dot(ray, centre - from);
  vec3 nearest = from + along * ray - centre;
  float under = radius * radius - dot(nearest, nearest);
  if (under < 0.0) discard;
  vec3 hit = from + (along - sqrt(under)) * ray;
  vec3 world = worldOf(hit);
  float over = beyond(world);
  if (over > 0.0) {
    // The near side is cut away: the ray meets the section, or nothing.
    vec3 far = worldOf(from + (along + sqrt(under)) * ray);
    float under = -beyond(far);
    if (under < 0.0) discard;
    gl_FragDepth = depthOf(mix(world, far, over / (over + under)));
    colour = section(which, paint(which, value), gl_FragDepth);
    return;
  }
  vec3 normal = transpose(mat3(view)) * ((hit - centre) / radius);
  gl_FragDepth = depthOf(world);
  colour = depths ? packed(gl_FragDepth) : shade(which, value, world, normal);
  // Two stripes show how a ball turns.
  vec3 own = back(spin, normal);
  if (!pick && min(abs(own.x), abs(own.y)) < 0.045) colour.rgb *= 0.82;
  // The outline, as if drawn by hand.
  if (!pick && dot(normal, transpose(mat3(view)) * -ray) < 0.28) colour.rgb *= 0.72;
}`],
  stroke: [`${COMMON}
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in float width;
uniform bool pointed;
out float across; out vec3 world;
void main() {
  vec3 a = (view * vec4(from, 1.0)).xyz, b = (view * vec4(to, 1.0)).xyz;
  vec3 along = b - a;
  float share = 0.5 + 0.5 * corner.y;
  vec2 side = vec2(-along.y, along.x);
  side *= (pointed ? 1.0 - share : 1.0) * width / max(length(side), 1e-30);
  vec3 place = mix(a, b, share) + vec3(side * corner.x, 0.0);
  across = corner.x; world = mix(from, to, share);
  gl_Position = projection * vec4(place, 1.0);
}`, `${PAINT}
in float across; in vec3 world;
uniform vec3 stroke;
void main() {
  if (beyond(world) > 0.0) discard;
  colour = vec4(stroke * (flat2 ? 1.0 : 1.0 - 0.45 * across * across), 0.9);
}`],
};

// Where a clip plane is, depths are written, which makes drawing slower: a program of its own.
const cutting = (parts) => parts.map((text) => text.replace("#version 300 es\n", "#version 300 es\n#define CUT\n"));
SHADERS.meshCut = cutting(SHADERS.mesh);

// Lines of some width over the scene, each from a point to another: seven numbers a line, the last half its width.
class Strokes {
  constructor(painter, pointed = false) {
    Object.assign(this, { painter, pointed, count: 0, numbers: new Float32Array(0), colour: [0, 0, 0] });
    const { gl } = painter, stride = 28;
    this.buffer = painter.buffer(new Float32Array(7), gl.DYNAMIC_DRAW);
    this.array = painter.vertices([[0, painter.corners, 2], [1, this.buffer, 3, false, true, stride, 0],
      [2, this.buffer, 3, false, true, stride, 12], [3, this.buffer, 1, false, true, stride, 24]]);
  }
  // Room for so many lines; what is in it stays until it must grow.
  room(lines) {
    if (this.numbers.length < 7 * lines) this.numbers = new Float32Array(14 * lines);
    return this.numbers;
  }
  put(count) {
    const { gl } = this.painter;
    this.count = count;
    if (!count) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.numbers.subarray(0, 7 * count), gl.DYNAMIC_DRAW);
  }
  // A line through points.
  path(points, half) {
    const numbers = this.room(points.length);
    for (let i = 1; i < points.length; i++) numbers.set([...points[i - 1], ...points[i], half], 7 * (i - 1));
    this.put(Math.max(0, points.length - 1));
  }
  draw(look, colour) {
    if (!this.count) return;
    const { gl, programs } = this.painter;
    this.painter.use("stroke", look, false);
    gl.uniform3fv(programs.stroke.names.stroke, colour);
    gl.uniform1i(programs.stroke.names.pointed, this.pointed ? 1 : 0);
    gl.bindVertexArray(this.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
  }
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser has no WebGL 2, which the picture needs.");
    this.gl = gl;
    this.programs = Object.fromEntries(Object.entries(SHADERS).map(([name, text]) => [name, this.program(text)]));
    this.corners = this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.lamp = new Lamp(this);
  }
  program([vertex, fragment]) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const names = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      names[name] = gl.getUniformLocation(program, name);
    }
    return { program, names };
  }
  buffer(data, usage = this.gl.STATIC_DRAW) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, usage);
    return buffer;
  }
  // Attributes: location, buffer, components, whether whole numbers, whether per instance.
  vertices(attributes) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [location, buffer, size, whole, instanced, stride = 0, offset = 0] of attributes) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      if (whole) gl.vertexAttribIPointer(location, size, gl.UNSIGNED_INT, stride, offset);
      else gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride, offset);
      gl.vertexAttribDivisor(location, instanced ? 1 : 0);
    }
    gl.bindVertexArray(null);
    return array;
  }
  texture(filter) {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
  }
  palette(colours, filter = this.gl.LINEAR) {
    const gl = this.gl, texture = this.texture(filter);
    const bytes = new Uint8Array(colours.flatMap((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)).concat(255)));
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, colours.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return texture;
  }
  load(run, shapes) {
    const gl = this.gl, { mesh, walls, round } = shapes;
    Object.assign(this, { run, shapes, flat: run.dimension === 2 });
    this.solids = run.things.solids.length ? new SolidPainter(this, run, shapes.items) : null;
    this.meshSize = mesh.items.length;
    this.bodyVertices = mesh.bodyVertices;
    this.lineSize = mesh.lineItems.length;
    this.roundSize = round.items.length;
    this.meshArray = this.vertices([[0, this.buffer(new Float32Array(mesh.points)), 3],
      [1, this.buffer(new Float32Array(mesh.normals)), 3], [2, this.buffer(new Uint32Array(mesh.items)), 1, true]]);
    const lines = (of) => this.vertices([[0, this.buffer(new Float32Array(of.lines)), 3],
      [1, this.buffer(new Float32Array(of.lineNormals)), 3], [2, this.buffer(new Uint32Array(of.lineItems)), 1, true]]);
    this.lineArray = lines(mesh);
    this.gridArray = lines(walls);
    this.gridSize = walls.lineItems.length;
    this.roundArray = this.vertices([[0, this.corners, 2], [1, this.buffer(new Float32Array(round.centres)), 4, false, true],
      [2, this.buffer(new Uint32Array(round.items)), 1, true, true]]);
    // Once: what is in them outlives a change of what is drawn of boundaries.
    this.strokes ??= { forces: new Strokes(this), arrows: new Strokes(this, true), ways: new Strokes(this), bonds: new Strokes(this), damaged: new Strokes(this),
      cracks: new Strokes(this), joints: new Strokes(this), trail: new Strokes(this), measure: new Strokes(this) };
    this.rows = Math.max(1, Math.ceil((3 * shapes.items) / WIDTH));
    this.texels = new Float32Array(4 * WIDTH * this.rows);
    this.poses = this.texture(gl.NEAREST);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, WIDTH, this.rows, 0, gl.RGBA, gl.FLOAT, this.texels);
    this.maps = { usual: this.palette(run.palette), signed: this.palette(run.signed), kinds: this.palette(MATERIAL_COLOURS, gl.NEAREST) };
    this.map = this.maps.usual;
  }
  // Writes the three texels of an item.
  put(item, position, rotation, i, value) {
    const { texels } = this, at = 12 * item;
    if (this.flat) {
      texels[at] = position[2 * i];
      texels[at + 1] = position[2 * i + 1];
      texels[at + 6] = Math.sin(rotation[i] / 2);
      texels[at + 7] = Math.cos(rotation[i] / 2);
    } else {
      for (let a = 0; a < 3; a++) texels[at + a] = position[3 * i + a];
      for (let a = 0; a < 4; a++) texels[at + 4 + a] = rotation[4 * i + a];
    }
    texels[at + 3] = 1;
    texels[at + 8] = value;
  }
  // Takes in a frame: poses, and places on the scale of colours.
  show(frame, levels, selected) {
    const { texels } = this, { bodies, items } = this.shapes;
    texels.fill(0);
    for (let i = 0; i < frame.n; i++) this.put(i, frame.position, frame.rotation, i, Math.max(0, Math.min(1, levels[i])));
    for (let i = 0; i < frame.m; i++) if (frame.present[i]) this.put(bodies + i, frame.place, frame.turn, i, 0);
    if (selected >= 0 && selected < items) texels[12 * selected + 9] = 1;
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.poses);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDTH, this.rows, gl.RGBA, gl.FLOAT, texels);
  }
  // Lines of contact forces: through the contact to the centre of a round body, into any other body along
  // the force, into a solid by the length of an edge.
  forceLines(frame, top, widest) {
    const { run, strokes: { forces } } = this, d = run.dimension, { touches } = frame;
    const lines = forces.room(2 * frame.k + touches.k), { round, width } = run.things;
    let at = 0;
    const begin = (points, c, size) => {
      for (let a = 0; a < 3; a++) lines[at + a] = a < d ? points[c * d + a] : 0;
      lines[at + 6] = widest * Math.min(1, size / top);
    };
    const into = (force, c, length) => {
      for (let a = 0; a < 3; a++) lines[at + 3 + a] = lines[at + a] + (a < d ? force[c * d + a] * length : 0);
    };
    for (let c = 0; c < frame.k; c++) {
      const size = rowSize(frame.force, c, d);
      if (!(size > 1e-3 * top)) continue;
      for (let side = 0; side < 2; side++) {
        const owner = side ? frame.second[c] : frame.first[c];
        if (owner < 0) continue;
        begin(frame.point, c, size);
        if (round[owner]) for (let a = 0; a < 3; a++) lines[at + 3 + a] = a < d ? frame.position[owner * d + a] : 0;
        else into(frame.force, c, ((side ? -0.5 : 0.5) * width[owner]) / size);
        at += 7;
      }
    }
    for (let c = 0; c < touches.k; c++) {
      const size = rowSize(touches.force, c, d);
      if (!(size > 1e-3 * top)) continue;
      begin(touches.point, c, size);
      into(touches.force, c, run.things.solids[touches.solid[c]].edge / size);
      at += 7;
    }
    forces.put(at / 7);
  }
  // A vector of each body as a pointed line, the largest as long as `longest`.
  arrowLines(frame, vectors, top, longest) {
    const { arrows } = this.strokes, d = this.run.dimension, lines = arrows.room(frame.n);
    let at = 0;
    for (let i = 0; i < frame.n && top > 0; i++) {
      if (!(rowSize(vectors, i, d) > 1e-3 * top)) continue;
      for (let a = 0; a < 3; a++) {
        lines[at + a] = a < d ? frame.position[i * d + a] : 0;
        lines[at + 3 + a] = lines[at + a] + (a < d ? (vectors[i * d + a] * longest) / top : 0);
      }
      lines[at + 6] = 0.07 * longest;
      at += 7;
    }
    arrows.put(at / 7);
  }
  resize() {
    const { canvas } = this, scale = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [Math.max(1, Math.round(canvas.clientWidth * scale)), Math.max(1, Math.round(canvas.clientHeight * scale))];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  }
  use(name, look, pick) {
    const gl = this.gl, { program, names } = this.programs[name], { view, projection, eye, parallel } = this.matrices;
    gl.useProgram(program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.poses);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(names.poses, 0);
    gl.uniform1i(names.map, 1);
    gl.uniformMatrix4fv(names.view, false, view);
    gl.uniformMatrix4fv(names.projection, false, projection);
    gl.uniform4fv(names.clip, look.clip);
    gl.uniform3fv(names.boundary, look.boundary);
    gl.uniform3fv(names.ink, look.ink);
    gl.uniform3fv(names.eye, eye);
    gl.uniform3fv(names.middle, look.camera.target);
    gl.uniform3fv(names.toEye, parallel ? this.lamp.direction(look.camera) : look.camera.axes().back);
    gl.uniform1i(names.parallel, parallel ? 1 : 0);
    gl.uniform1i(names.boundaries, look.boundaries);
    gl.uniform1i(names.glass, 0);
    this.lamp.bind(names, look);
    gl.uniform1i(names.depths, pick === "depths" ? 1 : 0);
    gl.uniform1f(names.opacity, look.opacity);
    gl.uniform1i(names.bodies, this.shapes.bodies);
    gl.uniform1i(names.items, this.shapes.items);
    gl.uniform1i(names.pick, pick ? 1 : 0);
    gl.uniform1i(names.flat2, this.flat ? 1 : 0);
  }
  bodies(look, pick) {
    const gl = this.gl;
    const cut = look.clip[3] < 1e29 && !this.flat ? "meshCut" : "mesh";
    const mesh = (from, to, glass = 0) => {
      if (from === to) return;
      this.use(cut, look, pick);
      gl.uniform1i(this.programs[cut].names.glass, glass);
      gl.bindVertexArray(this.meshArray);
      gl.drawArrays(gl.TRIANGLES, from, to - from);
    };
    // In the plane boundaries lie below; in space those of glass are drawn last.
    const walls = [this.bodyVertices, this.meshSize], shown = look.boundaries < 2;
    if (shown) mesh(...walls);
    mesh(0, this.bodyVertices);
    if (this.roundSize) {
      this.use("round", look, pick);
      gl.bindVertexArray(this.roundArray);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.roundSize);
    }
    if (this.solids) this.solids.draw(look, pick);
    for (const [array, size, strength] of [[this.lineArray, this.lineSize, 0.65], [this.gridArray, this.gridSize, 0.16]]) {
      if (!size || pick) continue;
      this.use("lines", look, pick);
      gl.uniform1f(this.programs.lines.names.strength, strength);
      gl.bindVertexArray(array);
      gl.drawArrays(gl.LINES, 0, size);
    }
    if (!this.flat && !pick && shown) {
      gl.depthMask(false);
      mesh(...walls, 1);
    }
  }
  draw(look) {
    const gl = this.gl, { canvas } = this;
    this.resize();
    this.matrices = look.camera.matrices(canvas.width / canvas.height);
    gl.disable(gl.BLEND);
    if (look.shadows && look.opacity === 1) this.lamp.expose(look, look.scene);
    else this.lamp.on = false;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...look.back, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const ghost = look.opacity < 1;
    if (this.flat) gl.disable(gl.DEPTH_TEST);
    else gl.enable(gl.DEPTH_TEST);
    if (look.opacity > 0) {
      gl.depthMask(!ghost);
      this.bodies(look, false);
      gl.depthMask(true);
    }
    // Through solid bodies nothing would be seen: lines lie over them.
    if (!this.flat && look.opacity === 1) gl.disable(gl.DEPTH_TEST);
    for (const [name, strokes] of Object.entries(this.strokes)) strokes.draw(look, look[name]);
    gl.bindVertexArray(null);
  }
  // The item at a place of the canvas, in its pixels, or -1; and the point of space that is seen there.
  pick(look, x, y) {
    const gl = this.gl, { canvas } = this, [w, h] = [canvas.width, canvas.height];
    const target = gl.createFramebuffer(), colour = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    for (const [buffer, format, place] of [[colour, gl.RGBA8, gl.COLOR_ATTACHMENT0], [depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, w, h);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    gl.viewport(0, 0, w, h);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(x, h - 1 - y, 1, 1);
    gl.disable(gl.BLEND);
    const pixel = new Uint8Array(4);
    const read = (what, empty) => {
      gl.clearColor(empty, empty, empty, empty);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      if (!this.flat) gl.enable(gl.DEPTH_TEST);
      this.bodies({ ...look, opacity: 1 }, what);
      gl.readPixels(x, h - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      return [...pixel];
    };
    const [r, g, b] = read("items", 0), item = r + 256 * g + 65536 * b - 1;
    const bytes = this.flat || item < 0 ? [0, 0, 0, 0] : read("depths", 1);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(target);
    gl.deleteRenderbuffer(colour);
    gl.deleteRenderbuffer(depth);
    const deep = bytes.reduce((sum, byte, i) => sum + byte / 255 ** (i + 1), 0);
    return { item, point: this.flat || item >= 0 ? look.camera.unproject((2 * x) / w - 1, 1 - (2 * y) / h, 2 * deep - 1, this.matrices) : null };
  }
}

function largestForce(frame, run) {
  const d = run.dimension, { touches } = frame, sizes = scratchOf(frame.k + touches.k);
  for (let c = 0; c < frame.k; c++) sizes[c] = rowSize(frame.force, c, d);
  for (let c = 0; c < touches.k; c++) sizes[frame.k + c] = rowSize(touches.force, c, d);
  return quantile(sizes, 0.995);
}
