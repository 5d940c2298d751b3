import module from "node:module"
import { join } from "node:path"

// Entry of every command. Plain JavaScript, so that an old Node can run it and print the advice.
const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  process.stderr.write(
    `Accounts needs Node 24 or newer, and this is Node ${process.versions.node}.\n` +
      "Run `npm install` once, then use `npm start` or `./accounts`: both use the right version.\n",
  )
  process.exit(1)
}
// With the compile cache sources load in half the time; child processes read the variable.
const cache = join(import.meta.dirname, "..", "node_modules", ".cache", "node")
process.env["NODE_COMPILE_CACHE"] ??= cache
module.enableCompileCache(process.env["NODE_COMPILE_CACHE"])
await import("./main.ts")
