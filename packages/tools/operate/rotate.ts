import { randomBytes } from "node:crypto"
import {
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"

import { type Document, parseDocument, Scalar } from "yaml"
import * as z from "zod"

import { Failure } from "../base/failure.ts"
import {
  describeTime,
  rotationWindow,
  type Rotation,
  secretRotations,
} from "../environment/secrets.ts"
import { Encrypted } from "../environment/stack-source.ts"

/** Encrypts a value as a secret of the stack file, with the engine's key. Returns the text of that file. */
export type Seal = (name: string, value: string) => Promise<string>

/** A stack file, and its name in messages. */
type Site = { stack: string; path: string; label: string }

/**
 * Keys that describe a stack's encryption. The engine writes them when it encrypts the first value.
 */
const sealingKeys = ["secretsprovider", "encryptedkey", "encryptionsalt"]

/**
 * Moves the ciphertext of a secret unchanged to its former value, and encrypts a new value. That takes over after
 * `hours`, and must be deployed by then.
 */
export async function rotateSecret(
  name: string,
  { hours, now, site, seal }: { hours: number; now: Date; site: Site; seal: Seal },
): Promise<Rotation & { from: Date; until: Date }> {
  const { from, until, ...rotation } = beginRotation(name, { hours, now })
  const time = new Scalar(from.toISOString().replace(".000Z", "Z"))
  // Some YAML parsers do not read a time without quotes as text.
  time.type = Scalar.QUOTE_DOUBLE
  await editStackFile(site.path, async (document) => {
    const sealBefore = findSeal(document, name)
    if (sealBefore === undefined) {
      const message = `${site.label} has no sealed ${name}: openssl rand -hex 32 | pulumi config set -s ${site.stack} --secret --path accounts:secrets.${name}`
      throw new Failure("COMMAND_FAILED", message)
    }
    expectNoOverlap(document, { file: site.label, now }, rotation)
    const sealed = parseDocument(await seal(name, randomBytes(32).toString("hex")))
    for (const key of sealingKeys) {
      const text: unknown = sealed.get(key)
      if (typeof text === "string" && document.get(key) !== text) document.set(key, text)
    }
    const secure = findSeal(sealed, name)
    if (secure === undefined) {
      throw new Failure("COMMAND_FAILED", `The engine did not seal ${name}.`)
    }
    setSealed(document, name, secure)
    setSealed(document, rotation.previous, sealBefore)
    document.setIn(timePath(rotation), time)
  })
  return { ...rotation, from, until }
}

/** @throws Failure that does not repeat an invalid name, which may be a secret's value */
export function beginRotation(name: string, { hours, now }: { hours: number; now: Date }) {
  const rotation = rotationOf(name)
  const from = new Date(now.getTime() + hours * 60 * 60 * 1000)
  // Cut to the minute, as it is printed.
  from.setUTCSeconds(0, 0)
  return { ...rotation, from, until: new Date(from.getTime() + rotation.lasts * 1000) }
}

function rotationOf(name: string): Rotation {
  const rotation = secretRotations.find((secretRotation) => secretRotation.name === name)
  if (rotation) return rotation
  const secretName = /^[A-Z][A-Z_]{2,40}$/.test(name) ? name : "That"
  const rotatable = secretRotations.map((secretRotation) => secretRotation.name).join(" and ")
  throw new Failure(
    "USAGE",
    `${secretName} has no overlap; ${rotatable} have one. Give another value: pulumi config set --secret --path accounts:secrets.<name>. One that the stack makes: accounts:rotations.`,
  )
}

function timePath({ key }: Rotation) {
  return ["config", `accounts:${key}`]
}

function expectNoOverlap(
  document: Document,
  { file, now }: { file: string; now: Date },
  rotation: Rotation,
): void {
  const { name, previous, key, keeps } = rotation
  if (findSeal(document, previous) === undefined) return
  const overlap = rotationWindow(rotation, document.getIn(timePath(rotation)))
  if (overlap === undefined) {
    throw new Failure(
      "COMMAND_FAILED",
      `${file} has ${previous}, and accounts:${key} does not say since when. Write its time, or remove ${previous}.`,
    )
  }
  if (now >= overlap.until) return
  throw new Failure(
    "COMMAND_FAILED",
    `${name} was rotated already, and ${keeps} until ${describeTime(overlap.until)}: a second rotation would end that. Rotate again from then on.`,
  )
}

const SealedConfig = z.looseObject({
  config: z.looseObject({ "accounts:secrets": z.record(z.string(), z.unknown()).optional() }),
})

/** Returns the ciphertext of a secret in a stack file; undefined if the file lacks the secret. */
function findSeal(document: Document, name: string): string | undefined {
  const { data } = SealedConfig.safeParse(document.toJS())
  return Encrypted.safeParse(data?.config["accounts:secrets"]?.[name]).data?.secure
}

function setSealed(document: Document, name: string, secure: string): void {
  document.setIn(["config", "accounts:secrets", name], document.createNode({ secure }))
}

/**
 * Changes a stack file and replaces it atomically. `change` may take long; it runs again if the file was
 * changed while it ran.
 */
export async function editStackFile(
  path: string,
  change: (document: Document) => void | Promise<void>,
): Promise<void> {
  // Resolves a link, so that the file itself is replaced.
  const file = realpathSync(path)
  for (;;) {
    const before = readFileSync(file, "utf8")
    const document = parseDocument(before)
    await change(document)
    if (readFileSync(file, "utf8") !== before) continue
    replaceFile(file, document.toString({ lineWidth: 0 }))
    return
  }
}

/** Replaces a file atomically: a reader sees either the old or the new text. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, text, existsSync(file) ? { mode: statSync(file).mode } : {})
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
