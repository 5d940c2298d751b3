import { readFileSync, writeFileSync } from "node:fs"

import { parseDocument } from "yaml"

import type { LocalStack } from "../../cli/stack/local-stack.ts"

/** Changes a value of a generated stack file, as `pulumi config set` does with a start of the engine. */
export function writeConfig(
  { project }: Pick<LocalStack, "project">,
  path: string[],
  value: unknown,
): void {
  const document = parseDocument(readFileSync(project.stackFile, "utf8"))
  document.setIn(["config", ...path], value)
  writeFileSync(project.stackFile, document.toString())
}
