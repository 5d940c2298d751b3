import { execFile } from "node:child_process"
import { mkdtempDisposableSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import { root as checkout } from "../../base/root.ts"
import { type BaseCommit, checkOutInto } from "./base-commit.ts"

/** Runs in the base's checkout, with the base's own build options. */
const program = `
const { bundle } = await import("./infra/bundle.ts")
const { compatibilityDate, compatibilityFlags } = await import("./app/service/build/runtime.ts")
const { modules } = await bundle({ migrationsHead: process.argv[1] })
const encoded = modules.map(({ name, content }) => ({ name, content: Buffer.from(content).toString("base64") }))
process.stdout.write(JSON.stringify({ modules: encoded, compatibilityDate, compatibilityFlags }))
`

const BaseBundle = z.object({
  /** Contents are base64. */
  modules: z.array(z.object({ name: z.string(), content: z.string() })),
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
})
export type BaseBundle = z.infer<typeof BaseBundle>

/**
 * Bundles the Worker as it was at the base commit, in a temporary directory and with the packages
 * that this checkout has installed.
 * @throws Error with what the build says
 */
export async function buildBase(
  root: string,
  base: BaseCommit,
  signal: AbortSignal,
): Promise<BaseBundle> {
  using parent = mkdtempDisposableSync(join(tmpdir(), "accounts-base-"))
  const directory = join(parent.path, "checkout")
  try {
    checkOutInto(root, base.sha, directory)
    symlinkSync(join(checkout, "node_modules"), join(directory, "node_modules"), "junction")
    const head = base.migrations.at(-1)?.name ?? ""
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program, head],
      { cwd: directory, maxBuffer: 256_000_000, signal },
    )
    return BaseBundle.parse(JSON.parse(stdout))
  } catch (error) {
    throw new Error(firstError(error), { cause: error })
  }
}

const Failed = z.object({ stderr: z.string() })

/** The line that names the error, of all that Node prints about it. */
function firstError(error: unknown): string {
  const stderr = Failed.safeParse(error).data?.stderr ?? ""
  return (
    /^\s*(?:[\w.]*Error[^\n]*|[^\n]*\bERROR\b[^\n]*)/m.exec(stderr)?.[0].trim() ?? messageOf(error)
  )
}
