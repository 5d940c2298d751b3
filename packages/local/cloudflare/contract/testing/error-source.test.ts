import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { code } from "../../../api/envelope.ts"
import { describeErrorSources, errorSources } from "./error-source.ts"

test("every error code names its source, and the document has the share that is assumed", async () => {
  for (const [name, source] of Object.entries(errorSources)) {
    expect([name, source]).toEqual([
      name,
      expect.stringMatching(/^(?:assumed|(?:openapi|wrangler|docs|report): .+)$/),
    ])
  }
  const numbers = Object.values(code)
  expect(new Set(numbers).size).toBe(numbers.length)
  const file = join(import.meta.dirname, "../../../../../docs/local-cloudflare.md")
  const text = await readFile(file, "utf8")
  const written = /\d+ error codes, \d+ of them assumed \(\d+ %\)/.exec(text)?.[0]
  expect(written).toBe(describeErrorSources().split(":")[0])
})
