import process from "node:process"

import { temporaryDirectory } from "../../../daemon/testing/temporary-directory.ts"
import { localCloudflareProcess } from "../../testing/local-cloudflare.ts"
import { measureCoverage, missingOperations, readRoutes, renderCoverage } from "./coverage.ts"
import { describeErrorSources } from "./error-source.ts"
import { describeOpenapi } from "./openapi-description.ts"
import { describeSdk } from "./sdk-description.ts"

// Prints how much of Cloudflare's API is implemented, and the operations that are not.
await using directory = await temporaryDirectory()
process.env["LOCAL_CLOUDFLARE_EXCHANGES"] = directory.path
await using _cloudflare = await localCloudflareProcess()
const openapi = process.env["CLOUDFLARE_OPENAPI"]
const descriptions = [describeSdk(), ...(openapi ? [describeOpenapi(openapi)] : [])]
const routes = readRoutes(directory.path)
process.stdout.write(
  `${renderCoverage(measureCoverage(routes, descriptions))}\n\n${describeErrorSources()}\n\nNot implemented:\n`,
)
for (const name of missingOperations(routes, descriptions)) process.stdout.write(`  ${name}\n`)
