import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Files that take longest, in this order. Started last, one of them would run alone at the end. Those
 * that mostly wait are apart from each other, so that files beside them keep the cores busy; and files of
 * one project follow each other, because vitest ends a worker when the next file is of another project.
 */
const slowest = [
  "workflows.deploy",
  "secrets.deploy",
  "start.deploy",
  "repair.deploy",
  "interrupted.deploy",
  "local.deploy",
  "provider-story.deploy",
  "sandboxes.deploy",
  "drift.deploy",
  "former-version.deploy",
  "previews.deploy",
  "owner.deploy",
  "database-drill.deploy",
  ".deploy",
  // Waits, beside all files in workerd.
  "tests/faults",
  "provider/failures.workers",
  "conformance.workers",
  ".workers",
  "restore/restore",
  "migrations/migrations",
  "tests/console",
  "rehearsal/rehearse-branch",
  // Waits.
  "release/attachments",
  "release/release",
  "review/review",
  "release/release-recovery",
  "tests/registrations",
  // Waits.
  "tests/bad-input",
  "tests/main",
  "release/refusal",
  "tests/process-environment",
]

function rank({ moduleId }: TestSpecification): number {
  const found = slowest.findIndex((part) => moduleId.includes(`${part}.test.ts`))
  return found < 0 ? slowest.length : found
}

/** Vitest itself knows the slowest files only after a first run. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own method, not an array's
    const usual = await super.sort(files)
    return usual.toSorted((one, other) => rank(one) - rank(other))
  }
}
