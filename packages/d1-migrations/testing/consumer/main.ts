import { applyMigrations, lintFiles, planBaseline, rehearse } from "@accounts-stack/d1-migrations"
import { openDatabase, sqliteD1 } from "@accounts-stack/d1-migrations/d1"
import { readMigrations } from "@accounts-stack/d1-migrations/files"
import { tablesOf } from "@accounts-stack/d1-migrations/schema"

/* Another project: what it would lose, a run, what it leaves, and a rehearsal of the last file. */

const files = await readMigrations("migrations")
const messages: string[] = []
const log = {
  info: (line: string) => messages.push(line),
  warn: (line: string) => messages.push(line),
}

using d1 = sqliteD1()
const database = openDatabase(d1)
await applyMigrations({ database, files: files.slice(0, 1), log })
const { pending } = await planBaseline(database, files)
await applyMigrations({ database, files, log })
const opened: Disposable[] = []
const rehearsal = await rehearse({
  base: files.slice(0, 1),
  pending: files.slice(1),
  rows: "INSERT INTO note (id, text) VALUES ('a', 'one'), ('b', 'two');",
  create: async () => {
    const scratch = sqliteD1()
    opened.push(scratch)
    return openDatabase(scratch)
  },
  say: () => {},
  signal: new AbortController().signal,
})
for (const disposable of opened) disposable[Symbol.dispose]()
const [bad] = lintFiles(["bad.sql"], undefined)

process.stdout.write(
  JSON.stringify({
    applied: (await database.applied()).map(({ name }) => name),
    pending,
    tables: tablesOf(await database.allObjects()).map(({ name }) => name),
    rehearsed: rehearsal.files.map(({ outcome, tables }) => [outcome, tables]),
    refused: bad?.refused,
  }),
)
