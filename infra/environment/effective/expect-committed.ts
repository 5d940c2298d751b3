import { existsSync, readFileSync } from "node:fs"

import type { MigrationFile } from "@accounts/d1-migrations/files"

import { Failure } from "../../../base/failure.ts"
import { permanent } from "../environment.ts"
import type { Stack } from "../read.ts"
import { type EnvironmentFile, readSubject } from "../subject.ts"
import { changesBetween, describeChanges } from "./changes.ts"
import { effectiveText } from "./effective.ts"
import { effectivePath, sourcesOf } from "./rendered.ts"

/**
 * Refuses to deploy a permanent environment that reviewers have not seen.
 * @throws Failure COMMAND_FAILED with the facts that differ
 */
export function expectCommitted(
  { name, environment }: Stack,
  {
    files,
    migrations,
  }: { files: EnvironmentFile[]; migrations: Pick<MigrationFile, "name" | "sha256">[] },
): void {
  // A test's own stack is in no folder that reviewers read.
  if (!permanent(environment) || environment.fixture) return
  const file = files.find(({ stack, template }) => stack === name && !template)
  const sources = file && sourcesOf(file, readSubject(file, files))
  if (!file || !sources) {
    throw new Failure(
      "COMMAND_FAILED",
      `environments/Pulumi.${name}.yaml is missing: nobody has reviewed ${name}.`,
    )
  }
  const path = effectivePath(file)
  const committed = existsSync(path) ? readFileSync(path, "utf8") : undefined
  const text = effectiveText({ ...sources, environment, migrations })
  if (text === committed) return
  const changes = describeChanges(changesBetween(committed, text))
  throw new Failure(
    "COMMAND_FAILED",
    `What is to be deployed is not what environments/${name}.effective.yaml says:\n${changes}\n` +
      "Run ./accounts environment render, and have the change reviewed.",
  )
}
