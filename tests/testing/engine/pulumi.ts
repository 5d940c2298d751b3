import { execFile } from "node:child_process"
import { promisify } from "node:util"

import * as z from "zod"

import type { Checkout } from "../checkout.ts"

const execute = promisify(execFile)

const Values = z.record(z.string(), z.string())

/** What a copy's `local env` makes of the shell that evaluates it. */
export async function shellValues(checkout: Checkout): Promise<z.infer<typeof Values>> {
  const { code, stdout, stderr } = await checkout.run(
    "local",
    "env",
    "--json",
    "--state",
    checkout.state,
  )
  if (code !== 0) throw new Error(stderr)
  return Values.parse(JSON.parse(stdout))
}

/** The engine's own CLI on a copy's state, as in a shell that evaluated `local env`. */
export async function openPulumi(checkout: Checkout) {
  const values = await shellValues(checkout)
  return async (...args: string[]): Promise<string> => {
    const { stdout } = await execute(
      "pulumi",
      ["--cwd", values["ACCOUNTS_PROJECT"] ?? "", "--non-interactive", ...args],
      { env: { ...process.env, ...values } },
    )
    return stdout
  }
}
