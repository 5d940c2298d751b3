import { expect, test } from "vitest"

import { createEnvironments, set } from "../testing/environments-folder.ts"
import { compareEnvironments } from "./compare.ts"
import { renderEnvironments } from "./rendered.ts"

async function compare(directory: string) {
  const rendered = await renderEnvironments(directory)
  const [staging, production] = ["staging", "production"].map((name) => {
    const text = rendered.find(({ stack }) => stack === name)?.text
    return { name, text: text ?? "" }
  })
  return staging && production ? compareEnvironments(staging, production) : []
}

test("two environments alike differ in what the rules require, and in their mail service", async () => {
  using folder = createEnvironments()
  const differences = await compare(folder.directory)
  expect(differences.length).toBeGreaterThan(15)
  const unexplained = differences.filter(({ required }) => required === undefined)
  expect(unexplained.map(({ section, key }) => `${section}: ${key}`)).toEqual([
    "bindings: MAIL_URL",
  ])
})

test("what nobody requires is marked, with both values", async () => {
  using folder = createEnvironments()
  folder.edit(set("crons", ["5 * * * *"]))
  folder.edit(set("mailFrom", "no-reply@acme.com"))
  const differences = await compare(folder.directory)
  expect(differences).toContainEqual({
    section: "runtime",
    key: "crons",
    before: "17 * * * *",
    after: "5 * * * *",
    required: undefined,
  })
  expect(differences).toContainEqual(
    expect.objectContaining({ key: "MAIL_FROM", before: undefined, required: undefined }),
  )
})
