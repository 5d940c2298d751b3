import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

const rounds = process.env["SOAK_BUDGET"] === "full" ? 200 : 20

test(`no public route tells a known address from an unknown one, by ${rounds} inputs each`, async () => {
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "workers", "app/auth/enumeration"],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, SEEDED_ROUNDS: String(rounds) },
    },
  )
  const ended = new Promise((resolve) => child.once("close", resolve))
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  expect({ code, output, errors }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/Tests .*[1-9]\d* passed/),
  })
})
