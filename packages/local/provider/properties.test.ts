import { childPath } from "@accounts-stack/pulumi-host/properties"
import { afterAll, describe, expect, test } from "vitest"

import { type Fields, settable } from "./property.ts"
import { resources } from "./resources.ts"
import { startPlugin } from "./testing/plugin-process.ts"
import { leavesOf, sampleFields, withValue } from "./testing/sample.ts"

const plugin = await startPlugin({ directory: import.meta.dirname })

afterAll(() => plugin[Symbol.asyncDispose]())

describe.each(Object.entries(resources))("%s", (type, { fields }) => {
  const inputs = sampleFields(fields, "one")
  const leaves = leavesOf(fields)

  test("accepts its sample and finds no change in it", async () => {
    expect(await plugin.check(type, inputs)).toEqual({ failures: {}, inputs })
    const { outputs: olds } = await plugin.create(type, inputs, { preview: true })
    const noDifference = { changes: false, replaces: [], paths: [] }
    expect(await plugin.diff(type, { olds, inputs })).toEqual(noDifference)
  })

  test("treats an unknown value as a change", async () => {
    const { outputs: olds } = await plugin.create(type, inputs, { preview: true })
    for (const { keys, path: at } of leaves) {
      const news = withValue(inputs, keys, unknownMark)
      const { failures } = await plugin.check(type, news)
      const { changes } = await plugin.diff(type, { olds, inputs: news })
      expect({ at, failures, changes }).toEqual({ at, failures: {}, changes: true })
    }
  })

  test("rejects a value of the wrong kind and names its path", async () => {
    for (const { keys, path: at, property } of leaves) {
      const wrong = property.kind === "string" ? 7 : "{nonsense"
      const { failures } = await plugin.check(type, withValue(inputs, keys, wrong))
      expect(failures).toEqual({ [at]: expect.stringMatching(/^must be /) })
    }
  })

  test("rejects an unknown choice and lists the known ones", async () => {
    for (const { keys, path: at, property } of leaves) {
      const [first] = property.oneOf ?? []
      if (first === undefined) continue
      const { failures } = await plugin.check(type, withValue(inputs, keys, "nonsense"))
      expect(failures).toEqual({ [at]: expect.stringContaining(`must be one of ${first}`) })
    }
  })

  test("reports missing required properties", async () => {
    for (const { keys, path: at, property } of leaves) {
      if (property.presence !== "required" || typeof keys.at(-1) === "number") continue
      const { failures } = await plugin.check(type, withValue(inputs, keys, undefined))
      expect(failures).toEqual({ [at]: "is required; add it" })
    }
    const required = Object.keys(fields).filter((name) => fields[name]?.presence === "required")
    const { failures } = await plugin.check(type, {})
    expect(Object.keys(failures).toSorted()).toEqual(required.toSorted())
  })

  test("rejects unknown properties and those that only Cloudflare sets", async () => {
    for (const { keys, reserved } of holdersOf(fields)) {
      for (const [name, reason] of [["nonsense", "is unknown"], ...reserved] as const) {
        const place = [...keys, name]
        const at = place.reduce<string>(childPath, "")
        const { failures } = await plugin.check(type, withValue(inputs, place, "x"))
        expect(failures).toEqual({ [at]: expect.stringContaining(reason) })
      }
    }
  })
})

const unknownMark = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

type Holder = { keys: (string | number)[]; reserved: [string, string][] }

/** Every object in the inputs, with the properties that only Cloudflare sets. */
function holdersOf(fields: Fields, keys: (string | number)[] = []): Holder[] {
  const entries = Object.entries(fields)
  const reserved = entries.filter(([, property]) => !settable(property))
  const here: Holder = { keys, reserved: reserved.map(([name]) => [name, "is set by Cloudflare"]) }
  const inside = entries.flatMap(([name, property]) => {
    if (!settable(property)) return []
    const item = "item" in property ? property.item : property
    const step = property.kind === "object" ? [] : [0]
    return item.kind === "object" ? holdersOf(item.fields, [...keys, name, ...step]) : []
  })
  return [here, ...inside]
}
