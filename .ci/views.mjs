// SPDX-License-Identifier: Apache-2.0
// The views of the page and how to come to each: the accessibility test and the screenshots look at the same ones.
import { forge } from "./link.mjs";
import { slowJob } from "./slow-job.mjs";

/** Has a spread and a training run, and is computed in a moment. */
const scenario = {
  prism: 1,
  title: "Llama 3.1 405B on 128 GPUs",
  model: "llama-3.1-405b",
  parallel: { tp: 8, pp: 4, dp: 4, layers_per_virtual_stage: "front" },
  batch: { global: 32, sequence: 8192 },
  cluster: { gpu: "h100-sxm" },
  variability: "dedicated",
  training_run: {
    steps: 20000,
    failures: "llama-3-2024",
    spares: { nodes: 1, repair_h: 24 },
    checkpoint: { every_min: 30, write_s: 20 },
  },
  run: { trials: 1024, seed: "3" },
};

const link = (value) => forge(JSON.stringify(value));

const quick = `/${link(scenario)}`;
const faulty = `/${link({ ...scenario, batch: { global: 33, micro: 2, micro_batches: 8, sequence: 8192 } })}`;

/** Step times of a made-up job of four workers, the third of them slow. */
function stepLog() {
  const lines = ["step,worker,step_time_s"];
  for (let step = 0; step < 60; step++)
    for (let worker = 0; worker < 4; worker++)
      lines.push(
        `${step},${worker},${(6 + ((step * 7 + worker * 3) % 11) / 50 + (worker === 2 ? 1 : 0)).toFixed(3)}`,
      );
  return `${lines.join("\n")}\n`;
}

/** Waits for a whole result of the present settings. */
export const settled = (page) =>
  page.waitForFunction(
    () =>
      /computed here in/.test(document.querySelector(".status p")?.textContent ?? "") &&
      !document.querySelector("[data-stale]"),
    undefined,
    { timeout: 60_000 },
  );

const charts = async (page) => {
  await settled(page);
  await page.locator(".chart svg").nth(2).waitFor();
};
const dialog = (page) => page.getByRole("dialog").waitFor();
const openInput = (page) =>
  page.evaluate(() => {
    document.querySelector("details.input").open = true;
  });

const openDetails = (card) =>
  card.evaluate((element) => {
    for (const details of element.querySelectorAll("details")) details.open = true;
  });

/** The studies are there; what `play` started has been drawn, its tables open. */
function studied(play) {
  return {
    path: quick,
    async go(page) {
      await charts(page);
      await page.getByRole("button", { name: "Open the studies" }).click();
      const card = await play(page);
      await card.locator(".chart svg").first().waitFor({ timeout: 120_000 });
      await openDetails(card);
    },
  };
}

const study = (name) =>
  studied(async (page) => {
    await page.getByRole("radio", { name }).check();
    await page.getByRole("button", { name: "Play this study" }).click();
    return page.locator(".card", { has: page.getByRole("heading", { name: "Studies" }) });
  });

const planning = (question) =>
  studied(async (page) => {
    await page.getByRole("radio", { name: question }).check();
    await page.getByRole("button", { name: "Play this question" }).click();
    return page.locator(".card", { has: page.getByRole("heading", { name: "Planning the run" }) });
  });

const evidence = (name, content, wait) => ({
  path: quick,
  async go(page) {
    await settled(page);
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content()) });
    await wait(page);
  },
});

/** Each: where it is, and what is done there. */
export const views = {
  start: { path: "/", go: charts },
  result: {
    path: quick,
    async go(page) {
      await charts(page);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
    },
  },
  text: {
    path: quick,
    async go(page) {
      await settled(page);
      await openInput(page);
      await page.getByRole("tab", { name: "Text" }).click();
      await page.locator(".cm-content").waitFor();
    },
  },
  error: {
    path: faulty,
    async go(page) {
      await page.getByRole("region", { name: "Errors in the scenario" }).waitFor();
      await openInput(page);
    },
  },
  "broken-link": { path: "/#v1.zz-01234567.AAAA", go: (page) => page.getByRole("alert").waitFor() },
  share: {
    path: quick,
    async go(page) {
      await settled(page);
      await page.getByRole("button", { name: "Share" }).click();
      await dialog(page);
    },
  },
  examples: {
    path: quick,
    async go(page) {
      await settled(page);
      await page.getByRole("button", { name: "Examples" }).click();
      await dialog(page);
    },
  },
  lessons: {
    path: quick,
    async go(page) {
      await settled(page);
      const inHeader = page.locator("header").getByRole("button", { name: "Lessons" });
      if (!(await inHeader.isVisible())) await page.getByRole("button", { name: "Examples" }).click();
      await page.getByRole("button", { name: "Lessons" }).last().click();
      await page.getByRole("dialog", { name: "Lessons" }).waitFor();
    },
  },
  lesson: {
    path: "/#lesson=checkpoint-interval",
    async go(page) {
      await page.getByRole("region", { name: /^Lesson/ }).waitFor();
      await charts(page);
      await page.getByRole("button", { name: "Hint 1 of 2" }).click();
      await page.getByRole("radio", { name: "15 min", exact: true }).check();
      await page.getByText("Cause.").waitFor();
      await charts(page);
    },
  },
  glossary: {
    path: quick,
    async go(page) {
      await settled(page);
      await page.locator("footer.foot").getByRole("button", { name: "Glossary" }).click();
      await dialog(page);
    },
  },
  embed: {
    path: `/?embed=1${link(scenario)}`,
    async go(page) {
      await settled(page);
      await page.locator(".chart svg").first().waitFor();
    },
  },
  pinned: {
    path: quick,
    async go(page) {
      await charts(page);
      await page.getByRole("button", { name: "Pin this result" }).click();
      await openInput(page);
      await page.locator("#panel-form").getByLabel("Preset").selectOption("shared-congested");
      const card = page.locator(".card", {
        has: page.getByRole("heading", { name: "Against the pinned baseline" }),
      });
      await card.locator(".headlines").waitFor({ timeout: 60_000 });
      await charts(page);
      await openDetails(card);
    },
  },
  timeline: {
    path: quick,
    async go(page) {
      await charts(page);
      await page.getByRole("button", { name: "Draw the timeline" }).click();
      const card = page.locator(".card", { has: page.getByRole("heading", { name: "One step, drawn" }) });
      await card.locator("canvas[role]").waitFor({ timeout: 120_000 });
      await card.getByRole("button", { name: "Longest wait" }).click();
      await openDetails(card);
    },
  },
  "study-tail": study("What sets the tail"),
  "study-placement": study("Where a slow node hurts"),
  "study-scaling": study("How it scales"),
  "study-layouts": study("Which layout"),
  compare: studied(async (page) => {
    const card = page.locator(".card", {
      has: page.getByRole("heading", { name: "Compare with another scenario" }),
    });
    await card.getByLabel("An example").selectOption("gpt3-175b-1024-a100.json");
    await card.getByRole("button", { name: "Compare the two" }).click();
    return card;
  }),
  "planning-checkpoint": planning("How often to write checkpoints"),
  "planning-spares": planning("How many spares"),
  "planning-capacity": planning("How many GPUs"),
  "planning-schedule": studied(async (page) => {
    const card = page.locator(".card", { has: page.getByRole("heading", { name: "Planning the run" }) });
    await card.getByRole("radio", { name: "In which order several runs" }).check();
    await card.getByLabel("Due in (days)").fill("4.25");
    await card.getByRole("button", { name: "Add this scenario" }).click();
    await card.getByLabel("Due in (days)").last().fill("5.3");
    await card.getByLabel("Steps", { exact: true }).last().fill("5000");
    await card.getByRole("button", { name: "Play this question" }).click();
    return card;
  }),
  evidence: evidence("steps.csv", stepLog, (page) => dialog(page)),
  "evidence-trace": evidence("job.csv", slowJob, (page) => page.locator("dialog .chart svg").waitFor()),
  validation: {
    path: quick,
    async go(page) {
      await charts(page);
      await page.getByRole("button", { name: "All measurements" }).click();
      await dialog(page);
    },
  },
};
