// SPDX-License-Identifier: Apache-2.0
/** Fetches a WebAssembly module and compiles it while it arrives. */
export async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  // Hosts that do not know the type of .wasm files cannot be compiled from while streaming.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}
