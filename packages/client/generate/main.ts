import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { generateFiles } from "./files.ts"

for (const [name, text] of Object.entries(await generateFiles())) {
  writeFileSync(join(import.meta.dirname, "../src", name), text)
}
