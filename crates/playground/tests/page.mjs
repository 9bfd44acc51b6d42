// Looks at the playground as a user would: `node page.mjs SITE SHOTS HASH HASH`, where SITE is its folder, SHOTS takes
// screenshots, and the hashes are those of `sliding_block` and `bar_falls` at their ends. Prints one line for each thing that
// was seen.
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
const require = createRequire(process.env.PLAYWRIGHT_FROM || import.meta.url);
const { chromium } = require("playwright-core");

const [site, shots, slidingHash, fallingHash] = process.argv.slice(2);
const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };
const server = createServer(async (request, answer) => {
  const path = normalize(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html");
  try {
    const body = await readFile(join(site, path));
    answer.writeHead(200, { "content-type": KINDS[extname(path)] || "text/plain" }).end(body);
  } catch {
    answer.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;
const flags = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags });
const failures = [], errors = [];

function must(what, good) {
  console.log(`${good ? "ok" : "FAILED"}: ${what}`);
  if (!good) failures.push(what);
}

async function tab(hash = "") {
  const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
  page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(address + hash);
  return page;
}
const until = (page, what, ...given) => page.waitForFunction(what, ...given).then(() => true, () => false);
// Busy machines without a graphics processor are slow.
const limit = { timeout: 180000 };
const moving = (page) => until(page, () => {
  const { page: inner } = document.getElementById("view").contentWindow;
  return inner && inner.frame && inner.frame.time > 0 && inner.index > 0;
}, null, limit);
const shot = (page, name) => page.screenshot({ path: `${shots}/${name}.png` });
const state = (page) => page.evaluate(() => document.getElementById("figures").innerText);
const finished = (page) => until(page, () => {
  const { summary, live, number } = window.playground;
  return summary && summary.status === "finished" && live && live.number === number && live.page.frame && live.run.status === "finished";
}, null, limit);

// From opening to the first frame that is not the start.
const begun = Date.now(), page = await tab();
must("a scene of the gallery moves by itself", await moving(page));
console.log(`first moving frame after ${Date.now() - begun} ms`);
await page.waitForTimeout(1500);
must("the verdict is told", (await state(page)).includes("trusted"));
await shot(page, "wall");

// An error is shown in its place, as the program tells it.
await page.evaluate(() => {
  const field = document.querySelector("#editor textarea");
  field.value = field.value.replace("[default_law]\nfriction", "[default_law]\nfricton");
  field.dispatchEvent(new Event("input"));
});
must("an error is shown in its line", await until(page, () => document.querySelector("#editor .lens.error")?.textContent.includes("did you mean `friction`?"), null, limit));
must("the program's message stands below", await page.evaluate(() => document.getElementById("problems").innerText.includes("did you mean `friction`?")));
must("its letters are marked", (await page.evaluate(() => document.querySelector("#editor mark").textContent)) === "fricton");
must("the run goes on meanwhile", await page.evaluate(() => window.playground.live.run.status === "running"));
await shot(page, "error");

// What could stand there, and how it is put in.
await page.evaluate(() => {
  const field = document.querySelector("#editor textarea");
  field.value = "[ti";
  field.focus();
  field.setSelectionRange(3, 3);
  field.dispatchEvent(new Event("input"));
});
must("words are suggested", await until(page, () => [...document.querySelectorAll("#editor .words li")].some((row) => row.textContent.startsWith("time")), null, limit));
await shot(page, "words");
await page.keyboard.press("Enter");
must("a word is put in", (await page.evaluate(() => document.querySelector("#editor textarea").value)) === "[time");

// To the end, in the bits of the program, watched and as fast as it goes.
for (const [scene, ahead, hash] of [["bar_falls", false, fallingHash], ["sliding_block", true, slidingHash]]) {
  await page.evaluate(async ([name, on]) => {
    window.playground.summary = null;
    document.getElementById("ahead").checked = on;
    await window.playground.choose(name);
  }, [scene, ahead]);
  must(`${scene} comes to its end`, await finished(page));
  const found = await page.evaluate(() => window.playground.summary.state_hash);
  must(`${scene} has the bits of the program: ${found}`, found === hash);
}
await shot(page, "sliding_block");

// Another value for a key.
await page.evaluate(() => {
  const changes = document.getElementById("changes");
  window.playground.summary = null;
  changes.value = "default_law.friction=0.6";
  changes.dispatchEvent(new Event("change"));
});
must("it runs with another value", await finished(page));
const way = await page.evaluate(async () => {
  const { live } = window.playground, frame = await live.page.frames.get(live.frames.length - 1);
  return frame.position[0];
});
must(`it slides ${way.toFixed(4)} m: v²/2μg`, Math.abs(way - 9 / (2 * 0.6 * 9.81)) < 1e-4);

// A link holds what was written.
const link = await page.evaluate(async () => {
  window.playground.editor.text = `# own\n${window.playground.editor.text}`;
  return window.playground.link();
});
const other = await tab(`#${link.split("#")[1]}`);
must("a link brings the scene", await until(other, () => window.playground.editor.text.startsWith("# own\n"), null, limit));
must("and its other values", (await other.evaluate(() => document.getElementById("changes").value)) === "default_law.friction=0.6");
must("and runs it", await moving(other));
console.log(`the link has ${link.length} letters`);
await other.close();

// Dragging, in the plane and in space: a body follows the pointer.
for (const scene of ["rocking_block", "tumbling"]) {
  const drag = await tab(`#gallery=${scene}`);
  must(`${scene} moves`, await moving(drag));
  await drag.waitForTimeout(300);
  const place = await drag.evaluate(() => {
    const inner = document.getElementById("view").contentWindow, { page } = inner, view = inner.document.getElementById("view");
    const outer = document.getElementById("view").getBoundingClientRect(), box = view.getBoundingClientRect();
    // A place of the picture where a body is seen, near the middle.
    for (let r = 0; r < 0.45; r += 0.02) for (let a = 0; a < 6.28; a += 0.5) {
      const [x, y] = [0.5 + r * Math.cos(a), 0.5 + r * Math.sin(a)];
      const { item } = page.painter.pick(page.look(), Math.floor(x * view.width), Math.floor(y * view.height));
      if (item >= 0 && item < page.frame.n) return { item, x: outer.left + box.left + x * box.width, y: outer.top + box.top + y * box.height };
    }
    return null;
  });
  must(`${scene}: a body is seen`, place !== null);
  await drag.mouse.move(place.x, place.y);
  await drag.mouse.down();
  await drag.mouse.move(place.x + 10, place.y - 20);
  const held = await drag.evaluate(() => window.playground.live.held);
  must(`${scene}: a body is held`, held !== null && held !== undefined);
  await drag.mouse.move(place.x + 40, place.y - 120, { steps: 6 });
  const near = () => drag.evaluate(() => {
    const { live } = window.playground, { held } = live, { at } = live.pose(held.body);
    const away = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
    return { left: away(at, held.target), way: away(held.point, held.target) };
  });
  let found = await near();
  for (let i = 0; i < 240 && found.left > 0.6 * found.way; i++) { await drag.waitForTimeout(250); found = await near(); }
  must(`${scene}: it follows the pointer (${found.left.toPrecision(3)} of ${found.way.toPrecision(3)} m left)`, found.left < 0.6 * found.way);
  await shot(drag, `drag-${scene}`);
  await drag.mouse.up();
  must(`${scene}: it is let go`, await drag.evaluate(() => window.playground.live.held === null));
  const closes = await drag.evaluate(() => window.playground.summary.energy.closure_max);
  must(`${scene}: the ledger closes to ${closes.toExponential(1)}`, closes < 1e-10);
  await drag.close();
}
must(`no errors: ${errors.join("; ") || "none"}`, errors.length === 0);
await browser.close();
server.close();
process.exit(failures.length ? 1 : 0);
