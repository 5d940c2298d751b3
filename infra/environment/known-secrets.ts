import { givenPassphrase, openerOf } from "./passphrase.ts"
import type { Described } from "./rules/rule.ts"
import { type EnvironmentFile, readSubject } from "./subject.ts"

const prefix = "accounts:secrets."

/** Values of secrets by name. */
export type Values = Record<string, string>

export type KnownSecrets = {
  /** By the label of the stack file. */
  opened: Map<string, Values>
  /** Files whose sealed secrets this process cannot open, and why. */
  closed: { label: string; why: string }[]
}

/** The secrets of other stack files that the passphrase of this process opens, without an engine. */
export async function openSecrets(
  files: EnvironmentFile[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<KnownSecrets> {
  const known: KnownSecrets = { opened: new Map(), closed: [] }
  const passphrase = givenPassphrase(env)
  await Promise.all(
    files.map(async (one) => {
      const found = await openFile(one, passphrase)
      if ("why" in found) known.closed.push({ label: one.label, why: found.why })
      else known.opened.set(one.label, found.values)
    }),
  )
  known.closed.sort((one, other) => (one.label < other.label ? -1 : 1))
  return known
}

async function openFile(
  one: EnvironmentFile,
  passphrase: string | undefined,
): Promise<{ values: Values } | { why: string }> {
  const { file, seals } = readSubject(one).source
  const sealed = Object.entries(seals).filter(([key]) => key.startsWith(prefix))
  if (sealed.length === 0) return { values: {} }
  const { encryptionsalt: salt, secretsprovider } = file
  if (salt === undefined) {
    return {
      why: `sealed by ${secretsprovider?.split("?")[0] ?? "the backend"}, which ./accounts plan and ./accounts up ask if this stack has the same`,
    }
  }
  if (passphrase === undefined) return { why: "PULUMI_CONFIG_PASSPHRASE is not set" }
  const open = await openerOf(salt, passphrase)
  if (open === undefined) return { why: "it has another passphrase" }
  const entries = sealed.map(([key, seal]) => [key.slice(prefix.length), open(seal)] as const)
  const broken = entries.find(([, value]) => value === undefined)
  if (broken) return { why: `${broken[0]} was sealed with another key` }
  return { values: Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""])) }
}

/** With the values of its secrets, where they are known. */
export function withValues<One extends Described>(described: One, values: Values | undefined): One {
  if (values === undefined) return described
  const { environment } = described
  // A value that lies in clear is there as well.
  const secrets = { ...environment.secrets, ...values }
  return { ...described, opened: true, environment: { ...environment, secrets } }
}
