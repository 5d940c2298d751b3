import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import { parse } from "yaml"
import * as z from "zod"

import { root } from "../base/root.ts"

const Job = z
  .object({
    extends: z.string().optional(),
    rules: z.array(z.object({ if: z.string(), when: z.string().optional() })).optional(),
    environment: z.object({ name: z.string() }).loose().optional(),
    resource_group: z.string().optional(),
    script: z.array(z.string()),
  })
  .loose()

const file: Record<string, unknown> = parse(readFileSync(join(root, ".gitlab-ci.yml"), "utf8"))
const notJobs = new Set(["stages", "workflow", "default", ".deployment", ".daily"])
const jobs = Object.entries(file).flatMap(([name, job]) =>
  notJobs.has(name) ? [] : [{ name, ...Job.parse(job) }],
)

test("only jobs of an environment, whose variables they alone see, read or change a stack", () => {
  const operating = jobs.filter(({ script }) =>
    script.some((line) =>
      /^(?:pulumi|\.\/accounts (?:plan|up|branch|status|database)) /.test(line),
    ),
  )
  expect(operating.map(({ name }) => name)).toEqual([
    "staging",
    "production-plan",
    "production",
    "preview",
    "preview-down",
    "sweep",
    "drift",
    "backup",
    "restore",
  ])
  const withVariables = jobs.filter(({ environment }) => environment)
  expect(withVariables.filter(({ name }) => name !== "issues")).toEqual(operating)
  for (const job of operating) {
    expect(job.extends).toMatch(/^\.(?:deployment|daily)$/)
    // A plan changes nothing, and the drift is one.
    expect(job.resource_group === undefined).toBe(/-plan|drift/.test(job.name))
  }
  // It has the token that writes issues, and none of the others: nor does it run what was installed.
  const issues = jobs.find(({ name }) => name === "issues")
  expect(issues?.extends).toBeUndefined()
  expect(issues?.script.join()).not.toMatch(/npm|accounts/)
  // The shell that installs has the variables.
  expect(JSON.stringify(file[".deployment"])).toContain("npm ci --ignore-scripts")
})

test("staging and production are deployed from main alone, and production by hand", () => {
  for (const name of ["staging", "production-plan", "production"]) {
    const { rules = [] } = jobs.find((job) => job.name === name) ?? { rules: [] }
    expect(rules).toEqual([
      {
        if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE != "schedule"',
        ...(name === "staging" ? {} : { when: "manual" }),
      },
    ])
  }
  // A branch of a fork has no preview, and so no token.
  const previews = jobs.filter(({ script }) => script.join().includes("branch up"))
  expect(previews.map(({ rules }) => rules?.[0]?.if)).toEqual([
    expect.stringContaining("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID"),
  ])
})

test("a schedule runs what looks and backs up, and another one, once approved, what opens a backup", () => {
  const daily = z.object({ rules: z.array(z.object({ if: z.string() })) }).parse(file[".daily"])
  expect(daily.rules).toEqual([{ if: '$CI_PIPELINE_SOURCE == "schedule" && $RESTORE == null' }])
  const ofDay = jobs.filter((job) => job.extends === ".daily")
  expect(ofDay.map(({ name }) => name)).toEqual(["sweep", "drift", "backup"])
  expect(jobs.find(({ name }) => name === "restore")?.rules).toEqual([
    { if: '$CI_PIPELINE_SOURCE == "schedule" && $RESTORE', when: "manual" },
  ])
  // Every other job stays out of a schedule.
  const others = jobs.filter(({ extends: base, rules }) => base !== ".daily" && rules)
  for (const { name, rules = [] } of others) {
    const isScheduled = rules.some(({ if: when }) => when.includes('== "schedule"'))
    expect({ name, isScheduled }).toEqual({ name, isScheduled: /issues|restore/.test(name) })
  }
  expect(JSON.stringify(jobs.find(({ name }) => name === "backup"))).not.toContain("IDENTITY")
})

test("what a job of GitLab writes is no change that was not committed", () => {
  const written = jobs.flatMap(({ script }) =>
    script.flatMap((line) =>
      [...line.replaceAll("$STACK", "staging").matchAll(/(?:\btee |> )"?([\w.]+)/g)].map(
        ([, name]) => name,
      ),
    ),
  )
  expect(written).toEqual(
    expect.arrayContaining(["released.json", "plan.md", "plan.env", "status.staging.md"]),
  )
  for (const name of written) {
    execFileSync("git", ["check-ignore", "-q", String(name)], { cwd: root })
  }
})
