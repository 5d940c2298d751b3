// Adds up the reports of the runs. A skip that .ci/skips.json does not list is a failure.
// With `--failed-files REPORT`, prints the test files that failed, if they are few enough to run again.
import { readFileSync } from "node:fs"
import { join } from "node:path"

const [directory = "", ...failedSteps] = process.argv.slice(2)
/** More than these did not fail by chance. */
const mostFilesAgain = 3

if (directory === "--failed-files") {
  const report = read(failedSteps[0] ?? "")
  const files = (report?.testResults ?? []).flatMap(
    (/** @type {{ status: string, name: string }} */ file) =>
      file.status === "failed" ? [file.name] : [],
  )
  if (files.length <= mostFilesAgain) for (const file of files) say(file)
  process.exit()
}

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

/** @param {string} file */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

/**
 * The last lines that a step printed, which say why it ended: a hook of the whole run, or an error outside
 * any test.
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
  const skip = allowed.find(({ name }) => fullName.includes(name))
  if (!skip) return fail(`${fullName}: skipped, but .ci/skips.json does not list it`)
  say(`↷ ${fullName}: ${skip.reason}`)
  count.skipped += 1
}

/**
 * @typedef {{ name: string, status: string, message: string,
 *   assertionResults: { status: string, fullName: string, failureMessages?: string[] }[] }} TestFile
 */

/**
 * Says what failed in the first run, of a file that has passed in the second.
 *
 * @param {TestFile} file
 */
function sayUnstable({ name, message, assertionResults }) {
  const failures = assertionResults.filter(({ status }) => status === "failed")
  say(`⟳ ${name}: failed beside other tests, passed when run again`)
  if (failures.length === 0) say(`    ${message}`)
  for (const { fullName, failureMessages = [] } of failures) {
    say(`    ${fullName}: ${failureMessages[0]?.split("\n")[0]}`)
  }
}

/**
 * The report of a step's second run, if that passed.
 *
 * @param {string} step
 * @returns {{ success: boolean, testResults: TestFile[] } | undefined}
 */
function passedAgain(step) {
  const secondStep = `${step}-again`
  return failedSteps.includes(secondStep) ? undefined : read(join(directory, `${secondStep}.json`))
}

/** @param {string} step */
function addReport(step) {
  const report = read(join(directory, `${step}.json`))
  if (!report) return fail(`${step}: the step wrote no complete report`)
  const repeated = passedAgain(step)?.testResults ?? []
  for (const first of /** @type {TestFile[]} */ (report.testResults)) {
    const second = repeated.find(({ name, status }) => name === first.name && status === "passed")
    if (second !== undefined) sayUnstable(first)
    const file = second ?? first
    for (const test of file.assertionResults) add(test)
    // A hook or the file itself failed, and none of its tests shows it.
    const isShown = file.assertionResults.some(({ status }) => status === "failed")
    if (file.status === "failed" && !isShown) {
      fail(`${file.name}: failed outside of its tests. ${file.message}`)
    }
  }
}

for (const step of ["test", "soak"]) addReport(step)
const brokenSteps = failedSteps.filter((step) => passedAgain(step)?.success !== true)
for (const step of brokenSteps) say(`step ${step} ended with:\n${lastLines(step)}`)
// A step can also fail outside of its tests.
if (brokenSteps.length > 0 && count.failed === 0) fail(`failed steps: ${brokenSteps.join(", ")}`)
say(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1
