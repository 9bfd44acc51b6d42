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
    mobilised: take(k), first: take(k, Int32Array), second: take(k, Int32Array), status: take(k, Uint8Array),
  };
  at += -at & 3;
  const [nodes, touches] = take(2, Uint32Array);
  frame.nodes = { n: nodes, position: take(nodes * d), speed: take(nodes), vonMises: take(nodes), shear: take(nodes) };
  frame.touches = { k: touches, point: take(touches * d), force: take(touches * d), solid: take(touches, Int32Array) };
  const [bonds] = take(1, Uint32Array);
  frame.bonds = { n: bonds, place: take(bonds * d), normal: take(bonds * d), area: take(bonds), damage: take(bonds), opening: take(bonds) };
  frame.broken = take(Math.min(run.things.joints.length, buffer.byteLength - at), Uint8Array);
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
