// Half-spaces as they are drawn in space: each a piece of its plane, cut off by the others and by a box around the scene, with
// a grid of round lengths on it.
"use strict";

// What is left of a polygon on the side to which the normal points.
function cutPolygon(polygon, point, normal) {
  const kept = [], height = polygon.map((p) => V.dot(V.sub(p, point), normal));
  polygon.forEach((p, i) => {
    const j = (i + 1) % polygon.length;
    if (height[i] >= 0) kept.push(p);
    if ((height[i] >= 0) !== (height[j] >= 0)) {
      const share = height[i] / (height[i] - height[j]);
      kept.push(V.add(p, V.scale(V.sub(polygon[j], p), share)));
    }
  });
  return kept;
}

// Two directions in a plane, the first as level as can be.
function directionsIn(normal) {
  const first = Math.abs(normal[2]) > 0.99 ? [1, 0, 0] : V.unit(V.cross([0, 0, 1], normal));
  return [first, V.cross(normal, first)];
}

// A length of 1, 2 or 5 times a power of ten that is at least so long.
function roundLength(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((m) => m * power >= least * (1 - 1e-9));
}

// The piece of a half-space's plane that is drawn.
function wallPolygon(plane, others, box) {
  const size = V.norm(V.sub(box[1], box[0])), middle = V.scale(V.add(box[0], box[1]), 0.5);
  const foot = V.sub(middle, V.scale(plane.normal, V.dot(V.sub(middle, plane.point), plane.normal)));
  const [e, f] = directionsIn(plane.normal).map((v) => V.scale(v, 2 * size));
  let polygon = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => V.add(foot, V.add(V.scale(e, a), V.scale(f, b))));
  for (const other of others) {
    if (other !== plane && Math.abs(V.dot(other.normal, plane.normal)) < 0.999) polygon = cutPolygon(polygon, other.point, other.normal);
  }
  for (let a = 0; a < 3; a++) {
    for (const [k, sign] of [[0, 1], [1, -1]]) {
      const normal = [0, 1, 2].map((i) => (i === a ? sign : 0));
      // A plane that the scene has yet to reach is not cut off by it.
      if (Math.abs(V.dot(normal, plane.normal)) < 0.7) polygon = cutPolygon(polygon, box[k], normal);
    }
  }
  return polygon.length < 3 ? [] : polygon;
}

// Lines of the grid on a piece of a plane, as pairs of points.
function gridLines(polygon, normal, step) {
  const lines = [];
  for (const along of directionsIn(normal)) {
    const across = V.cross(normal, along), heights = polygon.map((p) => V.dot(p, across));
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    for (let h = Math.ceil(low / step) * step; h < high - 1e-6 * step && lines.length < 400; h += step) {
      const ends = [];
      polygon.forEach((p, i) => {
        const j = (i + 1) % polygon.length;
        if ((heights[i] < h) === (heights[j] < h)) return;
        ends.push(V.add(p, V.scale(V.sub(polygon[j], p), (h - heights[i]) / (heights[j] - heights[i]))));
      });
      if (ends.length === 2) lines.push(ends);
    }
  }
  return lines;
}
