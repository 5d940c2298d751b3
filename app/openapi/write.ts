import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

import { describeApi } from "./document.ts"

const at = (path: string) => join(import.meta.dirname, path)

/**
 * Writes the description for readers, and compressed for the bundle: as it is, it would be a tenth
 * of it.
 */
const document = await describeApi()
const packed = gzipSync(JSON.stringify(document), { level: 9 }).toString("base64")
writeFileSync(at("../../docs/openapi.json"), `${JSON.stringify(document, null, 2)}\n`)
writeFileSync(
  at("packed.generated.ts"),
  `/** docs/openapi.json, compressed. Written by \`npm run openapi\`. */\nexport const packed =\n  "${packed}"\n`,
)
