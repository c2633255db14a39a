// SPDX-License-Identifier: Apache-2.0
// The whole comparison with public measurements: docs/validation.md, fetched when it is asked for.
import address from "../../../docs/validation.md?url";
import { textDialog } from "../ui/text-dialog";

export const loadValidation = () =>
  textDialog("Validation: the cost model against public measurements", address);
