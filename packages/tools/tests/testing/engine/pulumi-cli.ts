import { execFile } from "node:child_process"
import { promisify } from "node:util"

import * as z from "zod"

import type { Checkout } from "../checkout.ts"

const execute = promisify(execFile)

const Values = z.record(z.string(), z.string())

/** The environment variables that a copy's `local env` exports. */
export async function readShellValues(checkout: Checkout): Promise<z.infer<typeof Values>> {
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

/** Runs `pulumi` on a copy's state, with the environment variables of `local env`. */
export async function openPulumiCli(checkout: Checkout) {
  const values = await readShellValues(checkout)
  return async (...args: string[]): Promise<string> => {
    const { stdout } = await execute(
      "pulumi",
      ["--cwd", values["ACCOUNTS_PROJECT"] ?? "", "--non-interactive", ...args],
      { env: { ...process.env, ...values } },
    )
    return stdout
  }
}
