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
