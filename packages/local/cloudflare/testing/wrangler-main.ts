import { readFileSync } from "node:fs"
import { createRequire, registerHooks } from "node:module"
import { Socket } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { pathToFileURL } from "node:url"

import * as z from "zod"

import { Command, commandTimeout, endOfCommand } from "./wrangler-command.ts"

const program = join(import.meta.dirname, "../../../../node_modules/wrangler/wrangler-dist/cli.js")

const Wrangler = z.object({
  main: z.custom<(args: string[]) => Promise<void>>((main) => typeof main === "function"),
})

/** Loads wrangler's `main`, which its program neither exports nor runs when it is imported. */
function loadWrangler(): z.infer<typeof Wrangler> {
  const url = pathToFileURL(program).href
  const hooks = registerHooks({
    load(loaded, context, next) {
      if (loaded !== url) return next(loaded, context)
      const source = `${readFileSync(program, "utf8")}\nexports.main = main`
      return { format: "commonjs", source, shortCircuit: true }
    },
  })
  const wrangler = Wrangler.parse(createRequire(import.meta.url)(program))
  hooks.deregister()
  return wrangler
}

const wrangler = loadWrangler()
for await (const line of createInterface({ input: new Socket({ fd: 3 }) })) {
  const { cwd, env, args, stdin } = Command.parse(JSON.parse(line))
  process.chdir(cwd)
  process.env = env
  Object.defineProperty(process, "stdin", { value: Readable.from([stdin]), configurable: true })
  const overdue = setTimeout(describeWait, commandTimeout / 2)
  const code = await wrangler.main(args).then(
    () => 0,
    () => 1,
  )
  clearTimeout(overdue)
  // The test deletes its directory next.
  process.chdir(import.meta.dirname)
  const end = `${endOfCommand}${code}\n`
  process.stdout.write(end)
  process.stderr.write(end)
}
process.exit()

/** Goes into the error of a command that never ends. Without it, the command has not even begun. */
function describeWait(): void {
  process.stderr.write(`wrangler waits for ${process.getActiveResourcesInfo().join(", ")}\n`)
}
