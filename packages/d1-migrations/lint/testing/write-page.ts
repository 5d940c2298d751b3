import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { lintPage } from "./lint-page.ts"

writeFileSync(join(import.meta.dirname, "../../rules.md"), lintPage())
