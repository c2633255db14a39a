// SPDX-License-Identifier: Apache-2.0
// The page in another page's frame, and the parts of an address that name something: presets and lessons.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  address,
  forge,
  forgive,
  lead,
  quick,
  root,
  settled,
  useBrowser,
  visit,
  visitQuick,
} from "./browser";

useBrowser();

const link = forge(JSON.stringify(JSON.parse(quick())));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** Another site, with the frame in it. */
async function host(script: string): Promise<string> {
  const server = createServer((_, response) =>
    response.writeHead(200, { "Content-Type": "text/html" }).end(
      `<link rel="icon" href="data:,"><iframe src="${address()}/?embed=1&theme=dark${link}" title="x" width="600" height="300"></iframe>
        <script>const heard = []; const frame = document.querySelector("iframe"); const origin = "${address()}";
        addEventListener("message", (e) => heard.push([e.origin === origin && e.source === frame.contentWindow, e.data]));
        ${script}</script>`,
    ),
  );
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test("an embedded page shows results and one row of controls, stores nothing and takes no file", async () => {
  const page = await visit(`/?embed=1&theme=dark${link}`);
  await settled(page);
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  expect(await page.getByRole("button", { name: /Share|Open file|Examples/ }).count()).toBe(0);
  expect(await page.locator("input[type=file]").count()).toBe(0);
  const tops = await page
    .locator(".row .field")
    .evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
  expect(tops).toHaveLength(3);
  expect(new Set(tops.map(Math.round)).size).toBe(1);
  const before = await lead(page);
  await page.getByRole("button", { name: "×2 Replicas (dp)" }).click();
  await page.waitForFunction(
    (old) => document.querySelector("[data-testid=lead]")?.textContent !== old,
    before,
  );
  await settled(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await settled(page);
  expect(await lead(page)).toBe(before);
  expect(await page.getByRole("link", { name: "Open in Prism" }).getAttribute("href")).toMatch(/^\.\/#v1\./);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test("its height goes to the parent that said hello, and to nobody before", async () => {
  const silent = await host("");
  const quiet = await visit();
  await quiet.goto(silent);
  await quiet.frameLocator("iframe").locator("[data-testid=lead]").waitFor();
  await quiet.waitForTimeout(500);
  expect(await quiet.evaluate("heard")).toEqual([]);

  const asking = await host(
    'frame.onload = () => frame.contentWindow.postMessage({ prism: "hello" }, origin);',
  );
  const page = await visit();
  await page.goto(asking);
  await page.frameLocator("iframe").locator(".chart svg").first().waitFor();
  await page.waitForFunction("heard.length > 1");
  const heard = (await page.evaluate("heard")) as [boolean, { prism: string; height: number }][];
  for (const [fromFrame, data] of heard) {
    expect(fromFrame).toBe(true);
    expect(data.prism).toBe("height");
  }
  expect(heard.at(-1)![1].height).toBeGreaterThan(500);
  // The host is elsewhere on purpose, and going to it ends what the page before was loading.
  forgive(/^elsewhere: \S+\/$|^request: /);
});

test("Share gives link, Markdown, frame, command and files", async () => {
  const page = await visitQuick();
  await page.getByRole("button", { name: "Share" }).click();
  const frame = await page.getByLabel("Frame for a page, HTML").inputValue();
  expect(frame).toMatch(/^<iframe src="http:\/\/127[^"]+\?embed=1#v1\.[^"]+" title="Prism: Quick"/);
  for (const name of ["Copy link", "Copy Markdown", "Copy HTML", "Copy command", "Result, JSON"])
    await page.getByRole("button", { name }).waitFor();
});

test("#preset= opens that example and stays in the address; a wrong name says so", async () => {
  const page = await visit("/#preset=teaching-operators");
  await page.locator("h1", { hasText: "A step small enough to check by hand" }).waitFor();
  await settled(page);
  expect(new URL(page.url()).hash).toBe("#preset=teaching-operators");
  await page.reload();
  await page.locator("h1", { hasText: "A step small enough to check by hand" }).waitFor();
  const wrong = await visit("/#preset=no-such");
  await wrong.getByRole("alert").getByText("There is no example of the name “no-such”").waitFor();
  expect(await wrong.locator("[data-testid=lead]").count()).toBe(0);
});

test("a lesson: locked but for its control, hints by degrees, the cause once the goal is reached; Undo leaves it", async () => {
  const page = await visit("/#lesson=jitter-averages-out");
  const lesson = page.getByRole("region", { name: /^Lesson/ });
  await settled(page);
  const told = readFileSync(resolve(root, "examples/lessons/jitter-averages-out.json"), "utf8");
  const { shown } = JSON.parse(told) as { shown: Record<string, string> };
  await lesson.getByText(`Not yet: standard deviation over mean ${parseFloat(shown["8"]!)}`).waitFor();
  expect(await page.getByRole("tab").count()).toBe(0);
  expect(await lesson.getByText("Cause.").count()).toBe(0);
  await lesson.getByRole("button", { name: "Hint 1 of 3" }).click();
  expect(await lesson.locator(".hints li").count()).toBe(1);
  await lesson.getByRole("radio", { name: "512", exact: true }).check();
  await lesson.getByText(/Reached: /).waitFor();
  await lesson.getByText("Cause.").waitFor();
  expect(new URL(page.url()).hash).toBe("#lesson=jitter-averages-out");
  await lesson.getByRole("button", { name: "Next lesson" }).click();
  await page.getByRole("region", { name: "Lesson: Why maxima grow with scale" }).waitFor();
  await page.getByRole("button", { name: "Undo opening a lesson" }).click();
  await lesson.getByText(/512/).first().waitFor();
  await lesson.getByRole("button", { name: "Leave the lesson" }).click();
  await page.getByRole("tab", { name: "Text" }).waitFor();
  await page.getByRole("button", { name: "Undo leaving the lesson" }).click();
  await lesson.waitFor();
});
