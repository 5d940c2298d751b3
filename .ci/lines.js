// Counts lines by part, in an earlier revision and the last commit: `node .ci/lines.js [REVISION]`.
import { execFileSync } from "node:child_process"

const before = process.argv[2] ?? "HEAD"
const parts = [
  "app",
  "infra",
  "packages/tools",
  "packages/d1-migrations",
  "packages/local",
  "packages/pulumi-host",
  "packages/client",
  "packages/bench",
]
const kinds = ["code", "files", "tests", "helpers"]

/** @param {string} path */
function kindOf(path) {
  if (/(?:^|\/)testing\//.test(path)) return "helpers"
  if (path.endsWith(".test.ts")) return "tests"
  return path.includes("generated") ? "generated" : "code"
}

/** @param {string} revision */
function count(revision) {
  const git = ["grep", "--count", "", revision, "--", "*.ts", "*.tsx", "*.js"]
  /** @type {Record<string, number>} */
  const counts = {}
  for (const line of execFileSync("git", git, { encoding: "utf8" }).trim().split("\n")) {
    const [path = "", lines] = line.slice(revision.length + 1).split(":")
    const kind = kindOf(path)
    const part = parts.find((name) => path.startsWith(`${name}/`)) ?? "rest"
    for (const row of [part, "all"]) {
      counts[row + kind] = (counts[row + kind] ?? 0) + Number(lines)
      if (kind === "code") counts[`${row}files`] = (counts[`${row}files`] ?? 0) + 1
    }
  }
  return counts
}

const [then, now] = [count(before), count("HEAD")]
const rows = ["part", ...parts, "rest", "all"].map((row) => {
  const cells = kinds.map((kind) =>
    row === "part" ? kind : `${then[row + kind] ?? 0} → ${now[row + kind] ?? 0}`,
  )
  return `${[row, ...cells].map((cell) => cell.padEnd(17)).join("")}\n`
})
// At once: `head` closes the pipe after what it has read.
process.stdout.write(rows.join(""))
