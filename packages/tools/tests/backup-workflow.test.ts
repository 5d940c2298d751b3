import { expect, test } from "vitest"

import { fillIn, holds, readWorkflow } from "./testing/workflow.ts"

test("a backup is made each night without a private key, and opened each month by who approves it", () => {
  const { on, jobs, concurrency } = readWorkflow("backup")
  const schedule = ["19 2 * * *", "53 6 1 * *"]
  expect(on).toEqual({ schedule: schedule.map((cron) => ({ cron })), workflow_dispatch: null })
  const runs = [...schedule, ""].map((cron) =>
    Object.keys(jobs).filter((name) =>
      holds(jobs[name]?.if ?? "", {
        "github.ref": "refs/heads/main",
        "github.event.schedule": cron,
      }),
    ),
  )
  // A restore that waits for its approval is in no group of a backup.
  const groups = schedule.map((cron) =>
    fillIn(concurrency?.group ?? "", { "github.event.schedule": cron }),
  )
  expect(new Set(groups).size).toBe(2)
  expect(runs).toEqual([["backup"], ["restore"], ["backup", "restore"]])
  const { backup, restore } = jobs
  expect([backup?.environment, restore?.environment]).toEqual([
    "production-backup",
    "production-restore",
  ])
  expect(JSON.stringify(backup)).not.toContain("IDENTITY")
  expect(backup?.steps.at(-1)?.run).toMatch(/^\.\/accounts database backup -s production --to /)
  expect(restore?.steps.at(-1)?.run).toMatch(/^\.\/accounts database backups .* --verify /)
})
