// SPDX-License-Identifier: Apache-2.0
// The words of the page: docs/glossary.md, fetched when it is asked for.
import address from "../../../docs/glossary.md?url";
import { textDialog } from "../ui/text-dialog";

export const loadGlossary = () => textDialog("Glossary", address);
