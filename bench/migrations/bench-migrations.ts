import { localCloudflareProcess } from "@accounts/local/cloudflare/testing/local-cloudflare"

import { applyMigrations } from "../../d1-migrations/apply/apply.ts"
import { type Database, openDatabase } from "../../d1-migrations/d1/database.ts"
import type { Migration } from "../../d1-migrations/files/migration-files.ts"
import { createApi } from "../../provider/api.ts"
import { findChildren } from "../app/processor-time.ts"
import { spread } from "../app/table.ts"
import { usageOf } from "../cloudflare/process-usage.ts"
import { type Published, publish, say, startFacts } from "../publication.ts"
import { fill, first, leaveGaps, parts } from "./files.ts"

/**
 * Milliseconds of processor time of the process that runs D1, which other programs on the machine
 * disturb far less than elapsed time: for the requests that carry files and count for them, and for
 * the run from end to end.
 */
type Times = { rebuild: number; additive: number; update: number; run: number }
/** `gaps` is the rebuild of a table from which rows were deleted before. */
type AllTimes = Times & { gaps: number }
type Round = { unguarded: AllTimes; guarded: AllTimes }

const quiet = { info: () => undefined, warn: () => undefined }

/** The same files on two databases with the same rows, in turns: by the provider, and as they are. */
export async function benchMigrations({
  rounds: count,
  rows: sizes,
  ...published
}: Published & { rounds: number; rows: number[] }) {
  const factsUntilNow = startFacts()
  await using cloudflare = await localCloudflareProcess()
  const api = createApi({ baseUrl: cloudflare.api, token: cloudflare.token })
  const client = await cloudflare.client()
  const { accountId } = cloudflare

  /** What a task costs workerd. */
  async function time(task: () => Promise<unknown>): Promise<number> {
    const used = () =>
      findChildren(cloudflare.pid, "workerd")
        .map((pid) => usageOf(pid).processorMilliseconds)
        .reduce((sum, one) => sum + one, 0)
    const before = used()
    await task()
    return used() - before
  }

  /** As `up` applies them. */
  async function applyGuarded(database: Database, changes: Migration[]): Promise<Times> {
    const times = { rebuild: 0, additive: 0, update: 0 }
    const sized: (keyof typeof times)[] = ["rebuild", "update"]
    const timed: Database = {
      ...database,
      async change(sql) {
        const part = partOf(sql)
        const took = await time(() => database.change(sql))
        if (part !== undefined) times[part] += took
      },
      async askAll(statements) {
        const asking = database.askAll(statements)
        const took = await time(() => asking)
        // The size of what a file rebuilds is asked for the guard.
        if ("entry" in statements) times[sized.shift() ?? "update"] += took
        return asking
      },
    }
    const files = [first, ...changes]
    const run = await time(() => applyMigrations({ database: timed, files, log: quiet }))
    return { ...times, run }
  }

  /** As wrangler sends them: each with its row of the ledger. */
  async function applyAsTheyAre(database: Database, changes: Migration[]): Promise<Times> {
    const send = ({ name, sql }: Migration) =>
      database.change(`${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');`)
    const sendAll = async (list: Migration[]) => {
      for (const file of list) if (changes.includes(file)) await send(file)
    }
    const rebuild = await time(() => sendAll(parts.rebuild))
    const additive = await time(() => sendAll(parts.additive))
    const update = await time(() => sendAll(parts.update))
    return { rebuild, additive, update, run: rebuild + additive + update }
  }

  type Act = (database: Database, files: Migration[]) => Promise<Times>

  type Given = { rows: number; gaps?: boolean }

  async function measureOn(name: string, act: Act, { rows, gaps }: Given): Promise<Times> {
    const { uuid: databaseId = "" } = await client.d1.database.create({
      account_id: accountId,
      name,
    })
    const database = openDatabase({ api, accountId, databaseId })
    await applyMigrations({ database, files: [first], log: quiet })
    for (const sql of fill(rows)) await database.change(sql)
    if (gaps === true) await database.change(leaveGaps)
    const before = await countRows(database)
    const all = [...parts.rebuild, ...parts.additive, ...parts.update]
    const files = gaps === true ? parts.rebuild : all
    const times = await act(database, files)
    const after = await countRows(database)
    if (after !== before) throw new Error(`${before} rows before the migrations, ${after} after`)
    await client.d1.database.delete(databaseId, { account_id: accountId })
    return times
  }

  async function measure(name: string, act: Act, rows: number): Promise<AllTimes> {
    const { rebuild: gaps } = await measureOn(`${name}-gaps`, act, { rows, gaps: true })
    return Object.assign(await measureOn(name, act, { rows }), { gaps })
  }

  const measured: { rows: number; rounds: Round[] }[] = []
  for (const rows of sizes) {
    const rounds: Round[] = []
    measured.push({ rows, rounds })
    for (let round = 0; round < count; round += 1) {
      const guarded = () => measure(`guarded-${rows}-${round}`, applyGuarded, rows)
      const unguarded = () => measure(`unguarded-${rows}-${round}`, applyAsTheyAre, rows)
      // Whoever comes second finds a warmer machine: they take turns.
      const before = round % 2 === 0 ? await unguarded() : undefined
      const under = await guarded()
      rounds.push({ guarded: under, unguarded: before ?? (await unguarded()) })
      say(describeRound(rounds.at(-1)))
    }
  }
  const facts = factsUntilNow()
  const tables = `${facts.line}; ${count} rounds.\n\n${table(measured)}`
  publish({ part: "migrations", tables, document: { ...facts, measured }, published })
}

function partOf(script: string): keyof typeof parts | undefined {
  const carries = ({ name }: Migration) => script.includes(`VALUES ('${name}')`)
  if (parts.rebuild.some(carries)) return "rebuild"
  if (parts.update.some(carries)) return "update"
  return parts.additive.some(carries) ? "additive" : undefined
}

async function countRows(database: Database): Promise<string> {
  return JSON.stringify(await database.ask("SELECT count(*) AS rows FROM entry"))
}

const lines = [
  ["one rebuild", "rebuild", "1.5"],
  ["one rebuild, rows deleted before", "gaps", "1.5"],
  ["one update of every row", "update", ""],
  ["ten additive files", "additive", "1.0"],
  ["all, from end to end", "run", ""],
] as const

function table(measured: { rows: number; rounds: Round[] }[]): string {
  const cells = measured.flatMap(({ rows, rounds }) =>
    lines.map(([title, part, aim]) => {
      const ratios = rounds
        .filter(({ unguarded }) => unguarded[part] > 0)
        .map(({ guarded, unguarded }) => guarded[part] / unguarded[part])
      return [
        rows.toLocaleString("en"),
        title,
        describe(rounds.map(({ unguarded }) => unguarded[part] / 1000)),
        describe(rounds.map(({ guarded }) => guarded[part] / 1000)),
        ratios.length === 0 ? "" : describe(ratios),
        aim,
      ]
    }),
  )
  return [
    "| rows | files | as they are, processor s | guarded, processor s | ratio | aim |",
    "| ---: | --- | ---: | ---: | ---: | ---: |",
    ...cells.map((row) => `| ${row.join(" | ")} |`),
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
