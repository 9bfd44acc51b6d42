// Looks at two runs side by side as a user would: `node beside.mjs URL FILE FOLDER`, as page.mjs does.
import { end, must, open } from "./browser.mjs";

const [url, file, folder] = process.argv.slice(2);

async function look(address, name) {
  const { tab, errors } = await open(address, 700);
  const begun = tab.waitForFunction(() => window.pair && window.pair.clock > window.pair.begin, null, { timeout: 60000 });
  must(`${name}: plays`, await begun.then(() => true, () => false));
  // At one time, both show their last frame that is not later.
  const times = await tab.evaluate(async () => {
    const { pair } = window;
    pair.play(false);
    pair.seek(pair.begin + 0.6 * (pair.end - pair.begin));
    const there = () => pair.pages.every((page) => page.frame.time === page.run.times[page.wanted]);
    for (let i = 0; i < 200 && !there(); i++) await new Promise((done) => setTimeout(done, 50));
    return pair.pages.map((page) => ({ frame: page.frame.time, next: page.run.times[page.index + 1] ?? Infinity, clock: pair.clock }));
  });
  must(`${name}: one time`, times.every(({ frame, next, clock }) => frame <= clock * (1 + 1e-9) && next > clock));
  // One camera: who moves one moves the other.
  await tab.evaluate(() => { const { camera } = window.pair.pages[1]; camera.zoom(0.5); window.pair.pages[1].following = false; });
  const sees = (what) => tab.waitForFunction(what, null, { timeout: 30000 }).then(() => true, () => false);
  must(`${name}: one camera`, await sees(() => window.pair.pages.every((page) => !page.following && page.camera.distance === window.pair.pages[0].camera.distance)));
  // One look: a choice in one is a choice in the other, with one scale.
  await tab.evaluate(() => { const e = window.pair.documents[1].getElementById("colour"); e.value = "velocity_y"; e.onchange(); });
  must(`${name}: one look`, await sees(() => {
    const looks = window.pair.pages.map((page) => [page.colour, page.range(page.colour)[1]]);
    return looks.every(([colour, top]) => colour === "velocity_y" && top === looks[0][1] && top > 0);
  }));
  await tab.screenshot({ path: `${folder}/${name}-beside.png` });
  must(`${name}: no error in the console${errors.length ? `: ${errors.join("; ")}` : ""}`, errors.length === 0);
  await tab.close();
}

await look(url, "served");
await look(`file://${file}`, "file");
await end();
