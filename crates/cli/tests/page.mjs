// Looks at the page as a user would: `node page.mjs URL FILE FOLDER`, where URL is a served run, FILE
// the page of the same run as one file, and FOLDER takes screenshots. Prints one line for each thing
// that was seen, and ends with an error at the first that was not.
import { end, must, open } from "./browser.mjs";

const [url, file, folder] = process.argv.slice(2);

async function look(address, name) {
  const { tab, errors } = await open(address, 800);
  await tab.waitForFunction(() => window.page && window.page.frame, null, { timeout: 60000 });
  // It plays by itself at first.
  must(`${name}: moves`, await tab.waitForFunction(() => window.page.index > 0, null, { timeout: 60000 }).then(() => true, () => false));
  await tab.evaluate(async () => { window.page.play(false); await window.page.show(0); });
  await tab.waitForTimeout(300);
  const shot = (what) => tab.screenshot({ path: `${folder}/${name}-${what}.png` });
  const pixels = () => tab.evaluate(() => document.getElementById("view").toDataURL());
  must(`${name}: loads`, (await tab.title()) !== "drystone");
  await shot("start");

  // The slider moves time, the picture and the cursors of all charts.
  const charts = () => tab.evaluate(() => window.page.charts.map((chart) => chart.canvas.toDataURL()));
  const [before, start] = [await charts(), await pixels()];
  await tab.evaluate(() => { const s = document.getElementById("time"); s.value = Math.floor(s.max / 2); s.dispatchEvent(new Event("input")); });
  await tab.waitForFunction(() => window.page.frame.time === window.page.run.times[window.page.index] && window.page.index > 0);
  await tab.waitForTimeout(500);
  const after = await charts();
  must(`${name}: charts move with the slider`, after.every((chart, i) => chart !== before[i]));
  must(`${name}: the picture moves with the slider`, (await pixels()) !== start);
  await shot("middle");

  // Playing goes on to later frames.
  await tab.evaluate(() => window.page.show(0));
  await tab.keyboard.press("Space");
  const plays = tab.waitForFunction(() => window.page.index >= Math.min(3, window.page.run.times.length - 1), null, { timeout: 60000 });
  must(`${name}: plays`, await plays.then(() => true, () => false));
  // On a slow machine a frame may still be on its way: what is clicked must be what is drawn.
  await tab.evaluate(async () => {
    window.page.play(false);
    await window.page.show(window.page.index);
    window.page.painter.draw(window.page.look());
  });

  // A click on a body picks the one that is drawn there. Where there are none, the middle of a solid's face.
  const place = await tab.evaluate(() => {
    const { page } = window, { view, projection } = page.painter.matrices, canvas = document.getElementById("view");
    const box = canvas.getBoundingClientRect(), d = page.run.dimension, both = multiply(projection, view);
    const { frame } = page, items = [];
    for (let i = 0; i < frame.n; i++) items.push([i, [0, 1, 2].map((a) => (a < d ? frame.position[i * d + a] : 0))]);
    if (!frame.n) page.run.things.solids.forEach((solid, index) => solid.faces.forEach((face) => {
      const mean = (a) => face.reduce((sum, node) => sum + frame.nodes.position[(solid.first + node) * d + a], 0) / face.length;
      items.push([page.painter.shapes.items + index, [0, 1, 2].map((a) => (a < d ? mean(a) : 0))]);
    }));
    for (const [i, p] of items) {
      const clip = [0, 1, 3].map((r) => both[r] * p[0] + both[4 + r] * p[1] + both[8 + r] * p[2] + both[12 + r]);
      const [x, y] = [clip[0] / clip[2], clip[1] / clip[2]];
      if (Math.abs(x) < 0.9 && Math.abs(y) < 0.9) return { i, x: box.left + (0.5 + 0.5 * x) * box.width, y: box.top + (0.5 - 0.5 * y) * box.height };
    }
    return null;
  });
  await tab.mouse.click(place.x, place.y);
  const picked = await tab.evaluate(() => ({ item: window.page.picked.item, text: document.getElementById("picked").innerText, flat: window.page.camera.flat }));
  must(`${name}: picks a body`, picked.item >= 0 && (!picked.flat || picked.item === place.i) && picked.text.includes("mass"));
  // Solids have no single speed to show over time.
  const history = tab.waitForFunction(() => !window.page.frame.n || (window.page.picked.history && window.page.picked.history.times.length > 1), null, { timeout: 60000 });
  must(`${name}: shows its history`, await history.then(() => true, () => false));
  await shot("picked");

  // A frame with forces, so that chains are seen.
  await tab.evaluate(async () => {
    const { page } = window, pushed = (array) => array.some((component) => component !== 0);
    for (let index = page.index; index < page.run.times.length; index++) {
      const frame = await page.frames.get(index);
      if (pushed(frame.force) || pushed(frame.touches.force)) { await page.show(index); break; }
    }
  });
  await tab.waitForTimeout(300);
  // Colours, chains, clip plane, theme: each changes the picture.
  const rigid = await tab.evaluate(() => window.page.frame.n > 0);
  const has = await tab.evaluate(() => ({ forces: [window.page.frame.force, window.page.frame.touches.force].some((all) => all.some((f) => f !== 0)), joints: window.page.run.things.joints.length > 0, bonds: window.page.frame.bonds.n > 0, space: window.page.run.dimension === 3 }));
  const keys = [["colour", "c"], ...(has.forces ? [["chains", "k"]] : []), ...(rigid ? [["arrows", "v"]] : []), ...(has.joints ? [["joints", "j"]] : []), ...(has.bonds ? [["bonds", "n"]] : []),
    ...(has.space ? [["shadows", "s"]] : []), ["bodies", "b"], ["clip plane", "x"], ["theme", "t"]];
  for (const [what, key] of keys) {
    const old = await pixels();
    await tab.keyboard.press(key);
    // Until it is drawn, however slow the machine is.
    await tab.waitForFunction(() => !window.page.dirty, null, { timeout: 60000 });
    must(`${name}: ${what} by the key ${key}`, (await pixels()) !== old);
    await shot(`key-${key}`);
  }
  // The ways that bodies have gone, in the last frame.
  if (rigid) {
    await tab.evaluate(() => window.page.show(window.page.run.times.length - 1));
    await tab.keyboard.press("w");
    must(`${name}: ways by the key w`, await tab.waitForFunction(() => window.page.painter.strokes.ways.count > 0, null, { timeout: 60000 }).then(() => true, () => false));
    await shot("ways");
    await tab.keyboard.press("w");
  }
  // The strip tells the scale; a range that is set changes colours and strip.
  const strip = () => tab.evaluate(() => document.getElementById("strip").toDataURL());
  const ranged = await tab.evaluate(async () => {
    const { page } = window;
    document.getElementById("bodies").value = "solid";
    document.getElementById("colour").value = page.frame.n ? "speed" : "von_mises";
    page.again();
    await new Promise((done) => setTimeout(done, 300));
    const [, seen] = page.range(page.colour);
    return seen;
  });
  const withoutRange = await strip();
  await tab.fill("#high", String(2 * ranged + 1));
  await tab.press("#high", "Enter");
  await tab.waitForTimeout(300);
  must(`${name}: a range that is set is taken`, (await strip()) !== withoutRange && (await tab.evaluate(() => window.page.range(window.page.colour)[1])) === 2 * ranged + 1);
  await tab.evaluate(() => document.activeElement.blur());
  // Two clicks measure: of two points of the picture, the distance is known where the camera is flat.
  await tab.keyboard.press("x");
  await tab.evaluate(() => { document.getElementById("clip").value = ""; window.page.fit(); });
  await tab.waitForTimeout(300);
  await tab.keyboard.press("m");
  const box = await tab.evaluate(() => { const r = document.getElementById("view").getBoundingClientRect(); return { x: r.left, y: r.top, w: r.width, h: r.height }; });
  await tab.mouse.click(box.x + 0.5 * box.w, box.y + 0.6 * box.h);
  await tab.mouse.click(box.x + 0.5 * box.w + 50, box.y + 0.6 * box.h);
  const measured = await tab.evaluate(() => ({ points: window.page.measure.points, flat: window.page.camera.flat, half: window.page.camera.half(window.page.aspect()) }));
  const expected = (50 * 2 * measured.half) / box.h;
  const way = measured.points.length === 2 ? Math.hypot(...measured.points[0].map((x, a) => x - measured.points[1][a])) : NaN;
  must(`${name}: measures`, measured.flat ? Math.abs(way - expected) < 0.03 * expected : measured.points.length <= 2);
  await tab.keyboard.press("m");
  // Frame after frame with chains and stress. What each costs the script is told, without the time of the drawing itself;
  // it is not judged, since it depends on the machine and on what else that does.
  const [painted, cost] = await tab.evaluate(async () => {
    const { page } = window, times = [];
    document.getElementById("forces").checked = true;
    if (page.frame.n) document.getElementById("colour").value = "stress";
    for (let index = 0; index < Math.min(60, page.run.times.length); index++) {
      const frame = await page.frames.get(index), start = performance.now();
      page.paint(frame);
      page.painter.draw(page.look());
      times.push(performance.now() - start);
      page.painter.gl.finish();
    }
    const whole = times.length === Math.min(60, page.run.times.length) && page.painter.gl.getError() === 0;
    return [whole, times.sort((a, b) => a - b)[times.length >> 1]];
  });
  must(`${name}: paints all frames with chains and stress`, painted);
  console.log(`${name}: the script of a frame takes ${cost.toFixed(1)} ms`);
  const download = tab.waitForEvent("download", { timeout: 20000 });
  await tab.keyboard.press("p");
  must(`${name}: saves a picture`, (await download).suggestedFilename().endsWith(".png"));
  must(`${name}: no error in the console${errors.length ? `: ${errors.join("; ")}` : ""}`, errors.length === 0);
  await tab.close();
}

if (url !== "-") await look(url, "served");
if (file !== "-") await look(`file://${file}`, "file");
await end();
