import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { test as base, expect } from "@playwright/test";
import { type ParsedMail, simpleParser } from "mailparser";

const binary = resolve(import.meta.dirname, "../../bin/simora");

/** The real binary, with a data directory of its own. */
export class Simora {
  readonly url: string;
  readonly log: string[];
  /** The data directory. */
  readonly data: string;
  readonly #process: ChildProcess;
  readonly #env: Record<string, string>;

  private constructor(url: string, log: string[], process: ChildProcess, data: string, env: Record<string, string>) {
    this.url = url;
    this.log = log;
    this.#process = process;
    this.data = data;
    this.#env = env;
  }

  static async start(env: Record<string, string> = {}, data?: string): Promise<Simora> {
    const dir = data ?? (await mkdtemp(join(tmpdir(), "simora-e2e-")));
    const child = spawn(binary, ["serve"], {
      env: {
        ...process.env,
        SIMORA_DATA: dir,
        SIMORA_LISTEN: "127.0.0.1:0",
        SIMORA_LIMIT_FACTOR: "1000",
        SIMORA_OUTBOX_PLAINTEXT: "true",
        ...env,
      },
    });
    const log: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
    const url = await new Promise<string>((found, failed) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const address = /^Simora is ready:\s+(\S+)/.exec(line)?.[1];
        if (address) found(address);
      });
      child.on("exit", (code) => failed(new Error(`simora ended with ${code}:\n${log.join("\n")}`)));
    });
    return new Simora(url, log, child, dir, env);
  }

  /** Runs a command beside the server, and returns what it prints. */
  command(args: readonly string[], env: Record<string, string> = {}): string {
    return execFileSync(binary, args, { env: { ...process.env, SIMORA_DATA: this.data, ...env }, encoding: "utf8" });
  }

  /** Every letter in the outbox directory. */
  async letters(): Promise<ParsedMail[]> {
    const outbox = join(this.data, "outbox");
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith(".eml"));
    return Promise.all(names.sort().map(async (name) => simpleParser(await readFile(join(outbox, name)))));
  }

  /** Ends the process the hard way. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise((done) => this.#process.once("exit", done));
    this.#process.kill("SIGKILL");
    await ended;
  }

  /** Starts again on the same port and data. */
  async restart(): Promise<Simora> {
    await this.kill();
    return Simora.start({ ...this.#env, SIMORA_LISTEN: `127.0.0.1:${new URL(this.url).port}` }, this.data);
  }

  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true, force: true });
  }
}

export const test = base.extend<{ env: Record<string, string>; simora: Simora; violations: string[] }>({
  env: [{}, { option: true }],
  simora: async ({ env }, use) => {
    const simora = await Simora.start(env);
    await use(simora);
    await simora.dispose();
  },
  baseURL: async ({ simora }, use) => use(simora.url),
  // Nothing may break the content security policy, leave the origin, or throw.
  violations: [
    async ({ page, simora }, use) => {
      const seen: string[] = [];
      page.on("pageerror", (error) => seen.push(`error: ${error.message}`));
      page.on("console", (message) => {
        if (/Content.Security.Policy|Trusted/i.test(message.text())) seen.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(simora.url) && !/^(data|blob):/.test(request.url())) seen.push(`foreign request: ${request.url()}`);
      });
      await use(seen);
      expect(seen).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
