// Prints Lighthouse's mobile figures of every public page, and the largest
// contentful paint beside that of the same page without its scripts, measured
// in turn. Fails below the aims. `make lighthouse` builds and runs it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const ROUTES = [
  "/",
  "/platform",
  "/industries/healthcare",
  "/industries/airlines",
  "/industries/corporate",
  "/try/healthcare",
  "/privacy",
  "/partners",
  "/contact",
];
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const AIM = { performance: 99, accessibility: 100, "best-practices": 100, seo: 100 };
const LCP_RATIO = 1.1;
const RUNS = Number(process.env.RUNS ?? 3);

const data = mkdtempSync(join(tmpdir(), "simora-lighthouse-"));
const server = spawn(resolve(import.meta.dirname, "../../bin/simora"), ["serve"], {
  env: { ...process.env, SIMORA_DATA: data, SIMORA_LISTEN: "127.0.0.1:0", SIMORA_LIMIT_FACTOR: "1000" },
  stdio: ["ignore", "pipe", "ignore"],
});
const url = await new Promise((found, failed) => {
  createInterface({ input: server.stdout }).on("line", (line) => {
    const address = /^Simora is ready:\s+(\S+)/.exec(line)?.[1];
    if (address) found(address);
  });
  server.on("exit", (code) => failed(new Error(`simora ended with ${code}`)));
});
const browser = await launch({
  chromePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromeFlags: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});

async function measure(path, scripts) {
  const result = await lighthouse(url + path, {
    port: browser.port,
    onlyCategories: scripts ? CATEGORIES : ["performance"],
    blockedUrlPatterns: scripts ? null : ["*.js"],
    logLevel: "silent",
  });
  const { categories, audits } = result.lhr;
  return {
    ...Object.fromEntries(Object.entries(categories).map(([name, { score }]) => [name, Math.round((score ?? 0) * 100)])),
    lcp: audits["largest-contentful-paint"].numericValue,
    cls: audits["cumulative-layout-shift"].numericValue ?? 0,
    tbt: audits["total-blocking-time"].numericValue ?? 0,
    failed: Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs.map(({ id }) => audits[id]).filter((audit) => audit.scoreDisplayMode === "binary" && audit.score === 0).map((audit) => audit.id),
    ),
  };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const problems = [];
console.log(`Lighthouse, mobile, median of ${RUNS} runs\n`);
console.log("| route | performance | accessibility | best practices | SEO | LCP ms | without scripts | ratio | CLS | TBT ms |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const path of ROUTES) {
  const whole = [];
  const bare = [];
  for (let i = 0; i < RUNS; i++) {
    whole.push(await measure(path, true));
    bare.push(await measure(path, false));
  }
  const of = (name, runs = whole) => median(runs.map((run) => run[name]));
  const ratio = of("lcp") / of("lcp", bare);
  for (const name of CATEGORIES) {
    if (of(name) < AIM[name]) {
      problems.push(`${path}: ${name} ${of(name)}, aim ${AIM[name]} (${whole[0].failed.join(", ")})`);
    }
  }
  if (ratio > LCP_RATIO) problems.push(`${path}: LCP ratio ${ratio.toFixed(2)}, aim ${LCP_RATIO}`);
  console.log(
    `| ${[path, ...CATEGORIES.map((name) => of(name)), Math.round(of("lcp")), Math.round(of("lcp", bare)), ratio.toFixed(2), of("cls").toFixed(3), Math.round(of("tbt"))].join(" | ")} |`,
  );
}
await browser.kill();
server.kill();
rmSync(data, { recursive: true, force: true });
if (problems.length > 0) {
  console.error(`\n${problems.join("\n")}`);
  process.exit(1);
}
