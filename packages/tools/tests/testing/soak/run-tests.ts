import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"

import { expect } from "vitest"

import { root } from "../../../base/root.ts"

/** Result of `runTests` for tests that pass. */
export const passed = { code: 0, output: expect.stringMatching(/Tests .*[1-9]\d* passed/) }

/** Runs tests of another project with a larger budget, which variables of the environment say. */
export async function runTests(project: string, path: string, env: Record<string, string>) {
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", project, path],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } },
  )
  const exit = new Promise((resolve) => child.once("close", resolve))
  const [code, output, errors] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
  return { code, output, errors }
}
