import { decodeProperties } from "@accounts-stack/pulumi-host/properties"
import { isValues, type Value, type Values } from "@accounts-stack/pulumi-host/properties"
import { expect, test } from "vitest"

import { plan, read, remove } from "./lifecycle.ts"
import { encodeState, withoutDelta } from "./raw-state.ts"
import { type Resource, resources } from "./resources.ts"
import { openSite } from "./testing/site.ts"

const accountId = "6163636f756e74736c6f63616c000001"
const database = resourceOf("d1Database:D1Database")
const worker = resourceOf("worker:Worker")

function resourceOf(type: string): Resource {
  const resource = resources[`cloudflare:index/${type}`]
  if (!resource) throw new Error(`no ${type}`)
  return resource
}

const deletable = Object.entries(resources).filter(([, resource]) => resource.delete)

test.each(deletable)(
  "%s that is gone cannot be deleted, and is read as gone",
  async (_, resource) => {
    const body = JSON.stringify({ errors: [{ code: 10_007, message: "gone" }] })
    await using site = await openSite({ status: 404, body })
    const state = { accountId, zoneId: "z", uuid: "one", id: "one" }
    const existing = { id: "one", state }
    await expect(remove(resource, existing, site.client)).rejects.toThrow(
      /: 404 gone \[code: 10007\]/,
    )
    expect(await read(resource, existing, site.client)).toBeUndefined()
  },
)

/** Returns the propagation policy that a read gives, from the prior state and the answer. */
async function policy(prior: Values, answerFields: object): Promise<Value | undefined> {
  const result = { id: "w", name: "a", observability: { enabled: true, traces: answerFields } }
  await using site = await openSite({ status: 200, body: JSON.stringify({ result }) })
  const id = Object.keys(prior).length === 0 ? `${accountId}/w` : "w"
  const freshState = await read(worker, { id, state: prior }, site.client)
  const observability = freshState?.state["observability"]
  const traces = isValues(observability) ? observability["traces"] : undefined
  return isValues(traces) ? traces["propagationPolicy"] : undefined
}

test("an import invents a policy that the account does not say, and a refresh keeps that of the state", async () => {
  const workerState = (traces: Values) => ({ accountId, id: "w", observability: { traces } })
  expect(await policy({}, { enabled: false })).toBe("authenticated")
  expect(await policy({}, { propagation_policy: "accept" })).toBe("accept")
  expect(await policy(workerState({ enabled: false }), { enabled: false })).toBeUndefined()
  expect(await policy(workerState({ propagationPolicy: "accept" }), { enabled: false })).toBe(
    "accept",
  )
})

test("what was null stays null whatever is written into the outputs, unless the delta goes", () => {
  const config = { accountId, name: "a", primaryLocationHint: "weur" }
  const state = { accountId, name: "a", uuid: "u" }
  const encoded = encodeState(database.fields, { values: state, secrets: new Set() })
  const { __meta: _meta, ...outputs } = decodeProperties(encoded).values
  const written: Values = { ...outputs, primaryLocationHint: "weur" }
  expect(withoutDelta(written)).toEqual(state)
  const planned = (prior: Values) => plan(database, { config, prior })
  expect(planned(withoutDelta(written)).replaces).toEqual(["primaryLocationHint"])
  const { __pulumi_raw_state_delta: _delta, ...believed } = written
  expect(planned(withoutDelta(believed)).changed).toEqual([])
})
