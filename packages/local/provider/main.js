import module from "node:module"

import { nodeVersionProblem } from "../daemon/node-version.js"

const problem = nodeVersionProblem()
if (problem !== undefined) {
  process.stderr.write(`packages/local/provider: ${problem}\n`)
  process.exit(1)
}

const { serve } = await import("./server.ts")
// Now, because the engine may kill this process before Node would write its compile cache.
module.flushCompileCache()
await serve()
