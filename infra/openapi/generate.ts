import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { describeApi } from "./document.ts"

/* Indented for readers; the Worker serves this very file. */
const document = await describeApi()
const file = join(import.meta.dirname, "../../app/service/openapi/openapi.json")
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
