// A headless Chromium, and what was seen in it: a line for each thing, and an error in the end if one of them was not.
import { createRequire } from "node:module";
const require = createRequire(process.env.PLAYWRIGHT_FROM || import.meta.url);
const { chromium } = require("playwright-core");

const flags = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags });
const failures = [];

export function must(what, good) {
  console.log(`${good ? "ok" : "FAILED"}: ${what}`);
  if (!good) failures.push(what);
}

// A tab at an address, and what its console complains of.
export async function open(address, height) {
  const tab = await browser.newPage({ viewport: { width: 1280, height } });
  const errors = [];
  tab.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  tab.on("pageerror", (error) => errors.push(error.message));
  await tab.goto(address);
  return { tab, errors };
}

export async function end() {
  await browser.close();
  if (failures.length) process.exit(1);
}
