import { expect, test } from "vitest"

import { changesBetween } from "../../environment/effective/facts.ts"
import { renderEnvironments } from "../../environment/effective/rendered.ts"
import { createEnvironments, set } from "../../environment/testing/environments-folder.ts"
import { reviewText } from "../review/review-text.ts"
import { sectionsOf } from "./sections.ts"
import { planOfRecording } from "./testing/recording.ts"

const packages = { changed: [], doubts: [], scripts: [] }
const withoutCode = { judge: undefined, code: [], packages }

/** Changes of an edit in production's effective file. */
async function changesOf(...edit: Parameters<typeof set>) {
  using folder = createEnvironments()
  const render = async () => {
    const rendered = await renderEnvironments(folder.directory)
    return rendered.find(({ stack }) => stack === "production")?.text
  }
  const before = await render()
  folder.edit(set(...edit))
  return changesBetween(before, await render())
}

async function dangersOf(...edit: Parameters<typeof set>): Promise<string[]> {
  const plan = await planOfRecording("nothing")
  const sections = sectionsOf({ ...plan, compared: true, facts: await changesOf(...edit) })
  const dangers = sections.find(({ title }) => title === "danger")?.lines ?? []
  return dangers.map(({ text }) => text)
}

test("a plan warns of what ends all sessions, in the words of the effective files", async () => {
  const warning = "SIGNS EVERY MEMBER OUT: the session cookie becomes another one"
  expect(await dangersOf("cookieDomain", undefined)).toEqual([warning])
  expect(await dangersOf("cookieDomain", "app.acme.com")).toEqual([warning])
  expect(await dangersOf("patience", 90)).toEqual([])
})

test("a plan says loudly that every passkey stops working, and else who gets in", async () => {
  const plan = await planOfRecording("nothing")
  const dangers = (before: string | undefined, after: string) => {
    const bindings = [{ name: "PASSKEYS", before, after }]
    const danger = sectionsOf({ ...plan, bindings }).find(({ title }) => title === "danger")
    return danger?.lines.map(({ text }) => text) ?? []
  }
  expect(dangers("acme.com", "api.acme.com")).toEqual([
    "EVERY PASSKEY STOPS WORKING: they belong to acme.com",
  ])
  expect([...dangers(undefined, "acme.com"), ...dangers("off", "acme.com")]).toEqual([
    "passkeys let members in",
    "passkeys let members in",
  ])
})

test.each([
  ["jurisdiction", "eu", true],
  ["location", "apac", true],
  ["location", undefined, false],
  ["patience", 90, false],
])("a review says whether the database would be lost: %s %s", async (key, value, lost) => {
  const changes = await changesOf(key, value)
  expect(changes).not.toEqual([])
  const text = reviewText({
    ...withoutCode,
    environments: [{ name: "production", changes }],
    refused: [],
    inherited: [],
    api: [],
    accepted: [],
    stale: [],
    routes: [],
    migrations: [],
    bundle: { before: undefined, after: undefined },
    preview: undefined,
  })
  expect(text.includes("Its database would be replaced by an empty one")).toBe(lost)
})
