#!/usr/bin/env node
import module from "node:module"
import { join } from "node:path"

import { isNodeTooOld, neededNode } from "../base/node-version.js"

// Entry of every command. Plain JavaScript, so that an old Node can run it and print the advice.
if (isNodeTooOld()) {
  process.stderr.write(
    `Accounts needs ${neededNode} and this is Node ${process.versions.node}.\n` +
      "Run `npm install` once, then use `npm start` or `./accounts`: both use the right version.\n",
  )
  process.exit(1)
}
// The compile cache halves the time to load sources; child processes read the variable.
const cache = join(import.meta.dirname, "../../..", "node_modules", ".cache", "node")
process.env["NODE_COMPILE_CACHE"] ??= cache
module.enableCompileCache(process.env["NODE_COMPILE_CACHE"])
try {
  await import("./program.ts")
} catch (error) {
  // If there is no checkout, there is nothing to load.
  if (!(error instanceof Error) || error.name !== "Failure") throw error
  process.stderr.write(`error: ${error.message}\n`)
  process.exit(1)
}
