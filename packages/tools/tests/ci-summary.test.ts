import { execFile } from "node:child_process"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

function fileOf(name: string, status: "passed" | "failed") {
  const failureMessages = status === "failed" ? ["expected 1 to be 2\n  at line 3"] : []
  const assertionResults = [{ status, fullName: `claim of ${name}`, failureMessages }]
  return { name, status, message: "", assertionResults }
}

function reportOf(...testResults: ReturnType<typeof fileOf>[]) {
  return { success: testResults.every(({ status }) => status === "passed"), testResults }
}

async function summarize(reports: object, ...failedSteps: string[]) {
  const directory = await mkdtemp(join(tmpdir(), "accounts-summary-"))
  const reportsByStep = { soak: reportOf(fileOf("c", "passed")), ...reports }
  for (const [step, report] of Object.entries(reportsByStep)) {
    await writeFile(join(directory, `${step}.json`), JSON.stringify(report))
    await writeFile(join(directory, `${step}.log`), `log of ${step}\n`)
  }
  for (const step of failedSteps) await writeFile(join(directory, `${step}.log`), "broken\n")
  return await run(directory, ...failedSteps)
}

async function run(...args: string[]) {
  return await new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile(process.execPath, [join(root, ".ci/summary.js"), ...args], (error, stdout) => {
      resolve({ code: Number(error?.code ?? 0), lines: stdout.trimEnd().split("\n") })
    })
  })
}

test("a file that passes when it runs again is told as unstable, one that fails again as failed", async () => {
  const failing = reportOf(fileOf("a", "failed"), fileOf("b", "passed"))
  const unstable = await summarize(
    { test: failing, "test-again": reportOf(fileOf("a", "passed")) },
    "test",
  )
  expect(unstable.code).toBe(0)
  expect(unstable.lines).toEqual([
    "⟳ a: failed beside other tests, passed when run again",
    "    claim of a: expected 1 to be 2",
    "3 passed, 0 failed, 0 skipped",
  ])
  const failedTwice = { test: failing, "test-again": reportOf(fileOf("a", "failed")) }
  const broken = await summarize(failedTwice, "test", "test-again")
  expect(broken.code).toBe(1)
  expect(broken.lines.at(-1)).toBe("2 passed, 1 failed, 0 skipped")
  // Whatever the second run lacks has failed.
  expect((await summarize({ test: failing, "test-again": reportOf() }, "test")).code).toBe(1)
  expect((await summarize({ test: failing }, "test")).code).toBe(1)
})

test("a few failed files are run again, and many are not", async () => {
  const directory = await mkdtemp(join(tmpdir(), "accounts-summary-"))
  const path = join(directory, "test.json")
  for (const [count, lines] of [
    [3, ["0", "1", "2"]],
    [4, [""]],
  ] as const) {
    const files = Array.from({ length: count }, (_, index) => fileOf(String(index), "failed"))
    await writeFile(path, JSON.stringify(reportOf(...files, fileOf("fine", "passed"))))
    expect((await run("--failed-files", path)).lines).toEqual(lines)
  }
})
