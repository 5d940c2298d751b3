import module from "node:module"
import process from "node:process"

import { isNodeTooOld, neededNode } from "../base/node-version.js"

if (isNodeTooOld()) {
  process.stderr.write(
    `The accounts provider needs ${neededNode} and this is Node ${process.versions.node}: run \`npm install\` in the repository, it brings its own.\n`,
  )
  process.exit(1)
}
const { serve } = await import("./server.ts")
// Saves the compile cache now, because the engine may kill this process.
module.flushCompileCache()
await serve()
