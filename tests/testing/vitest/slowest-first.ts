import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take longest, in this order. Started last, one of them would run alone at the end. */
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
  "restore/restore",
  "tests/faults",
  "release/attachments",
  "tests/bad-input",
  "rehearsal/rehearse-branch",
  "release/release",
  "review/review",
  "release/release-recovery",
  "tests/process-environment",
  ".workers",
  "tests/console",
  "tests/main",
  "migrations/migrations",
  "tests/registrations",
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
