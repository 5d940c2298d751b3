import openapiTypescript, { astToString } from "openapi-typescript"

import { conventionalPath } from "../src/conventional-path.ts"
import { type Description, readDescription } from "./description.ts"

const note = "/* Generated from app/service/openapi/openapi.json by `npm run openapi`. */\n\n"

/** The files in `src/` that follow from the description, by name. */
export async function generateFiles() {
  const description = readDescription()
  return {
    "description.generated.ts": note + astToString(await openapiTypescript(description)),
    "calls.generated.ts": `${note}${callsOf(description)}`,
  }
}

/** How each operation is called, by its tag and id. */
function callsOf({ paths }: Description) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ operation, method, path })),
  )
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? "")
  const nouns = [...byTag].map(([tag, tagOperations]) => {
    const lines = tagOperations.map(({ operation, method, path }) => {
      const { operationId, summary, security, responses } = operation
      const call = {
        // A default is left out: this is half of what a browser loads.
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
