import type { MigrationFile } from "@accounts/d1-migrations/files"

import type { Stack } from "../read.ts"
import { type EnvironmentFile, readSubject } from "../subject.ts"
import { effectiveFacts } from "./effective.ts"
import { sourcesOf } from "./rendered.ts"

/**
 * What the environment is once it is deployed. State keeps it, so that a plan can say in the same words
 * what it was. Stack files that are generated are not known here, so their seals are not either.
 */
export function deployedFacts(
  { name, environment, accepted }: Stack,
  {
    files,
    migrations,
  }: { files: EnvironmentFile[]; migrations: Pick<MigrationFile, "name" | "sha256">[] },
): Record<string, string> {
  const file = files.find(({ stack, template }) => stack === name && !template)
  const written = file && sourcesOf(file, readSubject(file, files))
  // A test's own stack may have the name of an environment.
  const own = written?.environment.fixture === environment.fixture ? written : undefined
  const generated = { stack: name, file: `Pulumi.${name}.yaml`, seals: undefined, others: {} }
  return effectiveFacts({ accepted, ...(own ?? generated), environment, migrations })
}
