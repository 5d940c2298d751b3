// Adds up what the runs reported. A skip that .ci/skips.json does not list is a failure.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const [directory = "", ...brokenSteps] = process.argv.slice(2)
/** @type {{ name: string, reason: string }[]} */
const allowed = JSON.parse(readFileSync(new URL("./skips.json", import.meta.url), "utf8"))
/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`)
const count = { passed: 0, failed: 0, skipped: 0 }

/** @param {string} name */
function read(name) {
  const path = join(directory, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined
}

for (const name of ["test.json", "soak.json"]) {
  const report = read(name)
  if (!report) {
    say(`✗ ${name}: no report was written`)
    count.failed += 1
    continue
  }
  for (const file of report.testResults) {
    if (file.status === "failed" && file.assertionResults.length === 0) {
      say(`✗ ${file.name}: ${file.message}`)
      count.failed += 1
    }
    for (const { status, fullName } of file.assertionResults) {
      if (status === "passed") count.passed += 1
      else if (status === "failed") {
        say(`✗ ${fullName}`)
        count.failed += 1
      } else {
        const known = allowed.find((skip) => fullName.includes(skip.name))
        say(
          known
            ? `↷ ${fullName}: ${known.reason}`
            : `✗ ${fullName}: skipped, and not in .ci/skips.json`,
        )
        if (known) count.skipped += 1
        else count.failed += 1
      }
    }
  }
}
for (const step of brokenSteps) say(`✗ step ${step}`)
const broken = brokenSteps.filter((step) => !["test", "soak"].includes(step) || count.failed === 0)
count.failed += broken.length
say(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1
