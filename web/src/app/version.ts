// SPDX-License-Identifier: Apache-2.0
import { version as written } from "../../../package.json";

/** The page's version, which is the engine's too. */
export const version: string = written;
