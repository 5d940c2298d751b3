import { Failure } from "../../base/failure.ts"
import { readText } from "../read-text.ts"
import type { Stack } from "../read.ts"
import { permanent } from "../stack-keys.ts"
import { changesBetween, describeChanges } from "./changes.ts"
import { effectiveText } from "./effective.ts"
import { writtenOf } from "./rendered.ts"
import type { Site } from "./section.ts"

/**
 * Refuses to deploy a permanent environment that reviewers have not seen.
 * @throws Failure COMMAND_FAILED with the facts that differ
 */
export function expectCommitted({ name, environment }: Stack, { files, migrations }: Site): void {
  // A test's own stack is in no folder that reviewers read.
  if (!permanent(environment) || environment.fixture) return
  const written = writtenOf(name, files)
  if (!written) {
    throw new Failure(
      "COMMAND_FAILED",
      `environments/Pulumi.${name}.yaml is missing: nobody has reviewed ${name}.`,
    )
  }
  const { path, sources } = written
  const committed = readText(path)
  const text = effectiveText({ ...sources, environment, migrations })
  if (text === committed) return
  const changes = describeChanges(changesBetween(committed, text))
  throw new Failure(
    "COMMAND_FAILED",
    `What is to be deployed is not what environments/${name}.effective.yaml says:\n${changes}\n` +
      "Run ./accounts environment render, and have the change reviewed.",
  )
}
