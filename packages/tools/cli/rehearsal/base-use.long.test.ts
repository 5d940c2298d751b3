import { execFileSync } from "node:child_process"

import { problemsOf } from "@accounts-stack/d1-migrations"
import { afterAll, expect, test } from "vitest"

import { startLocalCloudflare } from "../../deploy/testing/local-cloudflare.ts"
import { copyCheckout } from "../../tests/testing/checkout.ts"
import { readBaseCommit, readBaseUse } from "./base-commit.ts"
import { rehearseBranch } from "./rehearse-branch.ts"
import { openRehearsals } from "./testing/rehearsals.ts"

const cloudflare = await startLocalCloudflare()
afterAll(() => cloudflare[Symbol.asyncDispose]())
const { openAccount, rehearse, signal } = openRehearsals(cloudflare)

const takes: { what: string; sql: string; names: string }[] = [
  {
    what: "a dropped column, which signs every member out",
    sql: "-- accounts:loses session.token: it is read nowhere\nALTER TABLE session DROP COLUMN token;\n",
    names: "takes session.token away",
  },
  {
    what: "a column that gets another name",
    sql: "ALTER TABLE session RENAME COLUMN token TO secret;\n",
    names: "takes session.token away",
  },
  {
    what: "a table that goes",
    sql: "-- accounts:loses audit, all rows: it is kept elsewhere\nDROP TABLE audit;\n",
    names: "takes audit away",
  },
  {
    what: "a table that gets another name",
    sql: "ALTER TABLE session RENAME TO sitting;\n",
    names: "takes session away",
  },
  {
    what: "a rebuild without a column",
    sql: `-- accounts:loses audit.actor_id: actors are not needed
CREATE TABLE __new_audit (id INTEGER PRIMARY KEY);
INSERT INTO __new_audit SELECT id FROM audit;
DROP TABLE audit;
ALTER TABLE __new_audit RENAME TO audit;
`,
    names: "takes audit.actor_id away",
  },
  {
    what: "a column that every INSERT has to name",
    sql: `CREATE TABLE __new_audit (id INTEGER PRIMARY KEY, actor_id TEXT REFERENCES user (id) ON DELETE SET NULL, at INTEGER NOT NULL);
INSERT INTO __new_audit SELECT id, actor_id, 0 FROM audit;
DROP TABLE audit;
ALTER TABLE __new_audit RENAME TO audit;
`,
    names: "adds audit.at (NOT NULL without a default)",
  },
]

test.each(takes)("the previous version loses what it uses: $what", async ({ sql, names }) => {
  const { rehearsal, problems } = await rehearse({ "0001_take.sql": sql })
  expect(rehearsal.files).toMatchObject([{ outcome: "refused" }])
  expect(problems).toEqual([
    expect.stringMatching(
      /^0001_take.sql .* version of 0123456789ab, which has 100 % of the traffic, (uses it|writes rows without it) \(built for 0000_base.sql\)/,
    ),
  ])
  expect(problems[0]).toContain(names)
})

test("a file with an undeclared effect, such as making sessions worthless, is refused", async () => {
  const { problems } = await rehearse({
    "0001_tokens.sql": "UPDATE session SET token = 'x' || token;\n",
  })
  expect(problems).toEqual([
    expect.stringContaining("20 of the values of session.token in session are others than before"),
  ])
})

test("constraints that the previous version does not know are named, as it may violate them", async () => {
  const { rehearsal, problems, text } = await rehearse({
    "0001_rules.sql": `CREATE TABLE __new_audit (id INTEGER PRIMARY KEY, actor_id TEXT REFERENCES user (id) ON DELETE SET NULL CHECK (actor_id <> ''));
INSERT INTO __new_audit SELECT id, actor_id FROM audit;
DROP TABLE audit;
ALTER TABLE __new_audit RENAME TO audit;
CREATE TRIGGER audit_closed BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'closed'); END;
`,
  })
  expect(problems).toEqual([])
  expect(rehearsal.warnings).toEqual([
    expect.stringMatching(
      /^0001_rules.sql adds rules that version of \w+, .*: check of audit: actor_id <> ''/,
    ),
  ])
  expect(text).toContain(rehearsal.warnings[0])
})

test("what the previous version uses is read from its own tables, and nothing of it runs", async () => {
  await using clone = copyCheckout()
  const root = clone.directory
  const git = (...args: string[]) => {
    const author = ["-c", "user.name=A", "-c", "user.email=a@acme.com"]
    execFileSync("git", [...author, ...args], { cwd: root })
  }
  const run = (readUse = readBaseUse) => {
    const options = { root, base: readBaseCommit(root, "main"), rows: "", readUse }
    return rehearseBranch({ ...options, openAccount, say: () => {}, signal })
  }
  // The base answers none of the routes of the journal.
  clone.edit("app/router.ts", (source) => source.replaceAll(/.*journal.*\n/g, ""))
  git("commit", "--quiet", "--all", "--message", "Take the journal away")
  git("switch", "--quiet", "--create", "change")
  // Only the branch has the broken module.
  clone.edit("app/schema.ts", () => "this is no module {")
  const file = clone.addMigration("prompt", "ALTER TABLE user ADD locale TEXT;\n")
  git("add", "--all")
  git("commit", "--quiet", "--message", "Add a column")
  const expands = await run()
  expect([problemsOf(expands), expands.warnings]).toEqual([[], []])

  const drop =
    "-- accounts:loses journal_entry.prompt_id: prompts are no longer offered\nALTER TABLE journal_entry DROP COLUMN prompt_id;\n"
  clone.write(`migrations/${file}`, drop)
  const breaks = await run()
  expect(breaks.files).toMatchObject([{ class: "destructive", outcome: "refused" }])
  expect(problemsOf(breaks)).toEqual([
    expect.stringMatching(/takes journal_entry.prompt_id away, and version of \w+, .* uses it/),
  ])

  const unknown = await run(() => Promise.reject(new Error("it does not build")))
  expect(unknown.warnings).toEqual([
    "What the version of the base uses is not known: it does not build",
  ])
  expect(problemsOf(unknown)).toEqual([expect.stringContaining("does not say what it uses")])
})
