// Adds up the reports of the runs. A skip that .ci/skips.json does not list is a failure.
import { readFileSync } from "node:fs"
import { join } from "node:path"

const [directory = "", ...brokenSteps] = process.argv.slice(2)
/** @type {{ name: string, reason: string }[]} */
const allowed = JSON.parse(readFileSync(new URL("./skips.json", import.meta.url), "utf8"))
const count = { passed: 0, failed: 0, skipped: 0 }

/** @param {string} line */
function say(line) {
  return process.stdout.write(`${line}\n`)
}

/** @param {string} line */
function fail(line) {
  say(`✗ ${line}`)
  count.failed += 1
}

/** @param {string} name */
function read(name) {
  try {
    return JSON.parse(readFileSync(join(directory, name), "utf8"))
  } catch {
    return undefined
  }
}

/**
 * What a step printed last, which says why it ended: a hook of the whole run, or an error of no test.
 *
 * @param {string} step
 */
function lastLines(step) {
  const lines = readFileSync(join(directory, `${step}.log`), "utf8")
    .trimEnd()
    .split("\n")
  return lines
    .slice(-20)
    .map((line) => `  ${line}\n`)
    .join("")
}

/**
 * @param {{ status: string, fullName: string }} test
 * @returns {void}
 */
function add({ status, fullName }) {
  if (status === "passed") {
    count.passed += 1
    return
  }
  if (status === "failed") return fail(fullName)
  const known = allowed.find((skip) => fullName.includes(skip.name))
  if (!known) return fail(`${fullName}: skipped, but .ci/skips.json does not list it`)
  say(`↷ ${fullName}: ${known.reason}`)
  count.skipped += 1
}

/** @param {string} name */
function addReport(name) {
  const report = read(name)
  if (!report) return fail(`${name}: the step wrote no complete report`)
  for (const { status, assertionResults, name: file, message } of report.testResults) {
    for (const test of assertionResults) add(test)
    // A hook or the file itself failed, and none of its tests shows it.
    const shown = assertionResults.some(
      (/** @type {{ status: string }} */ test) => test.status === "failed",
    )
    if (status === "failed" && !shown) fail(`${file}: failed outside of its tests. ${message}`)
  }
}

for (const report of ["test.json", "soak.json"]) addReport(report)
for (const step of brokenSteps) say(`step ${step} ended with:\n${lastLines(step)}`)
// Also a step that fails outside of its tests.
if (brokenSteps.length > 0 && count.failed === 0) fail(`failed steps: ${brokenSteps.join(", ")}`)
say(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1
