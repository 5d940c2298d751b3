import type { Stack } from "../read.ts"
import { effectiveFacts } from "./effective.ts"
import { writtenOf } from "./rendered.ts"
import type { Site } from "./section.ts"

/**
 * What the environment is once it is deployed. State keeps it, so that a plan can say in the same words
 * what it was. Stack files that are generated are not known here, so their seals are not either.
 */
export function deployedFacts(
  { name, environment, accepted }: Stack,
  { files, migrations }: Site,
): Record<string, string> {
  const written = writtenOf(name, files)?.sources
  // A test's own stack may have the name of an environment.
  const own = written?.environment.fixture === environment.fixture ? written : undefined
  const generated = { stack: name, file: `Pulumi.${name}.yaml`, seals: undefined, others: {} }
  return effectiveFacts({ accepted, ...(own ?? generated), environment, migrations })
}
