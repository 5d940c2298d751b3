import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { generateFiles } from "./files.ts"

test("the client's types and calls follow from app/service/openapi/openapi.json; if not, run npm run openapi", async () => {
  for (const [name, text] of Object.entries(await generateFiles())) {
    expect(readFileSync(join(import.meta.dirname, "../src", name), "utf8"), name).toBe(text)
  }
})
