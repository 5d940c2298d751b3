import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Files that take longest, in this order. Started last, one of them would run alone at the end. Files of
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
  "migrations/migrations",
  "tests/console",
  "rehearsal/rehearse-branch",
  "review/review",
  "tests/registrations",
  "tests/main",
]

/** Before these is nothing of Node's project but one file that waits, after them nothing else. */
const lastOfOtherProjects = slowest.indexOf(".workers")

/**
 * Files of Node's project that wait more than they compute, longest first. They are spread among the
 * others, so that only one of the workers waits.
 */
const waiting = [
  "release/attachments",
  "tests/bad-input",
  "restore/restore",
  "deployments/propagation",
  "release/refusal",
  "tests/process-environment",
  "release/sign-in-trial",
  "provider/server",
  "release/propagation",
  "release/release-recovery",
  "release/release",
  "release/rate-limit",
  "migrations/migrations-recovery",
  "migrations/migrations-answers",
  "release/foreign-deployments",
  "release/rollback",
  "release/verification",
  "release/schema-fit",
  "version/version",
  "engine/download",
]

/** How many of the others precede each file that waits: as many as there are other workers, on two cores. */
const filesPerWait = 3

function position({ moduleId }: TestSpecification, parts: readonly string[]): number {
  const found = parts.findIndex((part) => moduleId.includes(`${part}.test.ts`))
  return found < 0 ? parts.length : found
}

function inOrder(files: TestSpecification[], parts: readonly string[]): TestSpecification[] {
  return files.toSorted((one, other) => position(one, parts) - position(other, parts))
}

function spread(waits: TestSpecification[], others: TestSpecification[]): TestSpecification[] {
  const groups = Math.max(waits.length, Math.ceil(others.length / filesPerWait))
  return Array.from({ length: groups }, (_, group) => [
    ...others.slice(group * filesPerWait, (group + 1) * filesPerWait),
    ...waits.slice(group, group + 1),
  ]).flat()
}

/** Vitest itself knows the slowest files only after a first run. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own method, not an array's
    const usual = await super.sort(files)
    const waits = usual.filter((file) => position(file, waiting) < waiting.length)
    const others = inOrder(
      usual.filter((file) => !waits.includes(file)),
      slowest,
    )
    const ofOtherProjects = others.filter((file) => position(file, slowest) <= lastOfOtherProjects)
    return [
      ...ofOtherProjects,
      ...spread(inOrder(waits, waiting), others.slice(ofOtherProjects.length)),
    ]
  }
}
