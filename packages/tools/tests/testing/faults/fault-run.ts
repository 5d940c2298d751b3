import { setTimeout as sleep } from "node:timers/promises"
import { stripVTControlCharacters } from "node:util"

import type { FaultAccount } from "./fault-account.ts"
import type { FaultCase } from "./fault-cases.ts"
import type { Operation } from "./fault-operations.ts"
import type { Row } from "./fault-table.ts"

/** Runs a client with one injected fault, and again without it if the first run failed. */
export async function runWithFault(
  account: FaultAccount,
  operation: Operation,
  { fault, surface = "api", action }: FaultCase,
): Promise<Row> {
  const { cloudflare } = account
  await using prepared = await operation.prepare(account)
  const match = { surface, ...prepared[surface] }
  await cloudflare.inject({ name: "fault", match, action })
  const outcome = await outcomeOf(prepared.run)
  const [rule] = await cloudflare.rules()
  await cloudflare.inject()
  if (rule?.fired !== 1) throw new Error(`${operation.name}: "${fault}" was never injected`)
  const after = await settled(prepared.state)
  if (outcome === "succeeds") {
    return { operation: operation.name, fault, outcome, requests: rule.seen, after, again: "" }
  }
  const second = await outcomeOf(prepared.run)
  const secondOutcome = `${second === "succeeds" ? second : "fails"}: ${await prepared.state()}`
  return {
    operation: operation.name,
    fault,
    outcome,
    requests: rule.seen,
    after,
    again: secondOutcome,
  }
}

/** Retries for 30 s, because a killed process takes a moment to restart. */
async function settled(state: () => Promise<string>): Promise<string> {
  const deadline = performance.now() + 30_000
  for (;;) {
    try {
      return await state()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(100)
    }
  }
}

async function outcomeOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run()
    return "succeeds"
  } catch (error) {
    return `fails: ${messageOf(error)}`
  }
}

/** The error message without the parts that change between runs. */
function messageOf(error: unknown): string {
  const message = stripVTControlCharacters(error instanceof Error ? error.message : String(error))
  const [, wranglerMessage] =
    /\[ERROR\]\s+([\s\S]*?)(?:\n\s*\n\s*\n|\n\s*If you think|\n🪵|$)/.exec(message) ?? []
  const line = (wranglerMessage ?? message)
    .replace(/<!DOCTYPE[\s\S]*/, "a page")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(?:http:\/\/127\.0\.0\.1:\d+|\/client\/v4)*\/accounts\/[\w/-]+/g, "…")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "…")
    .replace(/\{"success".*/, "…")
    .replace(/ at position \d+.*/, "")
    .replaceAll(/faults-\d+/g, "…")
    .replaceAll(/127\.0\.0\.1:\d+/g, "…")
    .replaceAll(/\/[\w./-]*\/node_modules\/\S*/g, "…")
    .replaceAll("|", "/")
    .trim()
  return line.length > 210 ? `${line.slice(0, 210).trimEnd()}…` : line
}
