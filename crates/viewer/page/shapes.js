// The shapes of a run as buffers for drawing: one mesh for all that has faces, one list for all that
// is round. Every vertex knows its item: bodies first, then boundaries.
"use strict";

const KIND = { round: 0, convex: 1, half: 2, segment: 3, capsule: 4, triangle: 5, rounded: 6, frustum: 7 };

class Mesh {
  constructor() {
    this.points = [];
    this.normals = [];
    this.items = [];
    this.lines = [];
    this.lineNormals = []; // zero but on surfaces that are seen from outside only
    this.lineItems = [];
    this.bodyVertices = 0; // those of bodies come first
  }
  triangle(item, a, b, c, normal) {
    this.points.push(...a, ...b, ...c);
    for (let i = 0; i < 3; i++) this.normals.push(...(Array.isArray(normal[0]) ? normal[i] : normal));
    this.items.push(item, item, item);
  }
  loop(item, corners, outline = true) {
    const normal = V.unit(V.cross(V.sub(corners[1], corners[0]), V.sub(corners[2], corners[0])));
    for (let i = 2; i < corners.length; i++) this.triangle(item, corners[0], corners[i - 1], corners[i], normal);
    if (outline) corners.forEach((corner, i) => this.line(item, corner, corners[(i + 1) % corners.length]));
  }
  line(item, a, b, normal = [0, 0, 0]) {
    this.lines.push(...a, ...b);
    this.lineNormals.push(...normal, ...normal);
    this.lineItems.push(item, item);
  }
}

// A capsule about the z axis, as rings.
function capsule(mesh, item, place, radius, half) {
  const around = 16, rings = 6;
  const row = (i) => {
    const lower = i <= rings, j = lower ? i : i - 1;
    const polar = -Math.PI / 2 + (j * Math.PI) / (2 * rings);
    const points = [];
    for (let s = 0; s <= around; s++) {
      const a = (2 * Math.PI * s) / around;
      const normal = [Math.cos(polar) * Math.cos(a), Math.cos(polar) * Math.sin(a), Math.sin(polar)];
      points.push([V.add(V.scale(normal, radius), [0, 0, lower ? -half : half]), normal]);
    }
    return points;
  };
  for (let i = 0; i <= 2 * rings; i++) {
    const [low, high] = [row(i), row(i + 1)];
    for (let s = 0; s < around; s++) {
      const quad = [low[s], low[s + 1], high[s + 1], high[s]].map(([p, n]) => [place(p), place(n, true)]);
      for (const [a, b, c] of [[0, 1, 2], [0, 2, 3]]) {
        mesh.triangle(item, quad[a][0], quad[b][0], quad[c][0], [quad[a][1], quad[b][1], quad[c][1]]);
      }
    }
  }
}

// A frustum about the z axis, of whose rims the points over the x axis are given.
function frustum(mesh, item, place, [[low, , down], [high, , up]]) {
  const around = 32, slant = low - high, length = up - down;
  const turn = (s) => [Math.cos((2 * Math.PI * s) / around), Math.sin((2 * Math.PI * s) / around)];
  const rim = (radius, z, s) => { const [c, d] = turn(s); return place([radius * c, radius * d, z]); };
  for (let s = 0; s < around; s++) {
    const normals = [s, s + 1].map((k) => { const [c, d] = turn(k); return place(V.unit([length * c, length * d, slant]), true); });
    const [a, b, c, d] = [rim(low, down, s), rim(low, down, s + 1), rim(high, up, s + 1), rim(high, up, s)];
    if (low > 0) mesh.triangle(item, a, b, c, [normals[0], normals[1], normals[1]]);
    if (high > 0) mesh.triangle(item, a, c, d, [normals[0], normals[1], normals[0]]);
  }
  const ring = (radius, z) => Array.from({ length: around }, (_, s) => rim(radius, z, s));
  if (low > 0) mesh.loop(item, ring(low, down).reverse());
  if (high > 0) mesh.loop(item, ring(high, up));
  // A line that is fixed to it shows how it rolls.
  mesh.line(item, rim(low, down, 0), rim(high, up, 0));
}

// A rounded polyhedron: its faces moved out, strips along its edges, fans at its corners.
function rounded(mesh, item, vertices, faces, radius) {
  const steps = 3, sides = new Map(), at = vertices.map(() => []);
  const out = (v, n) => V.add(vertices[v], V.scale(n, radius));
  const normals = faces.map((f) => V.unit(V.cross(V.sub(vertices[f[1]], vertices[f[0]]), V.sub(vertices[f[2]], vertices[f[0]]))));
  const quad = (corners, turned) => {
    for (let i = 2; i < corners.length; i++) mesh.triangle(item, corners[0], corners[i - 1], corners[i], [turned[0], turned[i - 1], turned[i]]);
  };
  faces.forEach((face, f) => {
    mesh.loop(item, face.map((v) => out(v, normals[f])), false);
    face.forEach((v, i) => sides.set(v + "," + face[(i + 1) % face.length], f));
  });
  for (const [side, f] of sides) {
    const [a, b] = side.split(",").map(Number), g = sides.get(b + "," + a);
    if (a > b || g === undefined) continue;
    const arc = Array.from({ length: steps + 1 }, (_, k) => V.unit(V.add(V.scale(normals[f], 1 - k / steps), V.scale(normals[g], k / steps))));
    for (let k = 0; k < steps; k++) {
      const [p, q] = [arc[k], arc[k + 1]];
      quad([out(b, p), out(a, p), out(a, q), out(b, q)], [p, p, q, q]);
      at[a].push([q, p]);
      at[b].push([p, q]);
    }
  }
  at.forEach((arcs, v) => {
    const middle = V.unit(arcs.reduce((sum, [p, q]) => V.add(sum, V.add(p, q)), [0, 0, 0]));
    for (const [p, q] of arcs) {
      const [r, s] = [p, q].map((n) => V.unit(V.add(n, middle)));
      for (const patch of [[p, q, s, r], [r, s, middle]]) quad(patch.map((n) => out(v, n)), patch);
    }
  });
}

// A rounded polygon or segment of the plane.
function roundedOutline(vertices, radius) {
  const steps = 6, count = vertices.length, outline = [];
  const normal = (i) => { const [x, y] = V.unit(V.sub(vertices[(i + 1) % count], vertices[i % count])); return Math.atan2(-x, y); };
  for (let i = 0; i < count; i++) {
    const from = normal(i + count - 1), angle = (normal(i) - from + 4 * Math.PI) % (2 * Math.PI);
    for (let k = 0; k <= steps; k++) {
      const a = from + (angle * k) / steps;
      outline.push(V.add(vertices[i], [radius * Math.cos(a), radius * Math.sin(a), 0]));
    }
  }
  return outline;
}

// Half-planes of a frame, in the same way.
function halfPlanes(run, frame) {
  return run.things.parts.filter((part) => part.kind === KIND.half && part.owner < 0 && frame.present[-1 - part.owner]).map((part) => {
    const i = -1 - part.owner, angle = frame.turn[i] + part.rotation[0], [c, s] = [Math.cos(frame.turn[i]), Math.sin(frame.turn[i])];
    const [x, y] = part.position;
    return { point: [frame.place[2 * i] + c * x - s * y, frame.place[2 * i + 1] + s * x + c * y, 0], normal: [-Math.sin(angle), Math.cos(angle), 0] };
  });
}

// A half-space: what is drawn of its plane, the outline, and the grid. Normals are twice as long as others: that marks
// surfaces that are seen from outside only.
function wall(mesh, walls, item, plane, others, box, grid) {
  const polygon = wallPolygon(plane, others, box);
  if (!polygon.length) return;
  const own = polygon.map(plane.own), normal = V.scale(plane.back(plane.normal), 2);
  for (let i = 2; i < own.length; i++) mesh.triangle(item, own[0], own[i - 1], own[i], normal);
  own.forEach((corner, i) => mesh.line(item, corner, own[(i + 1) % own.length], normal));
  for (const [a, b] of gridLines(polygon, plane.normal, grid)) walls.line(item, plane.own(a), plane.own(b), normal);
}

// Half-spaces that are there in a frame: points and normals in world axes, and the way back to their own.
function halfSpaces(run, frame) {
  const found = new Map();
  run.things.parts.forEach((part, index) => {
    if (part.kind !== KIND.half || part.owner >= 0) return;
    const i = -1 - part.owner;
    if (!frame.present[i]) return;
    const turn = [...frame.turn.subarray(4 * i, 4 * i + 4)], place = [...frame.place.subarray(3 * i, 3 * i + 3)];
    const world = (v) => turned(turn, turned(part.rotation, v));
    const back = (v) => turned([-turn[0], -turn[1], -turn[2], turn[3]], v);
    found.set(index, { point: V.add(place, turned(turn, part.position)), normal: world([0, 0, 1]), own: (p) => back(V.sub(p, place)), back });
  });
  return found;
}

function buildShapes(run, first, box, grid) {
  const extent = V.norm(V.sub(box[1], box[0])) || 1;
  const { things } = run, flat = run.dimension === 2;
  const mesh = new Mesh(), walls = new Mesh(), round = { centres: [], items: [] };
  const count = things.volume.length, far = 3 * extent;
  const planes = flat ? new Map() : halfSpaces(run, first);
  things.parts.forEach((part, index) => {
    const item = part.owner >= 0 ? part.owner : count - 1 - part.owner;
    const spatial = (v) => (flat ? [v[0], v[1], 0] : v);
    const quaternion = flat ? [0, 0, Math.sin(part.rotation[0] / 2), Math.cos(part.rotation[0] / 2)] : part.rotation;
    const at = spatial(part.position);
    const place = (v, direction) => (direction ? turned(quaternion, v) : V.add(at, turned(quaternion, v)));
    const vertices = (part.vertices || []).map((v) => place(spatial(v)));
    if (part.kind === KIND.round) {
      round.centres.push(...at, part.radius);
      round.items.push(item);
    } else if (part.kind === KIND.capsule) {
      capsule(mesh, item, place, part.radius, part.half_length);
    } else if (part.kind === KIND.convex) {
      part.faces.forEach((face) => mesh.loop(item, face.map((i) => vertices[i])));
    } else if (part.kind === KIND.frustum) {
      frustum(mesh, item, place, part.vertices);
    } else if (part.kind === KIND.rounded && flat) {
      mesh.loop(item, roundedOutline(vertices, part.radius));
    } else if (part.kind === KIND.rounded) {
      rounded(mesh, item, vertices, part.faces, part.radius);
    } else if (part.kind === KIND.triangle) {
      mesh.loop(item, vertices, false);
    } else if (part.kind === KIND.segment) {
      mesh.line(item, vertices[0], vertices[1]);
    } else if (flat) {
      const corners = [[-far, 0, 0], [-far, -far, 0], [far, -far, 0], [far, 0, 0]].map((v) => place(v));
      mesh.loop(item, corners, false);
      mesh.line(item, corners[0], corners[3]);
    } else if (planes.has(index)) {
      wall(mesh, walls, item, planes.get(index), [...planes.values()], box, grid);
    }
    if (part.owner >= 0) mesh.bodyVertices = mesh.items.length;
  });
  return { mesh, walls, round, items: count + things.boundary_count, bodies: count };
}
