// Computes: one worker runs a scene, another checks what is being written.
"use strict";
importScripts("module.js");

let module, code, session = null;
const wanted = { time: 0, interval: 1 / 60, ahead: false };

const say = (kind, what = {}, given = []) => postMessage({ kind, ...what }, given);

// Other messages come in between.
const door = new MessageChannel(), waiting = [];
door.port1.onmessage = () => waiting.shift()();
const pause = () => new Promise((done) => { waiting.push(done); door.port2.postMessage(0); });

function tell(run) {
  const block = module.frame(), row = module.ask("row");
  run.framed = row.time;
  say("frame", { number: run.number, block, row }, [block]);
}

function summarise(run) {
  run.summarised = performance.now();
  say("summary", { number: run.number, summary: module.ask("summary"), steps: run.steps, spent: run.spent });
}

// Makes steps as far as they are wanted, a few milliseconds at a time.
async function compute(run) {
  let most = 1;
  try {
    for (;;) {
      await pause();
      if (session !== run) return;
      const until = Math.min(wanted.ahead ? Infinity : wanted.time, run.framed + wanted.interval);
      const begun = performance.now();
      const made = module.call("advance", until, most), took = performance.now() - begun;
      run.steps += made;
      run.spent += took;
      if (took < 4) most *= 2;
      else if (took > 12 && most > 1) most = Math.ceil(most / 2);
      most = Math.min(most, 4096);
      const time = module.call("time"), over = !module.call("goes_on");
      if (time >= run.framed + wanted.interval - 0.5 * run.step || (over && time > run.framed)) tell(run);
      if (over) {
        summarise(run);
        run.over = true;
        return;
      }
      if (performance.now() - run.summarised > 250 && made) summarise(run);
      if (!made) await new Promise((done) => { run.wake = done; });
    }
  } catch (error) {
    say("failed", { number: run.number, error: error.message });
    module = await Module.of(code);
  }
}

const acts = {
  async load({ from }) {
    // A server may not know what kind of file a module is.
    code = from instanceof WebAssembly.Module ? from : await WebAssembly.compile(await (await fetch(from)).arrayBuffer());
    module = await Module.of(code);
    say("ready", { code });
  },
  open({ source, number }) {
    const opened = module.open(source);
    session = opened.run ? { number, framed: 0, steps: 0, spent: 0, step: opened.run.time_step, summarised: 0 } : null;
    wanted.time = 0;
    say("opened", { number, opened });
    if (!session) return;
    tell(session);
    compute(session);
  },
  want({ time, interval, ahead }) {
    Object.assign(wanted, { time, interval, ahead });
    if (session && session.wake) { session.wake(); session.wake = null; }
  },
  prolong({ end }) {
    if (!session) return;
    module.call("set_end", end);
    if (session.over) { session.over = false; compute(session); }
  },
  grasp({ body, point }) { if (session) module.call("grasp", body, ...point); },
  pull({ point }) { if (session) module.call("pull", ...point); },
  release() { if (session) module.call("release"); },
  check({ source, id }) { say("answer", { id, answer: module.check(source) }); },
  suggest({ text, id }) { say("answer", { id, answer: module.suggest(text) }); },
};

onmessage = async ({ data }) => {
  // A page that still shows the run before has no say in this one.
  if (session && data.kind !== "open" && data.number !== undefined && data.number !== session.number) return;
  try {
    await acts[data.kind](data);
  } catch (error) {
    say("failed", { number: data.number, id: data.id, error: error.message });
    if (code) module = await Module.of(code);
  }
};
