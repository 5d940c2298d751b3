import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { root } from "../../../base/root.ts"
import { lintPage } from "./lint-page.ts"

// `npm run fix` runs this. A test compares the page with the code that it derives from.
writeFileSync(join(root, "docs", "migration-lint.md"), lintPage())
