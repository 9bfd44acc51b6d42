// What the camera should see: the scene's own view, or else all that moves, without the few that flew away.
"use strict";

// A box that holds nothing yet.
const emptyBox = () => [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
const isEmpty = (box) => !(box[0][0] <= box[1][0]);

function grow(box, point, reach, d) {
  for (let a = 0; a < 3; a++) {
    const x = a < d ? point(a) : 0, r = a < d ? reach : 0;
    if (!Number.isFinite(x)) return;
    box[0][a] = Math.min(box[0][a], x - r);
    box[1][a] = Math.max(box[1][a], x + r);
  }
}

const joined = (a, b) => [a[0].map((x, i) => Math.min(x, b[0][i])), a[1].map((x, i) => Math.max(x, b[1][i]))];

// The box around all bodies and solids of a frame, without bodies beyond limits; empty where there are none.
function frameBox(frame, run, limits) {
  const d = run.dimension, box = emptyBox(), [low, high] = box, { position, n } = frame, { reach } = run.things;
  const [from, to] = limits || [[-Infinity, -Infinity, -Infinity], [Infinity, Infinity, Infinity]];
  for (let i = 0; i < n; i++) {
    let inside = true;
    for (let a = 0; a < d; a++) inside = inside && position[i * d + a] >= from[a] && position[i * d + a] <= to[a];
    for (let a = 0; inside && a < 3; a++) {
      const x = a < d ? position[i * d + a] : 0, r = a < d ? reach[i] : 0;
      if (x - r < low[a]) low[a] = x - r;
      if (x + r > high[a]) high[a] = x + r;
    }
  }
  for (let i = 0; i < frame.nodes.n; i++) grow(box, (a) => frame.nodes.position[i * d + a], 0, d);
  return box;
}

// The same without bodies that lie far outside of where 19 of 20 are: they left, and would make the rest small.
function settledBox(frame, run) {
  const d = run.dimension;
  if (frame.n < 20) return frameBox(frame, run);
  const limits = [[], []], places = scratchOf(frame.n);
  for (let a = 0; a < d; a++) {
    for (let i = 0; i < frame.n; i++) places[i] = frame.position[i * d + a];
    const [low, high] = [quantile(places, 0.025), quantile(places, 0.975)], room = 2 * (high - low) + 4 * run.things.typical;
    limits[0].push(low - room);
    limits[1].push(high + room);
  }
  return frameBox(frame, run, limits);
}

// A box with some room around it, so that a single body is not all that is seen.
function roomy(box, run) {
  if (isEmpty(box)) return [[-1, -1, run.dimension === 2 ? 0 : -1], [1, 1, run.dimension === 2 ? 0 : 1]];
  const d = run.dimension, least = 3 * run.things.typical;
  const size = Math.max(least, ...box[1].map((x, a) => x - box[0][a]));
  return [0, 1].map((k) => box[k].map((x, a) => {
    if (a >= d) return 0;
    const lack = Math.max(0, 0.25 * size - (box[1][a] - box[0][a]));
    return x + (k ? 0.5 : -0.5) * lack;
  }));
}

// The same with what stands still around it: boundaries that are not much larger, and planes that are near.
function withBoundaries(box, frame, run, planes) {
  const d = run.dimension, size = V.norm(V.sub(box[1], box[0])), parts = new Map();
  run.things.parts.forEach((part) => {
    if (part.owner >= 0 || part.kind === KIND.half || !frame.present[-1 - part.owner]) return;
    const own = parts.get(part.owner) || emptyBox(), i = -1 - part.owner;
    const turn = d === 2 ? [0, 0, Math.sin(frame.turn[i] / 2), Math.cos(frame.turn[i] / 2)] : [...frame.turn.subarray(4 * i, 4 * i + 4)];
    const spin = d === 2 ? [0, 0, Math.sin(part.rotation[0] / 2), Math.cos(part.rotation[0] / 2)] : part.rotation;
    const spatial = (v) => (d === 2 ? [v[0], v[1], 0] : v);
    const world = (v) => turned(turn, V.add(spatial(part.position), turned(spin, spatial(v))));
    const reach = (part.radius || 0) + (part.half_length || 0);
    for (const v of part.vertices || [[0, 0, 0]]) grow(own, (a) => world(v)[a] + frame.place[d * i + a], reach, d);
    parts.set(part.owner, own);
  });
  let all = box;
  for (const own of parts.values()) if (V.norm(V.sub(own[1], own[0])) < 2.5 * size) all = joined(all, own);
  for (const { point, normal } of planes) {
    const middle = V.scale(V.add(box[0], box[1]), 0.5);
    const foot = V.sub(middle, V.scale(normal, V.dot(V.sub(middle, point), normal)));
    const beyond = foot.map((x, a) => Math.max(0, box[0][a] - x, x - box[1][a]));
    if (V.norm(beyond) < 0.5 * size) grow(all = [[...all[0]], [...all[1]]], (a) => foot[a], 0, d);
  }
  return all;
}

// Follows what moves: at once where it leaves the box, and not before it has become much smaller.
class Framing {
  constructor(run) {
    this.run = run;
    this.given = run.view && run.view.map((corner) => (run.dimension === 2 ? [corner[0], corner[1], 0] : corner));
    this.box = this.given || emptyBox();
  }
  // The box to be seen in a frame.
  of(frame) {
    const box = settledBox(frame, this.run);
    if (isEmpty(box)) return roomy(isEmpty(this.box) ? box : this.box, this.run);
    return withBoundaries(roomy(box, this.run), frame, this.run, this.run.dimension === 2 ? halfPlanes(this.run, frame) : [...halfSpaces(this.run, frame).values()]);
  }
  // Takes in a frame; whether the box has changed.
  follow(frame) {
    if (this.given) return false;
    const wanted = this.of(frame), size = (box) => V.norm(V.sub(box[1], box[0]));
    const leaves = isEmpty(this.box) || wanted[0].some((x, a) => x < this.box[0][a]) || wanted[1].some((x, a) => x > this.box[1][a]);
    if (!leaves && size(wanted) > 0.6 * size(this.box)) return false;
    // Some room to move in, so that it does not change with every frame.
    const room = isEmpty(this.box) || !leaves ? 0 : 0.04 * size(wanted);
    this.box = wanted.map((corner, k) => corner.map((x, a) => (a < this.run.dimension ? x + (k ? room : -room) : 0)));
    return true;
  }
}
