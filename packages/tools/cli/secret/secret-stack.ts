import { copyFileSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

import { Failure } from "../../base/failure.ts"
import { readText } from "../../environment/read-text.ts"
import { listEnvironments } from "../../environment/subject.ts"
import { defaultApiPort, defaultPort } from "../local-options.ts"
import { findRunning } from "../process/local-cloudflare.ts"
import { callEngine } from "../stack/engine.ts"
import type { Engine } from "../stack/engine.ts"
import { localBackendEngine } from "../stack/engine.ts"
import { callersEngine } from "../stack/engine.ts"
import { projectFile } from "../stack/project.ts"

/** A stack whose file people seal secrets in. */
export type SecretStack = { stack: string; path: string; label: string }

export type SecretOptions = { stack: string; directory: string; state: string; engine?: string }

/** @throws Failure for a stack that has no file of its own */
export function findSecretStack(options: Pick<SecretOptions, "stack" | "directory">): SecretStack {
  const { stack, directory } = options
  const files = listEnvironments(directory, directory).filter(({ template }) => !template)
  const found = files.find((file) => file.stack === stack)
  // A folder is one for no engine.
  if (found) readText(found.path)
  if (found) return { stack, path: found.path, label: found.label }
  const known = files.map((file) => file.stack)
  throw new Failure(
    "USAGE",
    stack.startsWith("preview-")
      ? `${stack} has no file of its own: previews make their secrets.`
      : `${directory} has no Pulumi.${stack}.yaml. Its stacks: ${known.join(", ") || "none"}.`,
  )
}

/** The engine that opens a stack's file. The key of `local` is the local Cloudflare's of a state directory. */
export async function secretEngine({ stack, state, engine }: SecretOptions): Promise<Engine> {
  if (stack !== "local") return await callersEngine(engine)
  if (await findRunning(state)) {
    return await localBackendEngine({ state, engine, apiPort: defaultApiPort, port: defaultPort })
  }
  throw new Failure("USAGE", "The local Cloudflare has the key of local: ./accounts start")
}

/**
 * Runs the engine on a copy of the stack file, so that it cannot leave half a file behind, and hands
 * on the copy. Nothing in it is in clear that is sealed in the file.
 */
export async function onCopy(
  engine: Engine,
  { stack, path }: SecretStack,
  { args, input }: { args: string[]; input?: string },
): Promise<{ stdout: string; copy: string } & Disposable> {
  using folder = new DisposableStack()
  const { path: directory } = folder.use(mkdtempDisposableSync(join(tmpdir(), "accounts-secret-")))
  const copy = join(directory, basename(path))
  copyFileSync(path, copy)
  // With a runtime the engine would ask a language host, which not every engine comes with.
  writeFileSync(join(directory, "Pulumi.yaml"), projectFile({ runtime: false }))
  const all = [...args, "--stack", stack]
  const stdout = await callEngine(engine, { directory, args: all, ...(input && { input }) })
  const kept = folder.move()
  return { stdout, copy, [Symbol.dispose]: () => kept.dispose() }
}
