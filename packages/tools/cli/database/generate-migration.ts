import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { fixFile, formatReports, lintFiles } from "@accounts-stack/d1-migrations"

import { isFailure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { ownNames } from "../../environment/own-names.ts"
import { say } from "../output.ts"
import { withExpressions } from "./index-expressions.ts"

const args = process.argv.slice(2)
if (!args.some((flag) => /^--name(?:=|$)/.test(flag))) {
  say(
    "Say what the file does, or drizzle-kit makes a name up: npm run migration -- --name plan_limits",
  )
  process.exit(2)
}

// `npm run migration`: drizzle-kit writes the file in the current directory. Rebuilds of tables that
// other tables refer to are then rewritten so that the referring rows are kept.
const folder = "migrations"
const before = new Set(readdirSync(folder))
const drizzleKit = join(root, "node_modules/drizzle-kit/bin.cjs")
const { status } = spawnSync(process.execPath, [drizzleKit, "generate", ...args], {
  stdio: "inherit",
})
process.exitCode = status ?? 1
const added = readdirSync(folder).filter(
  (fileName) => !before.has(fileName) && fileName.endsWith(".sql"),
)
const files = added.map((name) => join(folder, name))
function joinExpressions(file: string) {
  const snapshot = join(folder, "meta", file.replace(/^.*?(\d+)_.*$/, "$1_snapshot.json"))
  const sql = withExpressions(
    readFileSync(file, "utf8"),
    JSON.parse(readFileSync(snapshot, "utf8")),
  )
  writeFileSync(file, sql)
}

for (const file of files) {
  try {
    joinExpressions(file)
    const isRewritten = fixFile(file, { names: ownNames })
    if (isRewritten) say(`${file} keeps the rows that refer to what it rebuilds`)
  } catch (error) {
    if (!isFailure(error, "COMMAND_FAILED")) throw error
    say(error.message)
    process.exitCode = 1
  }
}
const reports = lintFiles(files, { folder: { directory: folder }, names: ownNames })
if (files.length > 0) say(formatReports.text(reports))
if (reports.some(({ refused }) => refused)) {
  say(
    "This is refused as it is. Change the file, or delete it with its entry in migrations/meta and change the table.",
  )
  process.exitCode = 1
}
