// The module in Node.js: `node module.mjs SITE SCENE STEPS HASH …`, where SITE is the folder of the playground. Each scene must
// end in its hash. Prints a line for each thing that was seen.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const { Module } = createRequire(import.meta.url)("../page/module.js");

const [site, ...rows] = process.argv.slice(2);
const code = new WebAssembly.Module(readFileSync(`${site}/drystone_playground.wasm`));
let failed = 0;
function must(what, good) {
  console.log(`${good ? "ok" : "FAILED"}: ${what}`);
  failed += !good;
}

must("the module imports nothing", WebAssembly.Module.imports(code).length === 0);
const gallery = JSON.parse(readFileSync(`${site}/scenes/index.json`, "utf8"));
for (let at = 0; at < rows.length; at += 3) {
  const [scene, steps, hash] = rows.slice(at, at + 3), module = await Module.of(code);
  const { files } = gallery.find((one) => one.name === scene);
  const texts = files.map((file) => [file, readFileSync(`${site}/scenes/${file}`, "utf8")]);
  const text = readFileSync(`${site}/scenes/${scene}.toml`, "utf8");
  const opened = module.open({ name: `${scene}.toml`, text, files: Object.fromEntries(texts) });
  if (!opened.run) throw new Error(`${scene}: ${JSON.stringify(opened)}`);
  module.call("set_end", Infinity);
  const begun = performance.now();
  const made = module.call("advance", Infinity, Number(steps)), took = (performance.now() - begun) / steps;
  const { state_hash: found } = module.ask("summary");
  must(`${scene} after ${made} steps: ${found} (${took.toFixed(3)} ms a step)`, found === hash && made === Number(steps));
}

// What is wrong is told with its place, and what could stand there.
const module = await Module.of(code);
const told = module.check({ name: "a.toml", text: "dimension = 2\nfricton = 1\n" });
must("problems have places", told.problems.some((p) => p.line === 2 && p.column === 1 && p.length === 7 && p.found === "`fricton`"));
must("words are suggested", module.suggest("[ti").some((s) => s.word === "time"));
must("without a scene nothing happens", module.call("advance", 1, 10) === 0 && module.ask("summary") === null);
process.exit(failed ? 1 : 0);
