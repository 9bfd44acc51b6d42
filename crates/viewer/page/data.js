// Where runs come from: the server that gave this page, or the page itself. A frame is one block of
// little-endian numbers, as crates/viewer/src/compact.rs writes it.
"use strict";

function decodeFrame(buffer, run) {
  const head = new DataView(buffer);
  const [n, m, k] = [0, 4, 8].map((at) => head.getUint32(at, true));
  const d = run.dimension, r = d === 2 ? 1 : 4, w = d === 2 ? 1 : 3;
  let at = 24;
  const take = (count, Type = Float32Array) => {
    const array = new Type(buffer, at, count);
    at += array.byteLength;
    return array;
  };
  const frame = {
    n, m, k, step: head.getUint32(12, true), time: head.getFloat64(16, true),
    position: take(n * d), rotation: take(n * r), velocity: take(n * d), spin: take(n * w), birth: take(n),
    place: take(m * d), turn: take(m * r), present: take(m),
    point: take(k * d), force: take(k * d), gap: take(k),
    first: take(k, Int32Array), second: take(k, Int32Array), status: take(k, Uint8Array),
  };
  at += -at & 3;
  const [nodes, touches] = take(2, Uint32Array);
  frame.nodes = { n: nodes, position: take(nodes * d), speed: take(nodes), vonMises: take(nodes), shear: take(nodes) };
  frame.touches = { k: touches, point: take(touches * d), force: take(touches * d), solid: take(touches, Int32Array) };
  return frame;
}

// Reads what the page itself holds: packed frames in base64.
function embedded(data) {
  const unpack = async (text) => {
    const letters = atob(text), packed = new Uint8Array(letters.length);
    for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).arrayBuffer();
  };
  return {
    live: false,
    run: async () => data.run,
    state: async () => data.run,
    frame: async (index) => unpack(data.frames[index]),
    control: async () => {},
  };
}

// Asks the server.
function served() {
  const get = async (path) => {
    const answer = await fetch(path, { cache: "no-store" });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    live: true,
    run: async () => (await get("run.json")).json(),
    // The same without what never changes.
    state: async () => (await get("state.json")).json(),
    frame: async (index) => (await get(`frame/${index}`)).arrayBuffer(),
    control: async (word) => {
      await fetch(word, { method: "POST", headers: { "X-Drystone": "1" } });
    },
  };
}

// Frames, kept while there is room for them.
class Frames {
  constructor(source, run, room = 256 * 1024 * 1024) {
    Object.assign(this, { source, run, room, used: 0, kept: new Map(), asked: new Map() });
  }
  has(index) { return this.kept.get(index); }
  get(index) {
    const known = this.kept.get(index);
    if (known) {
      // The last ones used stay longest.
      this.kept.delete(index);
      this.kept.set(index, known);
      return Promise.resolve(known);
    }
    if (!this.asked.has(index)) {
      this.asked.set(index, this.source.frame(index).then((buffer) => {
        const frame = decodeFrame(buffer, this.run);
        frame.bytes = buffer.byteLength;
        this.asked.delete(index);
        this.kept.set(index, frame);
        this.used += frame.bytes;
        for (const [old, other] of this.kept) {
          if (this.used <= this.room || old === index) break;
          this.kept.delete(old);
          this.used -= other.bytes;
        }
        return frame;
      }, (error) => { this.asked.delete(index); throw error; }));
    }
    return this.asked.get(index);
  }
}

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

// Internal moments of contact forces.
function pressures(frame, run) {
  // Mean of the eigenvalues of the internal moments of contact forces, over the volume (Moreau 2003, §9).
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

const zeros = (frame) => new Float64Array(frame.n);

// What is seen by colour: name, unit, value of each body in a frame, value of each node of solids.
const QUANTITIES = {
  speed: ["speed", "m/s", (frame, run) => {
    const d = run.dimension, values = new Float64Array(frame.n);
    for (let i = 0; i < frame.n; i++) {
      let sum = 0;
      for (let a = 0; a < d; a++) sum += frame.velocity[i * d + a] ** 2;
      values[i] = Math.sqrt(sum);
    }
    return values;
  }, (frame) => frame.nodes.speed],
  birth: ["birth", "s", (frame) => Float64Array.from(frame.birth)],
  stress: ["mean stress", (run) => (run.dimension === 2 ? "N/m" : "Pa"), pressures],
  contacts: ["contacts", "", (frame) => {
    const values = new Float64Array(frame.n);
    for (let c = 0; c < frame.k; c++) {
      if (frame.status[c] === 0) continue;
      if (frame.first[c] >= 0) values[frame.first[c]]++;
      if (frame.second[c] >= 0) values[frame.second[c]]++;
    }
    return values;
  }],
  von_mises: ["von Mises stress", "Pa", zeros, (frame) => frame.nodes.vonMises],
  shear: ["shear stress xy", "Pa", zeros, (frame) => frame.nodes.shear],
  plain: ["", "", zeros],
};

// Quantities of either sign have zero in the middle of their scale.
const SIGNED = new Set(["shear"]);

function quantityUnit(key, run) {
  const unit = QUANTITIES[key][1];
  return typeof unit === "function" ? unit(run) : unit;
}

// A number with three digits and a prefix where that is shorter.
function written(value, unit = "") {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return unit ? `0 ${unit}` : "0";
  if (!unit) {
    const size = Math.abs(value);
    return size >= 1e-3 && size < 1e6 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
  }
  const steps = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const [factor, prefix] = steps.find(([f]) => Math.abs(value) >= 0.9995 * f) || [1, ""];
  const scaled = value / factor;
  const digits = Math.abs(value) < 1e-9 ? value.toExponential(1) : String(Number(scaled.toPrecision(3)));
  return `${digits} ${prefix}${unit}`;
}
