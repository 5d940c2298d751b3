import { createColors } from "picocolors"
import { expect, test } from "vitest"

import {
  type Deployment,
  failureMessage,
  type Move,
  moveOf,
  moves,
} from "../../deploy/release/deployments.ts"
import { describeDrift } from "../../deploy/release/schema-fit.ts"
import { planText } from "../plan/plan-text.ts"
import type { Plan } from "../plan/plan.ts"
import { planOfRecording } from "../plan/testing/recording.ts"
import { statusInMarkdown, planFindings } from "./plan-findings.ts"

const live: Deployment = {
  id: "1",
  split: [{ versionId: "df22", percentage: 100 }],
  author: "ada@acme.com",
  at: "2026-11-24T03:35:21.580Z",
  message: "",
}

const moved = ["Release accounts", "Version accounts"].map((resource) => ({
  resource,
  key: "versionId",
  recorded: "7b5a",
  found: "df22",
}))
const files = { resource: "Migrations accounts", key: "files", recorded: "0001", found: "0000" }
const crons = { resource: "CronTriggers accounts", key: "crons", recorded: "a", found: "b" }

/** The plan of the next `up`. */
async function planAfter(message: string, drift: Plan["drift"]): Promise<Plan> {
  const plan = await planOfRecording("dependency")
  return { ...plan, facts: [], drift, live: { ...live, message } }
}

const here = { stack: "staging", local: true, state: "/elsewhere" }

const aboutFiles = new Set<Move>(["restore", "standIn"])

test.each(Object.entries(moves))(
  "what a command of this project left is reported as such, without a step to undo it: %s",
  async (name, words) => {
    const move = moveOf({ message: words })
    expect(move).toBe(name)
    const back = move !== undefined && aboutFiles.has(move)
    const drift = [...moved, ...(back ? [files] : []), crons]
    const plan = await planAfter(`${words} 7b5a, at 1f9c by ada`, drift)
    const [ownFinding, ...otherFindings] = planFindings(plan, true, here)
    expect(ownFinding).toMatchObject({ what: "release", state: "wrong" })
    expect(ownFinding?.found).toContain(`${words} 7b5a, at 1f9c by ada, 2026-11-24T03:35:21.580Z`)
    expect(ownFinding?.next).toContain(" -s staging --local --state /elsewhere")
    expect(otherFindings).toMatchObject([{ what: "drift: CronTriggers accounts" }])
    expect(
      statusInMarkdown(
        "staging",
        [ownFinding].flatMap((finding) => finding ?? []),
      ),
    ).toContain(words)
    const danger = `danger              ! ${words}`
    const text = planText(plan, createColors(false))
    expect(text).toContain(danger)
    expect(text).toMatch(/^drift +! CronTriggers accounts: crons is b, and was a$/m)
    expect(text).not.toContain("! Release accounts")
    const warning = await describeDrift(plan.live ?? live, () => Promise.reject(new Error()))
    expect(warning).toContain(words)
    expect(warning).not.toContain("no release of this stack recorded")
  },
)

const versionId = "7b5a0000-0000-4000-8000-000000000000"
const bundle = { resource: "Version accounts", key: "bundle", recorded: "b", found: "a" }
const unconfirmed = { ...bundle, resource: "Release accounts", key: "unconfirmed", found: "true" }

test("a release that failed and was undone is told with its reason, and is no drift", async () => {
  const message = failureMessage(
    versionId,
    "/api/auth/sign-up/email answered 500\n  instead of 200",
  )
  expect(moveOf({ message })).toBe("failure")
  const plan = await planAfter(message, [unconfirmed, bundle])
  const findings = planFindings(plan, true, here)
  expect(findings).toEqual([
    {
      what: "release",
      state: "wrong",
      found: `the last release failed because /api/auth/sign-up/email answered 500 instead of 200; df22 serves since ${live.at}, not ${versionId}: an up releases what failed again, unless it is fixed or reverted first`,
      next: "fix or revert what was released, then ./accounts up -s staging --local --state /elsewhere",
    },
  ])
  const text = planText(plan, createColors(false), here)
  expect(text).toMatch(/^danger +! the last release failed because/m)
  expect(text).not.toMatch(/^drift/m)
  expect(await describeDrift(plan.live ?? live, () => Promise.reject(new Error()))).toMatch(
    /^the last release failed because/,
  )
})

test("a version that an up has uploaded and never released is told as that", async () => {
  const [finding, ...rest] = planFindings(await planAfter("release 1", [bundle]), true, here)
  expect(rest).toEqual([])
  expect(finding?.found).toMatch(
    /^the last up has uploaded a version and not released it; df22 serves/,
  )
  expect(finding?.next).toMatch(/^fix or revert what was released, then/)
})

test("a change by others is drift, and the next up undoes it", async () => {
  const [first] = planFindings(await planAfter("incident", moved), true)
  expect(first).toMatchObject({ what: "drift: Release accounts", next: "./accounts up -s staging" })
  const warning = await describeDrift(live, async () => ({ fits: true }))
  expect(warning).toContain("a deployment that no release of this stack recorded serves")
})

test("a migration that no up has applied is told, with the commands", async () => {
  const plan = await planOfRecording("migration-that-expands")
  const [{ name } = { name: "" }] = plan.migrations
  expect(planFindings({ ...plan, drift: [] }, true)).toMatchObject([
    { what: "plan", state: "wrong", next: `./accounts plan -s ${plan.stack}, then up` },
  ])
  expect(planFindings(plan, true).at(-1)?.found).toContain(`, ${name} is pending`)
})

test("a finding of several lines has them, and steers nothing", () => {
  const staleness = "is not what its effective file says:\n- `runtime`: \u001B[2J10 s"
  const text = statusInMarkdown("staging", [
    { what: "stack file", state: "wrong", found: staleness },
  ])
  expect(text).toContain("effective file says: -  runtime : ?[2J10 s")
})
