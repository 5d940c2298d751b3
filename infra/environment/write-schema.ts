import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { root } from "../../root.ts"
import { stackFileSchema } from "./stack-file.ts"

// `npm run fix` runs this: the schema that editors use follows the one that the program parses with.
const path = join(root, "environments", "stack.schema.json")
writeFileSync(path, `${JSON.stringify(stackFileSchema(), undefined, 2)}\n`)
