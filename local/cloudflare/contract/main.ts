import process from "node:process"

import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { localCloudflare } from "../testing/process.ts"
import { coverage, missing, readRoutes, renderCoverage } from "./coverage.ts"
import { describeOpenapi } from "./openapi.ts"
import { describeSdk } from "./sdk.ts"

// Prints how much of Cloudflare's own description is implemented, and what is not.
await using directory = await temporaryDirectory()
process.env["LOCAL_CLOUDFLARE_EXCHANGES"] = directory.path
await using _cloudflare = await localCloudflare()
const openapi = process.env["CLOUDFLARE_OPENAPI"]
const descriptions = [describeSdk(), ...(openapi ? [describeOpenapi(openapi)] : [])]
const routes = readRoutes(directory.path)
process.stdout.write(`${renderCoverage(coverage(routes, descriptions))}\n\nNot implemented:\n`)
for (const name of missing(routes, descriptions)) process.stdout.write(`  ${name}\n`)
