import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { renderValidations } from "./validation-table.ts"
import { validations } from "./validations.ts"

const cloudflare = join(import.meta.dirname, "..")
const sources = /^(?:assumed|own|(?:openapi|wrangler|docs|report|runtime): .+)$/

test("every refusal in the code is listed with its code and its source", async () => {
  const written: Record<string, string[]> = {}
  for (const file of globSync("**/*.ts", { cwd: cloudflare }).toSorted()) {
    if (/\.test\.ts$|\/testing\//.test(file)) continue
    const text = await readFile(join(cloudflare, file), "utf8")
    // The second argument is the code: `code.name`, or a variable where it depends on the route.
    const refusals = text.matchAll(
      /new (?:ApiError|UnknownInputError|ErrorClass)\(\s*\d+,\s*([\w.]+)/g,
    )
    const codes = [...refusals].map(([, code = ""]) => /^\w*[cC]ode\.(\w+)$/.exec(code)?.[1] ?? "*")
    if (codes.length > 0) written[file] = codes
  }
  const listed = Object.entries(validations).map(([file, refusals]) => [
    file,
    refusals.map(({ code }) => code),
  ])
  expect(Object.fromEntries(listed)).toEqual(written)
  for (const { what, source } of Object.values(validations).flat()) {
    expect([what, source]).toEqual([what, expect.stringMatching(sources)])
  }
})

test("docs/local-validations.md is what the code says", async () => {
  const file = join(cloudflare, "../../docs/local-validations.md")
  await expect(renderValidations()).toMatchFileSnapshot(file)
})
