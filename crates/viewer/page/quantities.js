// What is seen by colour: of each body, and of each node of deformable solids.
"use strict";

// Numbers that are worked on anew with each frame; it only grows.
let scratch = new Float64Array(0);
function scratchOf(count) {
  if (scratch.length < count) scratch = new Float64Array(2 * count);
  return scratch.subarray(0, count);
}

// The number that a share of all is at most, without sorting them all: Hoare's selection. Changes their order.
function quantile(numbers, share) {
  if (!numbers.length) return 0;
  const wanted = Math.floor(share * (numbers.length - 1));
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const pivot = numbers[(low + high) >> 1];
    let [i, j] = [low, high];
    while (i <= j) {
      while (numbers[i] < pivot) i++;
      while (numbers[j] > pivot) j--;
      if (i <= j) {
        const other = numbers[i];
        numbers[i++] = numbers[j];
        numbers[j--] = other;
      }
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return numbers[wanted];
}

const zeros = (frame) => new Float64Array(frame.n);

// The length of row c of an array of vectors.
function rowSize(array, c, d) {
  let sum = 0;
  for (let a = c * d; a < c * d + d; a++) sum += array[a] * array[a];
  return Math.sqrt(sum);
}

// A number of each body; arrays are made by loops, which are many times as fast as `from` with a function.
function ofEach(count, number) {
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = number(i);
  return values;
}

const sizes = (frame, array, d) => ofEach(frame.n, (i) => rowSize(array, i, d));

// Mean of the eigenvalues of the internal moments of contact forces, over the volume (Moreau 2003, §9).
function pressures(frame, run) {
  const d = run.dimension, moment = new Float64Array(frame.n);
  for (let side = 0; side < 2; side++) {
    const owners = side ? frame.second : frame.first, sign = side ? -1 : 1;
    for (let c = 0; c < frame.k; c++) {
      const owner = owners[c];
      if (owner < 0) continue;
      let work = 0;
      for (let i = 0; i < d; i++) {
        work += sign * frame.force[c * d + i] * (frame.point[c * d + i] - frame.position[owner * d + i]);
      }
      moment[owner] -= work;
    }
  }
  for (let i = 0; i < frame.n; i++) moment[i] = Math.abs(moment[i]) / (d * (run.things.volume[i] || 1));
  return moment;
}

// Joins a number of each contact to the bodies that it touches.
function overContacts(frame, of, join) {
  const values = new Float64Array(frame.n);
  for (let c = 0; c < frame.k; c++) {
    const number = of(c);
    if (number === 0) continue;
    const first = frame.first[c], second = frame.second[c];
    if (first >= 0) values[first] = join(values[first], number);
    if (second >= 0) values[second] = join(values[second], number);
  }
  return values;
}

// The way of each body from where it was first seen.
function displacements(frame, run, page) {
  const d = run.dimension, from = page.starts, values = new Float64Array(d * frame.n);
  for (let i = 0; from && i < values.length; i++) values[i] = Number.isNaN(from[i]) ? 0 : frame.position[i] - from[i];
  return values;
}

// The sum of the contact forces on each body.
function netForces(frame, run) {
  const d = run.dimension, values = new Float64Array(d * frame.n);
  for (let c = 0; c < frame.k; c++) {
    for (let a = 0; a < d; a++) {
      if (frame.first[c] >= 0) values[frame.first[c] * d + a] += frame.force[c * d + a];
      if (frame.second[c] >= 0) values[frame.second[c] * d + a] -= frame.force[c * d + a];
    }
  }
  return values;
}

const component = (array, a) => (frame, run) => ofEach(frame.n, (i) => frame[array][i * run.dimension + a]);

// The groups of bodies by their names: what stands before a number at the end, or before a slash.
function groupsOf(run) {
  if (run.groups) return run.groups;
  const kinds = new Map(), of = [];
  for (let i = 0; i < run.things.volume.length; i++) {
    const name = (run.things.names[i] || "others").replace(/[/].*$/, "").replace(/ \d+$/, "");
    if (!kinds.has(name)) kinds.set(name, kinds.size);
    of.push(kinds.get(name));
  }
  return (run.groups = { names: [...kinds.keys()], of });
}

// Vectors that can be seen as arrows.
const ARROWS = {
  velocity: (frame) => frame.velocity,
  displacement: displacements,
  "contact force": netForces,
};

// What is too little to be seen as colour: a thousandth of the speed that all bodies would have with the largest kinetic
// energy, and a millionth of a body's width in the whole run.
function leastRange(key, run) {
  if (key !== "speed" && !key.startsWith("velocity")) return 0;
  const energy = (run.curves.ledger.kinetic || []).reduce((most, value) => Math.max(most, value || 0), 0);
  const mass = [...run.things.mass, ...run.things.solids.map((solid) => solid.mass)].reduce((sum, m) => sum + m, 0);
  return Math.max(mass > 0 ? 1e-3 * Math.sqrt((2 * energy) / mass) : 0, (1e-6 * run.things.typical) / (run.end || 1));
}

// Name, unit, value of each body in a frame, value of each node of solids.
const QUANTITIES = {
  speed: ["speed", "m/s", (frame, run) => sizes(frame, frame.velocity, run.dimension), (frame) => frame.nodes.speed],
  spin: ["spin", "rad/s", (frame, run) => sizes(frame, frame.spin, run.dimension === 2 ? 1 : 3)],
  displacement: ["displacement", "m", (frame, run, page) => sizes(frame, displacements(frame, run, page), run.dimension)],
  velocity_x: ["velocity x", "m/s", component("velocity", 0)],
  velocity_y: ["velocity y", "m/s", component("velocity", 1)],
  velocity_z: ["velocity z", "m/s", component("velocity", 2)],
  force: ["largest force", "N", (frame, run) => overContacts(frame, (c) => rowSize(frame.force, c, run.dimension), Math.max)],
  mobilised: ["friction mobilised", "", (frame) => overContacts(frame, (c) => frame.mobilised[c], Math.max)],
  stress: ["mean stress", (run) => (run.dimension === 2 ? "N/m" : "Pa"), pressures],
  net: ["sum of contact forces", "N", (frame, run) => sizes(frame, netForces(frame, run), run.dimension)],
  overlap: ["overlap", "m", (frame) => overContacts(frame, (c) => Math.max(0, -frame.gap[c]), Math.max)],
  contacts: ["contacts", "", (frame) => overContacts(frame, (c) => Number(frame.status[c] > 0), (a, b) => a + b)],
  birth: ["birth", "s", (frame) => Float64Array.from(frame.birth)],
  width: ["width", "m", (frame, run) => ofEach(frame.n, (i) => run.things.width[i])],
  mass: ["mass", "g", (frame, run) => ofEach(frame.n, (i) => 1e3 * run.things.mass[i])],
  group: ["group", "", (frame, run) => ofEach(frame.n, (i) => groupsOf(run).of[i])],
  material: ["material", "", (frame, run) => ofEach(frame.n, (i) => run.things.material[i])],
  von_mises: ["von Mises stress", "Pa", zeros, (frame) => frame.nodes.vonMises],
  shear: ["shear stress xy", "Pa", zeros, (frame) => frame.nodes.shear],
  plain: ["", "", zeros],
};

// Quantities of either sign have zero in the middle of their scale.
const SIGNED = new Set(["shear", "velocity_x", "velocity_y", "velocity_z"]);
const OF_SPACE = ["velocity_z"];
// Those that name kinds have a colour for each.
const KINDS = new Set(["material", "group"]);
const namesOf = (key, run) => (key === "group" ? groupsOf(run).names : run.materials);
// Those that only deformable solids have, and those that only bodies have.
const OF_SOLIDS = ["von_mises", "shear"], OF_BODIES = Object.keys(QUANTITIES).filter((key) => ![...OF_SOLIDS, "speed", "plain"].includes(key));

function quantityUnit(key, run) {
  const unit = QUANTITIES[key][1];
  return typeof unit === "function" ? unit(run) : unit;
}

// From values to places on the scale of colours, 0 to 1. Steps are those of Moreau's avalanches: each threshold is
// 0.18 times the one above it.
const STEP = 0.18, STEPS = 5;
const SCALES = {
  linear: (low, high) => (value) => (value - low) / (high - low || 1),
  logarithmic: (low, high) => {
    const bottom = low > 0 ? low : high * 1e-4;
    return (value) => Math.log(Math.max(value, bottom) / bottom) / Math.log(high / bottom || 2);
  },
  steps: (low, high) => (value) => {
    let step = STEPS;
    for (let threshold = high; step > 0 && value < threshold; threshold *= STEP) step--;
    return step / STEPS;
  },
};

// The prefix of a unit that suits a value, and what it stands for.
function prefixOf(value) {
  const steps = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  return steps.find(([factor]) => Math.abs(value) >= 0.9995 * factor) || [1, ""];
}

// A number with three digits and a prefix where that is shorter.
function written(value, unit = "") {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return unit ? `0 ${unit}` : "0";
  if (!unit) {
    const size = Math.abs(value);
    return size >= 1e-3 && size < 1e6 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
  }
  const [factor, prefix] = prefixOf(value);
  const scaled = value / factor;
  const digits = Math.abs(value) < 1e-9 ? value.toExponential(1) : String(Number(scaled.toPrecision(3)));
  return `${digits} ${prefix}${unit}`;
}
