// SPDX-License-Identifier: Apache-2.0
// What is heard of the reader of files and models when something fails.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EvidenceReply, EvidenceTask } from "../../web/src/engine/evidence-messages";

vi.mock("@wasm/evidence.wasm?url", () => ({ default: "evidence.wasm" }));

class FakeReader {
  static all: FakeReader[] = [];
  onmessage: ((event: { data: EvidenceReply }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  asked: EvidenceTask[] = [];
  ended = false;
  constructor() {
    FakeReader.all.push(this);
  }
  postMessage(task: EvidenceTask) {
    this.asked.push(task);
  }
  terminate() {
    this.ended = true;
  }
}

const compile = vi.fn<() => Promise<WebAssembly.Module>>();
vi.mock("../../web/src/engine/compile", () => ({ compile: () => compile() }));

/** A module as fresh as after a load of the page. */
async function ask() {
  const { importModel } = await import("../../web/src/engine/evidence");
  const answer = importModel("{}", 4);
  // Heard below; until then a rejection is nobody's.
  answer.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve));
  return { answer, reader: FakeReader.all.at(-1)! };
}

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal("Worker", FakeReader);
  FakeReader.all = [];
  compile.mockReset().mockResolvedValue({} as WebAssembly.Module);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("a model is asked for once, and its reader ends with the answer", async () => {
  const { answer, reader } = await ask();
  expect(reader.asked).toMatchObject([{ type: "model", config: "{}", virtualStages: 4 }]);
  reader.onmessage!({ data: { type: "model", text: "its text" } });
  expect(await answer).toBe("its text");
  expect(reader.ended).toBe(true);
});

test("a reader that fails says why, and ends", async () => {
  const { answer, reader } = await ask();
  reader.onmessage!({ data: { type: "failed", message: "not a config.json" } });
  await expect(answer).rejects.toThrow("not a config.json");
  expect(reader.ended).toBe(true);
});

test("a reader that stops without a word is a failure too", async () => {
  const { answer, reader } = await ask();
  reader.onerror!({ message: "" });
  await expect(answer).rejects.toThrow("the reader stopped");
  expect(reader.ended).toBe(true);
});

test("an engine that cannot be fetched is said, and fetched again with the next model", async () => {
  compile.mockRejectedValueOnce(new Error("404 Not Found"));
  const first = await ask();
  await expect(first.answer).rejects.toThrow("404 Not Found");
  expect(first.reader).toMatchObject({ asked: [], ended: true });
  const second = await ask();
  expect(compile).toHaveBeenCalledTimes(2);
  expect(second.reader.asked).toHaveLength(1);
  second.reader.onmessage!({ data: { type: "model", text: "its text" } });
  expect(await second.answer).toBe("its text");
});
