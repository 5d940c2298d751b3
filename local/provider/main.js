import module from "node:module"

// Plain JavaScript, so that an old Node says what is wrong instead of failing on a `.ts` file.
const needed = 24
const major = Number(process.versions.node.split(".")[0])

if (major < needed) {
  process.stderr.write(
    `local/provider: Node ${process.versions.node} is too old, ${needed} or newer is needed.\n` +
      'Put the repository\'s own first: export PATH="$PWD/node_modules/.bin:$PATH"\n',
  )
  process.exit(1)
}

await import("./main.ts")
// The engine may kill this process, which then keeps nothing of what it has compiled.
module.flushCompileCache()
