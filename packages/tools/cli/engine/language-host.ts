import { realpath } from "node:fs/promises"
import { delimiter, dirname } from "node:path"

import { findOnPath } from "./find-on-path.ts"

/**
 * Whether the `pulumi` command can run the program by itself. Pulumi's own packages have the language
 * host beside the engine; an engine that was built from its Go modules has none.
 */
export async function hasLanguageHost(
  engine: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const beside = dirname(await realpath(engine).catch(() => engine))
  const path = [beside, dirname(engine), env["PATH"] ?? ""].join(delimiter)
  return (await findOnPath("pulumi-language-nodejs", { PATH: path })) !== undefined
}
