import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { beforeAll, expect, test, vi } from "vitest"

import { temporaryDirectory } from "../../../daemon/testing/temporary-directory.ts"
import { localCloudflare } from "../../testing/local-cloudflare.ts"
import { measureCoverage, operationName, readRoutes, renderCoverage } from "./coverage.ts"
import { undocumentedRoutes } from "./known-differences.ts"
import { describeOpenapi } from "./openapi-description.ts"
import type { Routes } from "./recorder.ts"
import { describeSdk } from "./sdk-description.ts"

const openapi = process.env["CLOUDFLARE_OPENAPI"]
const descriptions = [describeSdk(), ...(openapi ? [describeOpenapi(openapi)] : [])]
let routes: Routes

beforeAll(async () => {
  await using directory = await temporaryDirectory()
  vi.stubEnv("LOCAL_CLOUDFLARE_EXCHANGES", directory.path)
  await using _cloudflare = await localCloudflare()
  routes = readRoutes(directory.path)
  vi.unstubAllEnvs()
})

test("the documented coverage is up to date: npm run contract prints it", async () => {
  const file = join(import.meta.dirname, "../../../../../docs/local-cloudflare.md")
  const text = await readFile(file, "utf8")
  const [section = ""] = text.split("## Contract\n")[1]?.split("\n## ") ?? []
  const written = cells(section)
  const computed = cells(renderCoverage(measureCoverage(routes, descriptions)))
  // The column of the OpenAPI document is compared only if this machine has the document.
  expect(written.map((row) => row.slice(0, computed[0]?.length))).toEqual(computed)
  expect(written[0]).toHaveLength(5)
})

test("every route is described, or listed with the client that calls it", () => {
  const described = new Set(descriptions.flatMap(({ operations }) => operations.map(operationName)))
  const undescribed = routes.map(operationName).filter((name) => !described.has(name))
  const listed = undocumentedRoutes.filter(({ only }) => !(openapi && only === "openapi"))
  expect(undescribed.filter((name) => !listed.some(({ route }) => route.test(name)))).toEqual([])
  expect(listed.filter(({ route }) => !undescribed.some((name) => route.test(name)))).toEqual([])
})

function cells(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("| --"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
