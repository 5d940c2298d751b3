import { createColors } from "picocolors"
import { expect, test } from "vitest"

import { type Deployment, type Move, moveOf, moves } from "../../deploy/release/deployments.ts"
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

/** As the next `up` would find it. */
async function planAfter(message: string, drift: Plan["drift"]): Promise<Plan> {
  const plan = await planOfRecording("dependency")
  return { ...plan, facts: [], drift, live: { ...live, message } }
}

const aboutFiles = new Set<Move>(["restore", "standIn"])

test.each(Object.entries(moves))(
  "what a command of this project left is told as that, and nobody is sent to undo it: %s",
  async (name, words) => {
    const move = moveOf({ message: words })
    expect(move).toBe(name)
    const back = move !== undefined && aboutFiles.has(move)
    const drift = [...moved, ...(back ? [files] : []), crons]
    const plan = await planAfter(`${words} 7b5a, at 1f9c by ada`, drift)
    const [own, ...others] = planFindings(plan, true)
    expect(own).toMatchObject({ what: "release", state: "wrong" })
    expect(own?.found).toContain(`${words} 7b5a, at 1f9c by ada, 2026-11-24T03:35:21.580Z`)
    expect(others).toMatchObject([{ what: "drift: CronTriggers accounts" }])
    expect(
      statusInMarkdown(
        "staging",
        [own].flatMap((one) => one ?? []),
      ),
    ).toContain(words)
    const danger = `danger              ! ${words}`
    expect(planText(plan, createColors(false))).toContain(danger)
    const warning = await describeDrift(plan.live ?? live, () => Promise.reject(new Error()))
    expect(warning).toContain(words)
    expect(warning).not.toContain("no release of this stack recorded")
  },
)

test("what somebody else did is drift, and the next up puts it right", async () => {
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
  const found = "is not what its effective file says:\n- `runtime`: \u001B[2J10 s"
  const text = statusInMarkdown("staging", [{ what: "stack file", state: "wrong", found }])
  expect(text).toContain("effective file says: -  runtime : ?[2J10 s")
})
