// SPDX-License-Identifier: Apache-2.0
// The gallery, made from examples/ when the page is built. The first example is part of the page, so that its
// answer waits for nothing; the others are fetched from the same host when chosen.

import index from "../../../examples/index.json?raw";
import first from "../../../examples/llama3-405b-16384-h100.json?raw";

export interface Example {
  file: string;
  title: string;
  question: string;
  headline: string;
}

export const firstExample = { file: "llama3-405b-16384-h100.json", text: first };

export const examples = JSON.parse(index) as Example[];

const texts = import.meta.glob<string>(
  [
    "../../../examples/*.json",
    "!../../../examples/index.json",
    "!../../../examples/llama3-405b-16384-h100.json",
  ],
  {
    query: "?raw",
    import: "default",
  },
);

export function exampleText(file: string): Promise<string> {
  if (file === firstExample.file) return Promise.resolve(first);
  const load = texts[`../../../examples/${file}`];
  return load ? load() : Promise.reject(new Error(`There is no example ${file}.`));
}

/** An example's name in a link: `#preset=llama3-405b-16384-h100`. */
export const presetName = (file: string) => file.replace(/\.json$/, "");
