import module from "node:module"
import { join } from "node:path"

// Launcher of every command. Plain JavaScript, so that an old Node can read the advice.
const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  process.stderr.write(
    `Accounts needs Node 24 or newer, and this is Node ${process.versions.node}.\n` +
      "Run `npm install` once, then use `npm start` or `./accounts`: both bring the right one along.\n",
  )
  process.exit(1)
}
// Sources that are compiled already load in half the time; child processes follow the variable.
const cache = join(import.meta.dirname, "..", "node_modules", ".cache", "node")
process.env["NODE_COMPILE_CACHE"] ??= cache
module.enableCompileCache(process.env["NODE_COMPILE_CACHE"])
await import("./main.ts")
