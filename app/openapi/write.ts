import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

import { router } from "../rpc/router.ts"
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

const contract = Object.fromEntries(
  Object.entries(router).map(([name, procedure]) => {
    const { method, path } = procedure["~orpc"].route
    return [name, { "~orpc": { errorMap: {}, meta: {}, route: { method, path } } }]
  }),
)

/* What a client needs of the router to find the operations; their types it takes from the code. */
writeFileSync(
  at("../client/contract.generated.ts"),
  `import type { AnyContractRouter } from "@orpc/contract"

/** Method and path of every typed operation. Written by \`npm run openapi\`. */
export const contract: AnyContractRouter = ${JSON.stringify(contract)}
`,
)
