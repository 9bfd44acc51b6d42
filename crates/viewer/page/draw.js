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
uniform vec3 shift;
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
uniform vec4 clip;
uniform vec3 boundary, ink, toEye, lamp;
uniform float opacity;
uniform int bodies, items;
uniform bool pick, flat2, depths, image;
uniform mat3 fractions;
uniform vec3 periodic;
out vec4 colour;
// Of images only what reaches into the cell is seen.
bool outside(vec3 world) {
  vec3 s = abs(world * fractions - 0.5) * periodic;
  return image && max(s.x, max(s.y, s.z)) > 0.5;
}
vec4 identity(uint item) {
  uint n = item + 1u;
  return vec4(float(n & 255u), float((n >> 8) & 255u), float((n >> 16) & 255u), 255.0) / 255.0;
}
// A depth in the four bytes of a pixel.
vec4 packed(float depth) {
  vec4 parts = fract(depth * vec4(1.0, 255.0, 65025.0, 16581375.0));
  return parts - parts.yzww * vec4(1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0, 0.0);
}
vec4 shade(uint item, vec2 value, vec3 world, vec3 normal) {
  if (dot(clip.xyz, world) > clip.w || outside(world)) discard;
  if (depths) return packed(gl_FragCoord.z);
  if (pick) return identity(item);
  // Deformable solids come after boundaries.
  bool body = int(item) < bodies || int(item) >= items;
  vec3 base = body ? texture(map, vec2(value.x, 0.5)).rgb : boundary;
  if (image) base = mix(base, vec3(0.72), 0.8);
  // A lamp over the viewer's left shoulder, the sky, and light from below.
  float lit = 0.5 + 0.5 * dot(normal, lamp);
  float light = flat2 || !body ? 1.0 : 0.36 + 0.56 * lit * lit + 0.1 * normal.z + 0.08 * max(dot(normal, toEye), 0.0);
  if (value.y > 0.5) base = mix(base, vec3(1.0, 0.62, 0.1), 0.75);
  float solid = value.y > 0.5 ? 1.0 : body || flat2 ? opacity : 0.3 * opacity;
  return vec4(base * light, solid);
}
`;

const SHADERS = {
  mesh: [`${COMMON}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint item;
uniform vec3 toEye;
uniform bool flat2, pick;
uniform int bodies;
flat out uint which; flat out vec2 value; out vec3 world, outward;
void main() {
  vec4 p = texel(item, 0), q = texel(item, 1);
  which = item; value = texel(item, 2).xy;
  world = p.xyz + shift + turn(q, point); outward = turn(q, normal);
  bool hidden = !flat2 && ((length(normal) > 1.5 && dot(outward, toEye) < 0.0) || (pick && int(item) >= bodies));
  gl_Position = p.w > 0.5 && !hidden ? projection * view * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`, `${PAINT}
flat in uint which; flat in vec2 value; in vec3 world, outward;
void main() {
  vec3 n = normalize(outward);
  if (!flat2 && dot(n, toEye) < 0.0) n = -n;
  colour = shade(which, value, world, n);
}`],
  lines: [`${COMMON}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint item;
uniform vec3 toEye;
out vec3 world;
void main() {
  vec4 p = texel(item, 0), q = texel(item, 1);
  world = p.xyz + shift + turn(q, point);
  bool hidden = length(normal) > 1.5 && dot(turn(q, normal), toEye) < 0.0;
  gl_Position = p.w > 0.5 && !hidden ? projection * view * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_Position.z -= 1e-4 * gl_Position.w;
}`, `${PAINT}
in vec3 world;
uniform float strength;
void main() {
  if (dot(clip.xyz, world) > clip.w || outside(world)) discard;
  colour = vec4(ink, strength * opacity);
}`],
  round: [`${COMMON}
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 ball;
layout(location = 2) in uint item;
uniform bool flat2;
flat out uint which; flat out vec2 value; flat out vec3 centre; flat out float radius; flat out vec4 spin;
out vec3 seen;
void main() {
  vec4 p = texel(item, 0); spin = texel(item, 1);
  which = item; value = texel(item, 2).xy; radius = ball.w;
  centre = (view * vec4(p.xyz + shift + turn(spin, ball.xyz), 1.0)).xyz;
  // In perspective the outline of a ball is wider than its radius, and seen from aside.
  float d = length(centre);
  vec3 back = flat2 ? vec3(0.0, 0.0, 1.0) : -centre / d;
  vec3 right = normalize(cross(abs(back.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), back));
  float wide = flat2 || d <= radius ? radius : radius / sqrt(1.0 - radius * radius / (d * d));
  seen = centre + wide * (corner.x * right + corner.y * cross(back, right));
  gl_Position = p.w > 0.5 ? projection * vec4(seen, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`, `${PAINT}
uniform mat4 view, projection;
flat in uint which; flat in vec2 value; flat in vec3 centre; flat in float radius; flat in vec4 spin;
in vec3 seen;
vec3 back(vec4 q, vec3 v) { vec3 t = 2.0 * cross(-q.xyz, v); return v + q.w * t + cross(-q.xyz, t); }
void main() {
  vec3 hit;
  if (flat2) {
    vec2 off = (seen - centre).xy / radius;
    float r = length(off);
    if (r > 1.0) discard;
    colour = shade(which, value, transpose(mat3(view)) * (seen - view[3].xyz), vec3(0.0, 0.0, 1.0));
    vec2 own = back(spin, vec3(off, 0.0)).xy;
    float edge = fwidth(r);
    float mark = max(smoothstep(1.0 - 2.0 * edge, 1.0 - edge, r), own.x > 0.0 ? 1.0 - smoothstep(0.5 * edge, 1.5 * edge, abs(own.y)) : 0.0);
    if (!pick) colour.rgb = mix(colour.rgb, ink, 0.55 * mark);
    gl_FragDepth = gl_FragCoord.z;
    return;
  }
  vec3 ray = normalize(seen);
  float along = dot(ray, centre);
  float under = radius * radius - (dot(centre, centre) - along * along);
  if (under < 0.0) discard;
  hit = (along - sqrt(under)) * ray;
  vec3 normal = transpose(mat3(view)) * ((hit - centre) / radius);
  vec3 world = transpose(mat3(view)) * (hit - view[3].xyz);
  vec4 screen = projection * vec4(hit, 1.0);
  gl_FragDepth = 0.5 + 0.5 * screen.z / screen.w;
  colour = depths ? packed(gl_FragDepth) : shade(which, value, world, normal);
  if (depths && dot(clip.xyz, world) > clip.w) discard;
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
  if (dot(clip.xyz, world) > clip.w) discard;
  colour = vec4(stroke * (flat2 ? 1.0 : 1.0 - 0.45 * across * across), 0.9);
}`],
};

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
    this.strokes = { forces: new Strokes(this), velocities: new Strokes(this, true), trail: new Strokes(this), measure: new Strokes(this), cell: new Strokes(this) };
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
    this.cell = frame.cell;
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
    // To the centre of a body, or of its image that the contact is at.
    const toCentre = (owner) => {
      const place = [0, 1, 2].map((a) => (a < d ? frame.position[owner * d + a] : 0)), from = [...lines.subarray(at, at + 3)];
      lines.set(frame.cell ? V.add(place, frame.cell.shift(place, from)) : place, at + 3);
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
        if (round[owner]) toCentre(owner);
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
  // Velocities of bodies as pointed lines, the largest as long as `longest`.
  velocityLines(frame, top, longest) {
    const { velocities } = this.strokes, d = this.run.dimension, lines = velocities.room(frame.n);
    let at = 0;
    for (let i = 0; i < frame.n && top > 0; i++) {
      const speed = rowSize(frame.velocity, i, d);
      if (!(speed > 1e-3 * top)) continue;
      for (let a = 0; a < 3; a++) {
        lines[at + a] = a < d ? frame.position[i * d + a] : 0;
        lines[at + 3 + a] = lines[at + a] + (a < d ? (frame.velocity[i * d + a] * longest) / top : 0);
      }
      lines[at + 6] = 0.07 * longest;
      at += 7;
    }
    velocities.put(at / 7);
  }
  // The edges of the periodic cell.
  cellLines(frame, half) {
    const { cell } = this.strokes, edges = frame.cell ? frame.cell.edges(this.run.dimension) : [], lines = cell.room(edges.length);
    edges.forEach(([from, to], i) => lines.set([...from, ...to, half], 7 * i));
    cell.put(edges.length);
  }
  resize() {
    const { canvas } = this, scale = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [Math.max(1, Math.round(canvas.clientWidth * scale)), Math.max(1, Math.round(canvas.clientHeight * scale))];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  }
  use(name, look, pick) {
    const gl = this.gl, { program, names } = this.programs[name], { view, projection, eye } = this.matrices;
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
    const { right, up, back } = look.camera.axes();
    gl.uniform3fv(names.toEye, V.unit(V.sub(eye, look.camera.target)));
    gl.uniform3fv(names.lamp, V.unit(V.add(V.scale(right, -0.55), V.add(V.scale(up, 0.6), back))));
    gl.uniform1i(names.depths, pick === "depths" ? 1 : 0);
    gl.uniform1f(names.opacity, look.opacity);
    gl.uniform1i(names.bodies, this.shapes.bodies);
    gl.uniform1i(names.items, this.shapes.items);
    gl.uniform1i(names.pick, pick ? 1 : 0);
    gl.uniform1i(names.flat2, this.flat ? 1 : 0);
    gl.uniform3fv(names.shift, this.shift || [0, 0, 0]);
    gl.uniform1i(names.image, this.shift ? 1 : 0);
    if (!this.cell) return;
    gl.uniformMatrix3fv(names.fractions, false, this.cell.rows.flat());
    gl.uniform3fv(names.periodic, this.cell.periodic.map(Number));
  }
  bodies(look, pick) {
    const gl = this.gl;
    const mesh = (from, to) => {
      if (from === to) return;
      this.use("mesh", look, pick);
      gl.bindVertexArray(this.meshArray);
      gl.drawArrays(gl.TRIANGLES, from, to - from);
    };
    // In the plane boundaries lie below; in space they are glass, and drawn last.
    const walls = this.shift ? [0, 0] : [this.bodyVertices, this.meshSize];
    if (this.flat) mesh(...walls);
    mesh(0, this.bodyVertices);
    if (this.roundSize) {
      this.use("round", look, pick);
      gl.bindVertexArray(this.roundArray);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.roundSize);
    }
    if (this.solids) this.solids.draw(look, pick);
    for (const [array, size, strength] of [[this.lineArray, this.lineSize, 0.65], [this.gridArray, this.gridSize, 0.16]]) {
      if (!size || pick || (this.shift && array === this.gridArray)) continue;
      this.use("lines", look, pick);
      gl.uniform1f(this.programs.lines.names.strength, strength);
      gl.bindVertexArray(array);
      gl.drawArrays(gl.LINES, 0, size);
    }
    if (!this.flat && !pick) {
      gl.depthMask(false);
      mesh(...walls);
    }
  }
  draw(look) {
    const gl = this.gl, { canvas } = this;
    this.resize();
    this.matrices = look.camera.matrices(canvas.width / canvas.height);
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
      for (this.shift of this.cell ? this.cell.neighbours() : []) this.bodies(look, false);
      this.shift = null;
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
