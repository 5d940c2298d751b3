import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

/** In full, as many as there are of them. */
const visits = process.env["SOAK_BUDGET"] === "full" ? 10_000 : 8

test("no fault of the database at a round trip of a route leaves half of something", async () => {
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "workers", "app/faults-by-route"],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, FAULT_VISITS: String(visits) },
    },
  )
  const ended = new Promise((resolve) => child.once("close", resolve))
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  expect({ code, output, errors }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/Tests .*[1-9]\d* passed/),
  })
})
