import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { problemsOf, rehearsalText } from "@accounts-stack/d1-migrations"

import { parseMigration } from "../../../environment/own-names.ts"
import { openAccountAt, rehearseBranch, toldOf } from "../rehearse-branch.ts"

const base = `CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT, plan TEXT NOT NULL DEFAULT 'free');
CREATE TABLE session (id TEXT PRIMARY KEY, token TEXT, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE);
CREATE INDEX session_user ON session (user_id);
CREATE TABLE audit (id INTEGER PRIMARY KEY, actor_id TEXT REFERENCES user (id) ON DELETE SET NULL);
CREATE TABLE old_log (id INTEGER PRIMARY KEY, text TEXT);
`

const many = Array.from({ length: 20 }, (_, index) => index + 1)

/** Twenty rows in each table. */
const rows = many
  .map(
    (
      index,
    ) => `INSERT INTO user (id, name, plan) VALUES ('u${index}', 'Name ${index % 7}', '${index % 2 === 0 ? "free" : "pro"}');
INSERT INTO session (id, token, user_id) VALUES ('s${index}', 't${index}', 'u${index}');
INSERT INTO audit (id, actor_id) VALUES (${index}, 'u${index}');
INSERT INTO old_log (id, text) VALUES (${index}, 'text');`,
  )
  .join("\n")

/** Tables and columns that the version of `base` uses. */
const usedByBase = {
  head: "0000_base.sql",
  tables: {
    user: ["id", "name", "plan"],
    session: ["id", "token", "user_id"],
    audit: ["id", "actor_id"],
  },
}

/** Rehearsals in one local Cloudflare, in which names must not meet. */
export function openRehearsals(cloudflare: Parameters<typeof openAccountAt>[0]) {
  const { signal } = new AbortController()
  let runs = 0

  async function openAccount() {
    const account = openAccountAt(cloudflare)
    runs += 1
    const run = runs
    return {
      ...account,
      createDatabase: (name: string) => account.createDatabase(`${name}-${run}`),
    }
  }

  /** Rehearses files on top of `base`. */
  async function rehearse(files: Record<string, string>) {
    const root = mkdtempSync(join(tmpdir(), "accounts-branch-"))
    const printed: string[] = []
    try {
      mkdirSync(join(root, "migrations"))
      for (const [name, sql] of Object.entries({ "0000_base.sql": base, ...files })) {
        writeFileSync(join(root, "migrations", name), sql)
      }
      const migrations = [parseMigration("0000_base.sql", Buffer.from(base))]
      const rehearsal = await rehearseBranch({
        root,
        base: { sha: "0123456789abcdef", migrations },
        rows,
        readUse: async () => usedByBase,
        openAccount,
        say: (line) => printed.push(line),
        signal,
      })
      return {
        rehearsal,
        problems: problemsOf(rehearsal),
        said: printed,
        text: rehearsalText(rehearsal, toldOf(rehearsal)),
      }
    } finally {
      rmSync(root, { recursive: true })
    }
  }

  return { openAccount, rehearse, signal }
}
