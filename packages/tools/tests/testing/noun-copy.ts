import { execFile } from "node:child_process"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import * as z from "zod"

import { root } from "../../base/root.ts"
import { copyCheckout } from "./checkout.ts"

/** What a checkout for the tests of a deployment leaves out, and those of app/ need. */
const rest = [
  "app",
  "examples",
  "packages/client",
  "drizzle.config.ts",
  "packages/tools/tests/testing/vitest",
]

/** A copy whose nouns can be taken away or added, and that can still be checked. */
export function copyForNouns() {
  const checkout = copyCheckout()
  const { directory } = checkout
  for (const path of rest) {
    const to = join(directory, path)
    rmSync(to, { recursive: true, force: true })
    mkdirSync(dirname(to), { recursive: true })
    cpSync(join(root, path), to, {
      recursive: true,
      filter: (file) => !file.includes("node_modules"),
    })
  }
  // The installed packages are those of the checkout, and what is cached beside them is not the copy's.
  checkout.edit("app/vitest.config.ts", (text) =>
    text.replace('"../node_modules/.vite"', '"../.cache/vite"'),
  )
  const run = async (...args: string[]) => {
    const ran = promisify(execFile)(process.execPath, args, {
      cwd: directory,
      env: { ...process.env, NO_COLOR: "1" },
      maxBuffer: 64_000_000,
    })
    return ran.then(({ stdout }) => stdout).catch(textOf)
  }
  const program = (name: string) => join(root, "node_modules", name)
  return {
    ...checkout,
    /** `npm run openapi`, but for its format. */
    describe: async () => [
      await run("infra/openapi/generate.ts"),
      await run("packages/client/generate/main.ts"),
    ],
    /** `npm run migration`; @returns the file that it wrote, and its SQL */
    migrate: async (name: string) => {
      const output = await run("packages/tools/cli/database/generate-migration.ts", "--name", name)
      const [file = ""] = globSync(`migrations/*_${name}.sql`, { cwd: directory })
      if (file === "") throw new Error(output)
      return { file, sql: readFileSync(join(directory, file), "utf8") }
    },
    /** What the compiler says of the service and of its client. */
    compile: async () => [
      await run(program("typescript/bin/tsc"), "-p", "app", "--incremental", "false"),
      await run(program("typescript/bin/tsc"), "-p", "packages/client", "--incremental", "false"),
    ],
    /** Runs tests of the service. */
    test: (...names: string[]) =>
      run(program("vitest/vitest.mjs"), "run", "--root", "app", ...names),
  }
}

const Failed = z.object({ stdout: z.string(), stderr: z.string() })

function textOf(error: unknown): string {
  const { stdout, stderr } = Failed.parse(error)
  return `${stdout}${stderr}${String(error)}`
}
