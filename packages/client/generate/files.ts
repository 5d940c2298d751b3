import openapiTypescript, { astToString } from "openapi-typescript"

import { conventionalPath } from "../src/conventional-path.ts"
import { type Description, readDescription } from "./description.ts"

const note = "/* Generated from app/service/openapi/openapi.json by `npm run openapi`. */\n\n"

/** Generates the files in `src/` from the description, by name. */
export async function generateFiles() {
  const description = readDescription()
  return {
    "description.generated.ts": note + astToString(await openapiTypescript(description)),
    "calls.generated.ts": `${note}${callsOf(description)}`,
  }
}

/** Returns a module that lists how to call each operation, by its tag and id. */
function callsOf({ paths }: Description) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ operation, method, path })),
  )
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? "")
  const nouns = [...byTag].map(([tag, tagOperations]) => {
    const lines = tagOperations.map(({ operation, method, path }) => {
      const { operationId, summary, security, responses } = operation
      const call = {
        // Leaves out defaults: this module is half of the code that a browser loads.
        ...(method === "get" && { method: "GET" }),
        ...(path !== conventionalPath(tag, operationId) && { path }),
        ...(security?.length === 0 && { isOpen: true }),
        ...("302" in responses && { redirects: true }),
      }
      return `    /** ${summary} */\n    ${operationId}: ${JSON.stringify(call)},\n`
    })
    return `  ${tag}: {\n${lines.join("")}  },\n`
  })
  return `export const calls = {\n${nouns.join("")}} as const\n`
}
