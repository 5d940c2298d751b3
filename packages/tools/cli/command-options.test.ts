import { spawnSync } from "node:child_process"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "packages/tools/cli/main.js"), ...args],
    // Without a token nothing may be reached, whatever the command believes.
    { encoding: "utf8", env: { ...process.env, CLOUDFLARE_API_TOKEN: "" } },
  )
  return { status, stdout, stderr }
}

test.each([
  [["repair", "-s", "staging", "--port", "9000"], "--port", "staging"],
  [["up", "-s", "production", "--yes", "--api-port", "0"], "--api-port", "production"],
  [["branch", "list", "--port", "9000"], "--port", "this"],
])("%j is refused: a stack at Cloudflare has no port of this machine", (args, flag, what) => {
  expect(run(...args)).toEqual({
    status: 2,
    stdout: "",
    stderr: `error: ${flag} is of this machine's Cloudflare, and ${what} is at Cloudflare. Leave it out, or add --local.\n`,
  })
})

test.each([
  [["destroy", "-s", "staging", "--non-interactive"], "Delete all of staging"],
  [["--non-interactive", "destroy", "-s", "local"], "Delete all of local"],
  [["branch", "sweep", "--local", "--non-interactive"], "Delete the previews"],
])("%j asks nothing and changes nothing", (args, question) => {
  const { status, stderr } = run(...args)
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(question) })
  expect(stderr).toContain("Confirm with --yes.")
})
