import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { accounts, routes } from "../../testing/asked-address.ts"
import { bindProduction } from "../../testing/browser.ts"
import { forgetAttempts } from "../../testing/clock.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { repeat } from "../../testing/repeat.ts"
import { createRowCounter } from "../../testing/rows-read.ts"
import worker from "../../worker.ts"
import { late } from "../platform/database/bounded-database.ts"

/* A database takes longer for more rows, which a caller can measure: so as many are written before an answer. */

const counter = createRowCounter(env.DB, "rows_written")
const bound = bindProduction({
  EMAIL_CODE: "on",
  DB: counter.database,
  LIMIT_EMAIL: undefined,
  LIMIT_ADDRESS: undefined,
})

async function writtenFor(path: string, email: string) {
  const headers = {
    origin: "https://app.example.com",
    "content-type": "application/json",
    "cf-connecting-ip": "198.51.100.20",
  }
  const body = JSON.stringify({ name: "Ada", email, password: "a guess of a stranger" })
  const request = new Request(`https://api.example.com${path}`, {
    method: "POST",
    headers,
    body,
  })
  let status = 0
  const written = await counter.during(async () => {
    const answer = await worker.fetch(request, bound, createExecutionContext())
    status = answer.status
  })
  await Promise.all(late)
  return { status, written }
}

test.each(routes)(
  "%s writes as many rows before its answer for an address of any kind",
  async (path) => {
    openMailbox()
    const roundsByKind: { written: number }[][] = []
    for (const make of [async () => {}, ...Object.values(accounts)]) {
      const email = `equal-${crypto.randomUUID()}@example.com`
      await make(email)
      await forgetAttempts()
      // The first one makes rows that the next ones count up.
      const rounds = await repeat(5, () => writtenFor(path, email))
      roundsByKind.push(rounds)
    }
    for (const roundsOfKind of roundsByKind) expect(roundsOfKind).toEqual(roundsByKind[0])
    expect(roundsByKind[0]?.every(({ written }) => written > 0)).toBe(true)
  },
)
