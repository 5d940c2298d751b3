import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

test.each(["CI", "FORCE_COLOR"])("output through a pipe has no colours, also with %s", (name) => {
  const { NO_COLOR: _, ...environment } = process.env
  const nothing = join(tmpdir(), "accounts-no-state")
  const { stderr } = spawnSync(
    process.execPath,
    [join(root, "packages/tools/cli/main.js"), "local", "status", "--state", nothing],
    { encoding: "utf8", env: { ...environment, [name]: "1" } },
  )
  expect(stderr).toBe(
    `error: No local Cloudflare is running on ${nothing}. Start it with \`npm start\`.\n`,
  )
})

test("words of others cannot steer a terminal, hide, or turn a line round, and JSON means the same", () => {
  const text =
    "a\u001B[2J\u009B1m\u0007\r\u202Eb\u200Bc\u2028d\u{E0041}\u001B[31mred\u001B[39m\te\nf"
  const module = JSON.stringify(join(root, "packages/tools/cli/output.ts"))
  const program = `import { print, say } from ${module}; const text = ${JSON.stringify(text)};
    say(text); print(JSON.stringify({ text }))`
  const node = ["--input-type=module", "--eval", program]
  const { stdout, stderr } = spawnSync(process.execPath, node, { encoding: "utf8" })
  expect(stderr).toBe(
    "a\\u001b[2J\\u009b1m\\u0007\\u000d\\u202eb\\u200bc\\u2028d\\udb40\\udc41\u001B[31mred\u001B[39m\te\nf\n",
  )
  expect(stdout).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(stdout)).toEqual({ text })
})
