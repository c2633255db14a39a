// SPDX-License-Identifier: Apache-2.0
// The picture card drawn: the histogram of the panel in the card's frame.
import { card_chart, cardSvg } from "../base/card";
import type { Provenance } from "../base/exports";
import { isConstant } from "../base/sentences";
import { histogram } from "./charts";
import * as palettes from "./palette";

export function drawCard(provenance: Provenance): string {
  const { result } = provenance;
  if (isConstant(result.step_time_s)) return cardSvg("", provenance);
  const drawing = histogram(result, card_chart.width, palettes.file);
  return cardSvg(new XMLSerializer().serializeToString(drawing), provenance);
}
