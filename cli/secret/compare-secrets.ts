import { committedEnvironments } from "../../infra/environment/committed.ts"
import type { Values } from "../../infra/environment/known-secrets.ts"
import { refusal } from "../../infra/environment/read.ts"
import { judge } from "../../infra/environment/rules/judge.ts"
import { rules } from "../../infra/environment/rules/rules.ts"
import { type EnvironmentFile, readSubject } from "../../infra/environment/subject.ts"
import { say } from "../output.ts"
import { openByEngine, withOpened } from "./examine-secrets.ts"
import { secretEngine } from "./secret-stack.ts"

const reused = rules.filter(({ id }) => id === "R41")

type Options = { engine: string | undefined; files?: EnvironmentFile[] }

/**
 * Compares a stack's secrets with those of the stacks that the same key service or backend seals, which
 * only the engine opens. Those that a passphrase seals are compared by the program itself.
 * @throws Failure where two environments share a value
 */
export async function expectOwnSecrets(
  stack: string,
  { engine: path, files = committedEnvironments() }: Options,
): Promise<void> {
  const sealed = files.flatMap((file) => {
    const sealer = sealerOf(file)
    return file.stack === "local" || file.template || !sealer ? [] : [{ file, sealer }]
  })
  const own = sealed.find(({ file }) => file.stack === stack)
  const same = sealed.filter(({ sealer }) => sealer === own?.sealer)
  if (!own || same.length === 1) return
  const engine = await secretEngine(path)
  const opened = new Map<string, Values>()
  await Promise.all(
    same.map(async ({ file }) => {
      const found = await openByEngine(file, engine)
      if ("secrets" in found) opened.set(file.label, found.secrets)
      else say(`Secrets are not compared with those of ${file.label}: ${found.why}`)
    }),
  )
  const subject = readSubject(own.file, files)
  const found = judge(withOpened(subject, opened), {
    rules: reused,
    locate: subject.source.locate,
  })
  if (found.length > 0) throw refusal(own.file.label, found)
}

/** What seals the secrets of a stack file; undefined for a passphrase, and where there are none. */
function sealerOf(one: EnvironmentFile): string | undefined {
  const { file, seals } = readSubject(one).source
  const hasSecrets = Object.keys(seals).some((key) => key.startsWith("accounts:secrets."))
  if (!hasSecrets || file.encryptionsalt !== undefined) return undefined
  return file.secretsprovider ?? "the backend"
}
