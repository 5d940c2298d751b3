import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take longest, in this order. Started last, one of them would run alone at the end. */
const slowest = [
  "start.deploy",
  "interrupted.deploy",
  "local.deploy",
  "drift.deploy",
  "repair.deploy",
  "provider-story.deploy",
  "previews.deploy",
  "sandboxes.deploy",
  "workflows.deploy",
  "shapes.deploy",
  "owner.deploy",
  "tests/wire",
  "tests/clients",
  "tests/wrangler",
  "tests/faults",
  "tests/console",
  ".deploy",
  ".workers",
  "release/attachments",
  "restore/restore",
  "release/release",
  "tests/bad-input",
  "rehearsal/rehearse-branch",
  "release/release-recovery",
  "tests/process-environment",
  "tests/main",
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
