import { localCloudflare } from "@accounts/local/cloudflare/testing/process"

import { createApi } from "../../provider/api.ts"
import { applyMigrations } from "../../provider/migrations/apply.ts"
import { type Database, openDatabase } from "../../provider/migrations/database.ts"
import type { Migration } from "../../provider/migrations/migration-files.ts"
import { spread } from "../app/table.ts"
import { time } from "../measure.ts"
import { type Published, publish, say, startFacts } from "../publication.ts"
import { fill, first, parts } from "./files.ts"

/** Milliseconds: of the requests that carry files and count for them, and of the run from end to end. */
type Times = { rebuild: number; additive: number; run: number }
type Round = { unguarded: Times; guarded: Times }

const quiet = { info: () => undefined, warn: () => undefined }
const files = [first, ...parts.rebuild, ...parts.additive]

/** The same files on two databases with the same rows, in turns: by the provider, and as they are. */
export async function benchMigrations({
  rounds: count,
  rows,
  ...published
}: Published & { rounds: number; rows: number }) {
  const factsUntilNow = startFacts()
  await using cloudflare = await localCloudflare()
  const api = createApi({ baseUrl: cloudflare.api, token: await cloudflare.token() })
  const client = await cloudflare.client()
  const { accountId } = cloudflare

  async function measure(name: string, act: (database: Database) => Promise<Times>) {
    const { uuid: databaseId = "" } = await client.d1.database.create({
      account_id: accountId,
      name,
    })
    const database = openDatabase({ api, accountId, databaseId })
    await applyMigrations({ database, files: [first], log: quiet })
    for (const sql of fill(rows)) await database.change(sql)
    const times = await act(database)
    await expectRows(database, rows)
    await client.d1.database.delete(databaseId, { account_id: accountId })
    return times
  }

  const rounds: Round[] = []
  for (let round = 0; round < count; round += 1) {
    const guarded = () => measure(`guarded-${round}`, applyGuarded)
    const unguarded = () => measure(`unguarded-${round}`, applyAsTheyAre)
    // Whoever comes second finds a warmer machine: they take turns.
    const before = round % 2 === 0 ? await unguarded() : undefined
    const measured = await guarded()
    rounds.push({ guarded: measured, unguarded: before ?? (await unguarded()) })
    say(describeRound(rounds.at(-1)))
  }
  const facts = factsUntilNow()
  const tables = `${facts.line}; ${count} rounds, ${rows.toLocaleString("en")} rows.\n\n${table(rounds)}`
  publish({ part: "migrations", tables, document: { ...facts, rows, rounds }, published })
}

/** As `up` applies them. */
async function applyGuarded(database: Database): Promise<Times> {
  const times = { rebuild: 0, additive: 0 }
  const timed: Database = {
    ...database,
    async change(sql) {
      const part = partOf(sql)
      const took = await time(() => database.change(sql))
      if (part !== undefined) times[part] += took
    },
    async askAll(statements) {
      const began = performance.now()
      const answers = await database.askAll(statements)
      // The size of what a file rebuilds is asked for the guard.
      if ("entry" in statements) times.rebuild += performance.now() - began
      return answers
    },
  }
  const run = await time(() => applyMigrations({ database: timed, files, log: quiet }))
  return { ...times, run }
}

/** As wrangler sends them: each with its row of the ledger. */
async function applyAsTheyAre(database: Database): Promise<Times> {
  const send = ({ name, sql }: Migration) =>
    database.change(`${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');`)
  const sendAll = async (list: Migration[]) => {
    for (const file of list) await send(file)
  }
  const rebuild = await time(() => sendAll(parts.rebuild))
  const additive = await time(() => sendAll(parts.additive))
  return { rebuild, additive, run: rebuild + additive }
}

function partOf(script: string): keyof typeof parts | undefined {
  const carries = ({ name }: Migration) => script.includes(`VALUES ('${name}')`)
  if (parts.rebuild.some(carries)) return "rebuild"
  return parts.additive.some(carries) ? "additive" : undefined
}

async function expectRows(database: Database, rows: number): Promise<void> {
  const [row] = await database.ask("SELECT count(*) AS rows FROM entry WHERE place IS NULL")
  if (JSON.stringify(row) === JSON.stringify({ rows })) return
  throw new Error(`the table has ${JSON.stringify(row)} after its migrations, not ${rows} rows`)
}

const lines = [
  ["one rebuild", "rebuild", "1.5"],
  ["ten additive files", "additive", "1.0"],
  ["all, from end to end", "run", ""],
] as const

function table(rounds: Round[]): string {
  return [
    "| files | as they are, s | guarded, s | ratio | aim |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...lines.map(([title, part, aim]) => {
      const ratios = rounds.map(({ guarded, unguarded }) => guarded[part] / unguarded[part])
      const cells = [
        title,
        describe(rounds.map(({ unguarded }) => unguarded[part] / 1000)),
        describe(rounds.map(({ guarded }) => guarded[part] / 1000)),
        describe(ratios),
        aim,
      ]
      return `| ${cells.join(" | ")} |`
    }),
  ].join("\n")
}

function describe(sample: number[]): string {
  const { lower, median, upper } = spread(sample)
  return `${median.toFixed(2)} (${lower.toFixed(2)}–${upper.toFixed(2)})`
}

function describeRound(round: Round | undefined): string {
  return JSON.stringify(round, (_, value: unknown) =>
    typeof value === "number" ? Math.round(value) : value,
  )
}
