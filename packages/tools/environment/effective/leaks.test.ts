import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { messageOf } from "../../base/failure.ts"
import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { checkEnvironments } from "../check.ts"
import { readStackFile } from "../read.ts"
import { describeFinding } from "../rules/rules.ts"
import { listEnvironments } from "../subject.ts"
import { createEnvironments } from "../testing/environments-folder.ts"
import { canary, secretPlaces } from "../testing/secret-places.ts"
import { renderEnvironments, findStale } from "./rendered.ts"

/** All that a check, a refusal, a rendering and its difference say of the folder. */
async function said(directory: string): Promise<string> {
  const findings = checkEnvironments(directory).flatMap(({ refused, accepted, open }) =>
    [refused, accepted, open].flat(),
  )
  const path = join(directory, "Pulumi.production.yaml")
  const refusal = await Promise.resolve()
    .then(() =>
      readStackFile({ path, name: "production", neighbours: listEnvironments(directory, "") }),
    )
    .then((stack) => JSON.stringify(stack), messageOf)
  const rendered = await renderEnvironments(directory)
  return [
    ...findings.map(describeFinding),
    JSON.stringify(findings),
    refusal,
    ...(await findStale(directory)).map(({ diff }) => diff),
    ...rendered.map(({ text }) => text ?? ""),
  ].join("\n")
}

test.each(secretPlaces)("nothing that is said of a stack file holds $title", async ({ change }) => {
  using folder = createEnvironments()
  for (const { path, text } of await renderEnvironments(folder.directory)) {
    writeFileSync(path, text ?? "")
  }
  folder.edit(change)
  const file = join(folder.directory, "Pulumi.production.yaml")
  expect(readFileSync(file, "utf8")).toMatch(/canary/)
  expectNoLeak(await said(folder.directory), { canary })
})
