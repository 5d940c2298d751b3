import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { router } from "../rpc/router.ts"
import { describeApi } from "./document.ts"

function at(path: string) {
  return join(import.meta.dirname, path)
}

/* The description is written for readers, and served as it is. */
const document = await describeApi()
writeFileSync(at("../../docs/openapi.json"), `${JSON.stringify(document, null, 2)}\n`)

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
