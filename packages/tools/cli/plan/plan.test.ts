import { readdirSync } from "node:fs"
import { join } from "node:path"

import { secretSignature } from "@accounts-stack/pulumi-host/properties"
import { createColors } from "picocolors"
import { expect, test } from "vitest"
import * as z from "zod"

import { databaseIdentity } from "../../deploy/database-identity.ts"
import { readStackFile } from "../../environment/read.ts"
import { createEnvironments, set } from "../../environment/testing/environments-folder.ts"
import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { describeError } from "../error-report.ts"
import { planInMarkdown, planText } from "./plan-text.ts"
import { expectDatabase, expectPlan, findLostDatabase, makePlan, type Plan } from "./plan.ts"
import { readSteps, type Step } from "./step.ts"
import { planOfRecording, readRecording, recordings } from "./testing/recording.ts"

const plain = createColors(false)
const names = readdirSync(recordings).map((file) => file.replace(/\.ndjson$/, ""))

/** Values of the stack of which `packages/tools/tests/testing/engine/record-plans.ts` recorded. */
const recordedSecrets = {
  first: "canary-0123456789".repeat(3),
  second: "canary-of-another-value-".repeat(2),
}

test.each(names)(
  "an operator reads what an edit does, by the events of a real engine: %s",
  async (name) => {
    const plan = await planOfRecording(name)
    const text = `${planText(plan, plain)}\n`
    await expect(text).toMatchFileSnapshot(`golden/${name}.txt`)
    expectNoLeak(text + planInMarkdown(plan) + JSON.stringify(plan), recordedSecrets)
  },
)

/** Edits without a plan: what the operator reads in its place. */
const refusals: Record<string, () => unknown> = {
  location: () => {
    const olds = { accountId: "0".repeat(32), name: "accounts-staging", location: "weur" }
    return databaseIdentity.diff({ olds, oldInputs: olds, inputs: { ...olds, location: "apac" } })
  },
  "secret-in-clear": () => {
    using folder = createEnvironments()
    folder.edit(set(["secrets", "MAIL_SECRET"], "canary-in-clear"))
    const path = join(folder.directory, "Pulumi.production.yaml")
    const label = "environments/Pulumi.production.yaml"
    return readStackFile({ path, name: "production", label })
  },
}

test.each(Object.entries(refusals))(
  "what is refused before there is a plan says what is wrong and what to do: %s",
  async (name, refuse) => {
    const text = await Promise.resolve()
      .then(refuse)
      .then(() => "", describeError)
    await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.txt`)
    expect(text).not.toBe("")
    expectNoLeak(text, { canary: "canary-in-clear" })
  },
)

test("a plan of a stack on this machine names the command that leads to it, and not to Cloudflare's", async () => {
  const plan = await planOfRecording(names.find((name) => name !== "nothing") ?? "")
  const command = `./accounts up -s ${plan.stack} --local --plan ${plan.digest}`
  const place = { stack: plan.stack, local: true }
  expect(planText(plan, plain, place)).toContain(command)
  expect(planInMarkdown(plan, place)).toContain(command)
})

test("where nothing changes, a plan is one line", async () => {
  const plan = await planOfRecording("nothing")
  expect(planText(plan, plain)).toMatch(
    /^staging: nothing changes\. Live now: \S+ at 100 %, deployed by [^\n]+$/,
  )
})

test("every edit has a digest of its own, and the same one in every run", async () => {
  const plans = await Promise.all(names.map(planOfRecording))
  const secondReading = await Promise.all(names.map(planOfRecording))
  expect(secondReading.map(({ digest }) => digest)).toEqual(plans.map(({ digest }) => digest))
  expect(new Set(plans.map(({ digest }) => digest)).size).toBe(names.length)
})

const { engine, events, live } = readRecording("origin")

/** The digest of a plan of the same edit, where something else is otherwise. */
function digestWith(change: { live?: Plan["live"]; steps?: Step[] }): string {
  const { live: serves = live, steps = engine.steps } = change
  const recorded = { ...engine, steps }
  const options = { stack: "staging", engine: recorded, files: [] }
  return makePlan({ ...options, live: serves ?? undefined }).digest
}

function changeStep(type: string, change: (step: Step) => Partial<Step>): Step[] {
  return engine.steps.map((step) => (step.type === type ? { ...step, ...change(step) } : step))
}

test("a digest stands for what will happen, and for nothing that differs from run to run", () => {
  if (!live) throw new Error("The recording has nothing that serves")
  const digest = digestWith({})
  const sameVersion = { ...live, id: "another", at: "2027-01-01", author: "ada", message: "again" }
  expect(digestWith({ live: sameVersion })).toBe(digest)
  // The engine works on several resources at once.
  expect(digestWith({ steps: readSteps(events.toReversed()).steps })).toBe(digest)

  const [serves] = live.split
  const variants = [
    digestWith({ live: { ...live, split: [{ versionId: "another", percentage: 100 }] } }),
    digestWith({ live: { ...live, split: serves ? [{ ...serves, percentage: 90 }] : [] } }),
    digestWith({ steps: changeStep("Release", () => ({ operation: "replace" })) }),
    digestWith({
      steps: changeStep("Version", ({ differences }) => ({
        differences: { ...differences, "bindings.AUTH_SECRET": "update" },
      })),
    }),
    digestWith({
      steps: changeStep("Version", ({ after }) => ({
        after: after && { ...after, inputs: { ...after.inputs, bundle: "0".repeat(64) } },
      })),
    }),
    digestWith({
      steps: changeStep("Verification", ({ after }) => ({
        after: after && { ...after, inputs: { ...after.inputs, facts: { "reach: api": "x" } } },
      })),
    }),
  ]
  expect(new Set([digest, ...variants]).size).toBe(variants.length + 1)
})

test("another plan than the approved one is refused", async () => {
  const plan = await planOfRecording("origin")
  expect(() => expectPlan(plan, plan.digest)).not.toThrow()
  expect(() => expectPlan(plan, "0".repeat(32))).toThrow(
    `is not the plan ${"0".repeat(32)}: its digest is ${plan.digest}. Nothing was changed.`,
  )
})

/** The engine's placeholder for a secret. */
const hidden = secretSignature

test("bindings that the engine hides as a whole are said to be unknown, never left out", async () => {
  const steps = changeStep("Version", ({ after }) => ({
    operation: "update",
    differences: { bindings: "update" },
    after: after && { ...after, inputs: { ...after.inputs, bindings: hidden } },
  }))
  const plan = makePlan({
    stack: "staging",
    engine: { ...engine, steps },
    files: [],
    live: live ?? undefined,
  })
  expect(planText(plan, plain)).toMatch(/what changes in them is NOT KNOWN/)
})

test("what others wrote steers no terminal, and is no mention, link or HTML in Markdown", async () => {
  const plan = await planOfRecording("origin")
  if (!plan.live) throw new Error("The recording has nothing that serves")
  const message = "\u001B[2J `@acme/ops`\n```\n<img src=x> [x](https://evil.com)"
  const written = { ...plan, live: { ...plan.live, message } }
  expect(planText(written, plain)).not.toContain("\u001B")
  const outside = planInMarkdown(written).replaceAll(/^```text$[^]*?^ {0,3}```$/gm, "")
  expect(outside).not.toMatch(/@acme|<img|evil\.com/)
})

/** Text of the plan of a recorded edit, with other steps. */
function textWith(steps: Step[]): string {
  const recorded = { stack: "staging", engine: { ...engine, steps }, files: [] }
  return planText(makePlan({ ...recorded, live: live ?? undefined }), plain)
}

function sealAnew(text: string) {
  return ({ after }: Step): Partial<Step> => {
    const facts = Object.assign({}, after?.inputs["facts"], { "secrets: AUTH_SECRET": text })
    return { after: after && { ...after, inputs: { ...after.inputs, facts } } }
  }
}

test("a secret with another value is told from one that is only sealed again", () => {
  const sealed = changeStep("Verification", sealAnew("sealed in Pulumi.staging.yaml, seal 0123"))
  const onlySealed = sealed.filter(({ type }) => type !== "Version")
  expect(textWith(onlySealed)).toContain(
    "~ AUTH_SECRET: the same value, sealed again: sealed in Pulumi.staging.yaml, seal 0123",
  )
  const changed = sealed.map((step) =>
    step.type === "Version"
      ? Object.assign({}, step, { differences: { "bindings.AUTH_SECRET": "update" } })
      : step,
  )
  const text = textWith(changed)
  expect(text).toContain("~ AUTH_SECRET: another value (sealed in Pulumi.staging.yaml, seal 0123)")
  expect(text).toContain("! SIGNS EVERY MEMBER OUT: AUTH_SECRET becomes another one")
})

const previous = "AUTH_SECRET_PREVIOUS"

function at(text: string) {
  return { AUTH_SECRET_FROM: { type: "plain_text", text } }
}

/** Text of the plan of a recorded edit, with additional bindings. */
function textWithBindings({
  before = {},
  after = {},
  changed = [],
}: {
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  changed?: string[]
}): string {
  const bound = z.object({ bindings: z.record(z.string(), z.unknown()) })
  const having = (state: Step["before"], added: Record<string, unknown>) => {
    if (!state) throw new Error("The recording has a version before and after")
    const { bindings } = bound.parse(state.inputs)
    return { ...state, inputs: { ...state.inputs, bindings: { ...bindings, ...added } } }
  }
  const steps = changeStep("Version", (step) => ({
    before: having(step.before, before),
    after: having(step.after, after),
    differences: Object.fromEntries(changed.map((name) => [`bindings.${name}`, "update"])),
  }))
  return textWith(steps)
}

const [from, until] = ["2026-11-23 12:00 UTC", "2026-11-30 12:00 UTC"]
const started = { [previous]: hidden, ...at("2026-11-23T12:00:00Z") }

test("a plan says that AUTH_SECRET is rotated, until when, and that no member is signed out", () => {
  const text = textWithBindings({ after: started, changed: ["AUTH_SECRET"] })
  expect(text).toContain(
    `~ AUTH_SECRET is rotated and signs from ${from}: sessions signed by the previous value stay valid until ${until}`,
  )
  expect(text).not.toContain("SIGNS EVERY MEMBER OUT")
  // A rotation in place of one that has ended.
  const restarted = { ...started, ...at("2026-12-24T12:00:00Z") }
  const changed = ["AUTH_SECRET", previous]
  const second = textWithBindings({ before: started, after: restarted, changed })
  expect(second).toContain("stay valid until 2026-12-31 12:00 UTC")
  expect(second).not.toContain("SIGNS EVERY MEMBER OUT")
})

test("a plan says that a rotation ends, and when the sessions of the former value did", () => {
  const text = textWithBindings({ before: started })
  expect(text).toContain(`~ the rotation of AUTH_SECRET ends: `)
  expect(text).toContain(`it was needed until ${until}`)
})

test("a secret that is replaced beside an older rotation still signs every member out", () => {
  const changed = ["AUTH_SECRET"]
  const text = textWithBindings({ before: started, after: started, changed })
  expect(text).toContain("! SIGNS EVERY MEMBER OUT: AUTH_SECRET becomes another one")
  expect(text).not.toContain("is rotated")
})

test("a permanent database that is gone stands first, and is recreated only by its name", () => {
  const state = { inputs: { name: "accounts-staging" }, outputs: {}, retainOnDelete: false }
  const step = { type: "D1Database", name: "accounts", internal: false, differences: {} } as const
  const guarded = { ...state, protect: true }
  const creation = {
    ...step,
    operation: "create",
    before: undefined,
    after: guarded,
    replacing: [],
  }
  const loss = { ...step, operation: "refresh", before: guarded, after: undefined, replacing: [] }
  const reading = { ...loss, after: guarded }
  const find = (steps: Step[], refreshed: Step[]) =>
    findLostDatabase({ steps, refreshed, changes: {} })
  expect(find([creation], [])).toBeUndefined()
  expect(find([creation], [reading])).toBeUndefined()
  expect(find([{ ...creation, after: { ...state, protect: false } }], [loss])).toBeUndefined()
  const lostDatabase = find([creation], [loss])
  expect(lostDatabase).toBe("accounts-staging")
  const [plan, here] = [{ lostDatabase }, { stack: "staging", local: true }]
  for (const name of [undefined, "accounts"]) {
    expect(() => expectDatabase(plan, here, name)).toThrow(
      /accounts-staging of staging is gone.* up -s staging --local --recreate-database accounts-staging,/,
    )
  }
  expect(() => expectDatabase(plan, here, "accounts-staging")).not.toThrow()
  const lost = { steps: [creation], refreshed: [loss], changes: {} }
  const text = planText(
    makePlan({ stack: "staging", engine: lost, files: [], live: undefined }),
    plain,
  )
  expect(text.split("\n")[2]).toMatch(/^danger +! THE DATABASE accounts-staging IS GONE/)
  expect(text).toContain("--recreate-database accounts-staging")
})

test("what is replaced or deleted stands before everything else", () => {
  const replaced = changeStep("D1Database", () => ({ operation: "replace", replacing: ["name"] }))
  expect(textWith(replaced).split("\n")[2]).toMatch(/^danger +! REPLACES database accounts .*name$/)
  const deleted = changeStep("CronTriggers", () => ({ operation: "delete" }))
  expect(textWith(deleted).split("\n")[2]).toMatch(/^danger +! DELETES crons accounts$/)
})
