import module from "node:module"
import process from "node:process"

const [major = 0] = process.versions.node.split(".").map(Number)
if (major < 24) {
  process.stderr.write(
    `The accounts provider needs Node 24 or newer, this is ${process.versions.node}: run \`npm install\` in the repository, it brings its own.\n`,
  )
  process.exit(1)
}
const { serve } = await import("./main.ts")
// The engine may kill this process, which then keeps nothing of what it has compiled.
module.flushCompileCache()
await serve(process.argv.slice(2))
