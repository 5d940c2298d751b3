import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

import { type Document, parseDocument, Scalar } from "yaml"

import { Failure } from "../../base/failure.ts"
import {
  type Overlap,
  type Rotation,
  describeTime,
  overlapAt,
  secretRotations,
} from "../../environment/secrets.ts"
import { say } from "../output.ts"
import { editStackFile } from "./edit-stack-file.ts"
import { findSeal, sealInto, setSealed } from "./seal.ts"
import { findSecretStack, secretEngine, type SecretOptions } from "./secret-stack.ts"
import { renderAnew } from "./write-secret.ts"

/** The former value of AUTH_SECRET, which may go early. */
const signing = "AUTH_SECRET_PREVIOUS"

/**
 * Moves the seal of a secret to where its former value is kept, as it is, and seals a new one, which takes over
 * after `hours`: by then it has to be deployed.
 */
export async function rotateSecret(
  name: string,
  { hours, now, ...options }: SecretOptions & { hours: number; now: Date },
): Promise<{ stack: string; from: string; until: string }> {
  const rotation = secretRotations.find((one) => one.name === name)
  if (rotation === undefined) throw hasNoOverlap(name, options.stack)
  const { previous, does, keeps, lasts } = rotation
  const stack = findSecretStack(options)
  const engine = await secretEngine(options)
  const from = new Date(now.getTime() + hours * 60 * 60 * 1000)
  // To the minute: that is how people are told.
  from.setUTCSeconds(0, 0)
  const until = new Date(from.getTime() + lasts * 1000)
  const text = from.toISOString().replace(".000Z", "Z")
  await editStackFile(stack.path, async (document) => {
    const seal = findSeal(document, name)
    if (seal === undefined) {
      throw new Failure(
        "COMMAND_FAILED",
        `${stack.label} has no sealed ${name}: ./accounts secret generate ${name} -s ${stack.stack}`,
      )
    }
    expectNoOverlap(document, { file: stack.label, now }, rotation)
    const value = randomBytes(32).toString("hex")
    await sealInto(document, { engine, stack }, { name, value })
    setSealed(document, previous, seal)
    const time = new Scalar(text)
    // Some readers of YAML take a time without quotes for something else than text.
    time.type = Scalar.QUOTE_DOUBLE
    document.setIn(timePath(rotation), time)
  })
  say(`${name} is rotated in ${stack.label}: another one is sealed, the one before stays.`)
  await renderAnew(options)
  say(
    [
      `Deploy it before ${describeTime(from)}. From then on the new one ${does}; ${keeps}.`,
      `From ${describeTime(until)} the one before is needed no more: ./accounts secret remove ${previous} -s ${stack.stack}`,
    ].join("\n"),
  )
  return { stack: stack.stack, from: text, until: until.toISOString() }
}

function timePath({ key }: Rotation) {
  return ["config", `accounts:${key}`]
}

/** The rotation that a stack file tells of; undefined if there is none. */
function overlapIn(document: Document, rotation: Rotation): Overlap | undefined {
  return overlapAt(rotation, document.getIn(timePath(rotation)))
}

function expectNoOverlap(
  document: Document,
  { file, now }: { file: string; now: Date },
  rotation: Rotation,
): void {
  const { name, previous, key, keeps } = rotation
  if (findSeal(document, previous) === undefined) return
  const overlap = overlapIn(document, rotation)
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

/** @throws Failure before the end of the overlap, unless everybody with a former session may be signed out */
export async function removeSecret(
  name: string,
  { signOut, dryRun, now, ...options }: SecretOptions & RemoveOptions,
): Promise<void> {
  const stack = findSecretStack(options)
  if (name === "AUTH_SECRET") {
    throw new Failure("USAGE", `${stack.stack} cannot do without AUTH_SECRET. Rotate it instead.`)
  }
  const rotation = secretRotations.find(({ previous }) => previous === name)
  const needed = (document: Document) => {
    const overlap = rotation && overlapIn(document, rotation)
    return overlap && now < overlap.until ? overlap : undefined
  }
  const remove = (document: Document) => {
    if (!document.hasIn(["config", "accounts:secrets", name])) {
      throw new Failure("COMMAND_FAILED", `${stack.label} has no ${name}.`)
    }
    const overlap = needed(document)
    if (overlap && !(signOut && name === signing)) throw isInUse(overlap)
    if (rotation) document.deleteIn(timePath(rotation))
    document.deleteIn(["config", "accounts:secrets", name])
  }
  if (dryRun) {
    const document = parseDocument(readFileSync(stack.path, "utf8"))
    const overlap = needed(document)
    remove(document)
    say(`Nothing was changed. ${name} would be removed from ${stack.label}.`)
    if (overlap) say(endsSessions(overlap))
    return
  }
  await editStackFile(stack.path, remove)
  say(`${name} is removed from ${stack.label}.`)
  await renderAnew(options)
}

type RemoveOptions = {
  signOut: boolean
  /** Only says what would be removed. */
  dryRun: boolean
  now: Date
}

function endsSessions({ until }: Overlap): string {
  return `With the next deployment, sessions that the former AUTH_SECRET signed end before ${describeTime(until)}.`
}

function isInUse({ previous, keeps, until }: Overlap): Failure {
  const early = previous === signing ? ", or add --sign-out to end its sessions" : ""
  return new Failure(
    "COMMAND_FAILED",
    `${previous} is needed until ${describeTime(until)}: ${keeps} until then. Remove it from then on${early}.`,
  )
}

function hasNoOverlap(name: string, stack: string): Failure {
  const known = /^[A-Z][A-Z_]{2,40}$/.test(name) ? name : "That"
  const others = secretRotations.map((one) => one.name).join(" and ")
  return new Failure(
    "USAGE",
    `${known} has no overlap; ${others} have one. Give another value: ./accounts secret set <name> -s ${stack} --replace. One that the stack makes: accounts:rotations.`,
  )
}
