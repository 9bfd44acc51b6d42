// The shapes of a run as buffers for drawing: one mesh for all that has faces, one list for all that
// is round. Every vertex knows its item: bodies first, then boundaries.
"use strict";

const KIND = { round: 0, convex: 1, half: 2, segment: 3, capsule: 4, triangle: 5 };

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
