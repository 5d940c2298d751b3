import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"

import type { Values } from "@accounts-stack/pulumi-host/properties"
import { afterAll, describe, expect, test } from "vitest"

import type { JsonObject } from "./api-json.ts"
import type { Property } from "./property.ts"
import { resources } from "./resources.ts"
import { openAnsweringSite } from "./testing/answering-site.ts"
import { changeTo, startPlugin } from "./testing/plugin-process.ts"
import { answerWithout, answerWith, rowsOf, sampleAnswer } from "./testing/row.ts"
import { sampleFields, sampleOf, withValue } from "./testing/sample.ts"

const { PULUMI_HOME: home = join(homedir(), ".pulumi"), ACCOUNTS_PROVIDER: choice } = process.env
const official = join(home, "plugins/resource-cloudflare-v6.22.1/pulumi-resource-cloudflare")
const command = choice === "official" && existsSync(official) ? official : undefined

const site = await openAnsweringSite()
const plugin = await startPlugin({ directory: import.meta.dirname, command })
await plugin.configure({ baseUrl: site.url, apiToken: "a".repeat(40) })

afterAll(async () => {
  await plugin[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

/** Compares the provider with each row of the table, whatever the API answers for its property. */
describe.each(Object.entries(resources))(
  `${command ? "official" : "stand-in"}: %s`,
  (type, resource) => {
    const { fields, importId } = resource
    const rows = rowsOf(fields)
    const answer = { ...sampleAnswer(fields, "one"), id: "the-id", uuid: "the-id" }
    const inputs = sampleFields(fields, "one")
    /** A custom domain is replaced, never updated. */
    const updatable = resource.update ? [type] : []
    const importedBy = importId.map((part) => (part === "id" ? "the-id" : "one")).join("/")

    async function make() {
      site.answer(200, answer)
      const checked = await plugin.check(type, inputs)
      expect(checked.failures).toEqual({})
      const created = await plugin.create(type, checked.inputs ?? {})
      return { ...created, inputs: checked.inputs ?? {} }
    }

    /** The inputs with another value of one property that is updated. */
    async function changeOf(values: Values) {
      const change = rows.find(({ keys, property, replaces }) => {
        const { presence, default: value } = property
        return keys.length === 1 && presence !== "computed" && value === undefined && !replaces
      })
      if (!change) throw new Error(`${type} has no property that is updated`)
      const news = withValue(values, change.keys, sampleOf(change.property, "other"))
      const { inputs: checked } = await plugin.check(type, news)
      return { key: change.keys[0], news: checked }
    }

    async function read(result: unknown, from?: Awaited<ReturnType<typeof make>>) {
      site.answer(200, result)
      const imported = from ?? { id: importedBy, outputs: {}, inputs: {} }
      const { outputs = {} } = (await plugin.read(type, imported)) ?? {}
      return outputs
    }

    test("creates with every property that a program sets", async () => {
      await make()
      const [request] = site.taken()
      const sentRows = rows.filter(
        ({ property }) => property.presence !== "computed" && !property.where,
      )
      for (const { json, path } of sentRows) {
        expect([path, json(request?.body)]).not.toContain(undefined)
      }
      expect(request?.method).toBe(resource.create.method.toUpperCase())
    })

    const leaves = rows.filter(({ path, property: { kind, where } }) => {
      return path !== resource.id && kind !== "object" && !where
    })
    const otherAnswer = { ...sampleAnswer(fields, "other"), id: "the-id", uuid: "the-id" }

    const required = Object.entries(fields).filter(([, { presence }]) => presence === "required")
    const little = sampleFields(Object.fromEntries(required), "one")

    async function makeOfLittle(jsonObject: JsonObject) {
      const { inputs: checked } = await plugin.check(type, little)
      site.answer(200, jsonObject)
      return { ...(await plugin.create(type, checked)), inputs: checked }
    }

    function changedPaths(before: unknown, after: unknown) {
      const changed = leaves.filter(({ value }) => !isDeepStrictEqual(value(before), value(after)))
      return changed.map(({ path }) => path)
    }

    test("takes from the answer to a creation what neither the program nor a default sets", async () => {
      const created = await makeOfLittle(answer)
      const createdOtherwise = await makeOfLittle(otherAnswer)
      const answeredLeaves = leaves.filter(({ within }) => within.some(isLeft))
      expect(changedPaths(created.outputs, createdOtherwise.outputs)).toEqual(
        answeredLeaves.map(({ path }) => path),
      )
    })

    test.each(updatable)(
      "takes from the answer to an update what Cloudflare sets and what state lacks",
      async () => {
        const unsetRows = rows.filter(
          ({ property }) => isLeft(property) && property.presence === "either",
        )
        for (const lacking of [[], unsetRows]) {
          const created = await makeOfLittle(lacking.reduce(answerWithout, answer))
          const { key, news } = await changeOf(little)
          site.answer(200, otherAnswer)
          const updated = await plugin.update(type, changeTo(created, news))
          const answeredLeaves = leaves.filter(({ keys, within: [top], path }) => {
            return (
              keys[0] === key ||
              top?.presence === "computed" ||
              lacking.some((row) => path.startsWith(row.path))
            )
          })
          expect(changedPaths(created.outputs, updated)).toEqual(
            answeredLeaves.map(({ path }) => path),
          )
        }
      },
    )

    test("writes into state what the official provider reads in it, and reads nothing else", async () => {
      const created = await make()
      const { [resource.id]: id, ...without } = created.outputs
      expect([created.outputs["id"], id]).toEqual([created.id, created.id])
      const reading = plugin.read(type, { ...created, outputs: { __meta: "{}", ...without } })
      await expect(reading).rejects.toThrow(`missing required ${resource.idParameter} parameter`)
      const states = [created, await makeOfLittle({ id: "the-id", uuid: "the-id" })]
      const beside = states.map(({ outputs }) => {
        const { __meta, __pulumi_raw_state_delta: delta } = outputs
        return { __meta, delta }
      })
      const written = `${JSON.stringify(beside, null, 1)}\n`
      await expect(written).toMatchFileSnapshot(`raw-state/${resource.source.folder}.txt`)
    })

    test("reads back what the table says it reads", async () => {
      const created = await make()
      for (const row of rows.filter(({ property }) => !property.where)) {
        const { path, property, value } = row
        const another = await read(answerWith(answer, row), created)
        const expectedValue = property.writeOnly ? value(created.outputs) : value(another)
        expect([path, value(another)]).toEqual([path, expectedValue])
        const changed = JSON.stringify(value(another)) !== JSON.stringify(value(created.outputs))
        expect([path, changed]).toEqual([path, !property.writeOnly])
      }
    })

    test("clears what an answer leaves out, except properties that the table keeps", async () => {
      const created = await make()
      for (const row of rows.filter(({ property }) => !property.where)) {
        const { path, property, value } = row
        // Without its id it is no answer.
        if (path === resource.id) continue
        const refreshed = value(await read(answerWithout(answer, row), created))
        const keeps = property.writeOnly || property.imported !== undefined
        const empty =
          property.kind === "object" && property.presence === "optional" ? {} : undefined
        expect([path, refreshed]).toEqual([path, keeps ? value(created.outputs) : empty])
      }
    })

    test("imports what the table says, and invents what it says", async () => {
      const properties = await read(answer)
      for (const { path, property, value } of rows) {
        expect([path, value(properties) === undefined]).toEqual([path, property.writeOnly ?? false])
      }
      for (const row of rows.filter(({ property }) => property.imported !== undefined)) {
        expect(row.value(await read(answerWithout(answer, row)))).toBe(row.property.imported)
      }
      site.answer(404, null)
      const deletedRead = plugin.read(type, { id: importedBy, outputs: {}, inputs: {} })
      await expect(deletedRead).rejects.toThrow("404")
    })

    test("replaces or updates as the table says, and says with it what Cloudflare may change", async () => {
      const counted = Object.keys(fields).filter((name) => {
        return fields[name]?.presence === "computed" && !fields[name].stable
      })
      const { outputs } = await make()
      for (const { path, keys, property, replaces } of rows) {
        if (property.presence === "computed" || property.kind === "object") continue
        const news = withValue(inputs, keys, sampleOf(property, "other"))
        const { inputs: checked } = await plugin.check(type, news)
        const difference = await plugin.diff(type, { olds: outputs, inputs: checked })
        const { changes, replaces: replaced, paths } = difference
        expect([path, changes, replaced]).toEqual([path, true, replaces ? [keys[0]] : []])
        // Another account changes nothing else of a Worker.
        if (property.where) continue
        expect([path, new Set(paths)]).toEqual([path, new Set([keys[0], ...counted])])
      }
    })

    test("fails to delete what is gone, and reads it as gone", async () => {
      const created = await make()
      site.answer(404, null)
      expect(await plugin.read(type, created)).toBeUndefined()
      await expect(plugin.remove(type, created)).rejects.toThrow("404")
      site.answer(200, answer)
      site.taken()
      await plugin.remove(type, created)
      expect(site.taken().map(({ method }) => method)).toEqual(["DELETE"])
    })

    test("sends a creation again whose answer is lost, also once the engine cancels", async () => {
      site.taken()
      site.answer(500, null)
      setTimeout(() => {
        site.answer(400, null)
        void plugin.cancel()
      }, 300)
      await expect(plugin.create(type, inputs)).rejects.toThrow("400")
      expect(site.taken().length).toBeGreaterThan(1)
    })

    test.each(updatable)("updates with every property that state has", async () => {
      const created = await make()
      site.answer(200, answer)
      site.taken()
      await plugin.update(type, changeTo(created, (await changeOf(inputs)).news))
      const [request] = site.taken()
      expect(request?.method).toBe("PUT")
      for (const { json, path, property } of rows) {
        if (property.presence === "computed" || property.where) continue
        expect([path, json(request?.body)]).not.toContain(undefined)
      }
    })
  },
)

test("every row names its line", () => {
  for (const { fields } of Object.values(resources)) {
    for (const { path, property } of rowsOf(fields)) {
      // References to a Worker are read and never sent.
      if (path.startsWith("references.")) continue
      expect([path, property.at]).toEqual([path, expect.any(Number)])
    }
  }
})

/** Whether its value is Cloudflare's where the program gives none. */
function isLeft({ presence, default: value, defaultFrom }: Property): boolean {
  return presence === "computed" || (presence === "either" && value === undefined && !defaultFrom)
}
