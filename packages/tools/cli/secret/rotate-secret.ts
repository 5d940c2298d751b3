import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

import { type Document, parseDocument, Scalar } from "yaml"

import { Failure } from "../../base/failure.ts"
import { describeTime, type Overlap, overlapOf } from "../../components/secret-overlap.ts"
import { say } from "../output.ts"
import { editStackFile } from "./edit-stack-file.ts"
import { findSeal, sealInto, setSealed } from "./seal.ts"
import { findSecretStack, secretEngine, type SecretOptions } from "./secret-stack.ts"
import { renderAnew } from "./write-secret.ts"

const current = "AUTH_SECRET"
const previous = "AUTH_SECRET_PREVIOUS"
const fromPath = ["config", "accounts:authSecretFrom"]

/**
 * Moves the seal of AUTH_SECRET to AUTH_SECRET_PREVIOUS, as it is, and seals a new one, which begins to
 * sign after `hours`: by then it has to be deployed.
 */
export async function rotateSecret(
  name: string,
  { hours, now, ...options }: SecretOptions & { hours: number; now: Date },
): Promise<{ stack: string; from: string; until: string }> {
  if (name !== current) throw hasNoOverlap(name, options.stack)
  const stack = findSecretStack(options)
  const engine = await secretEngine(options)
  const from = new Date(now.getTime() + hours * 60 * 60 * 1000)
  // To the minute: that is how people are told.
  from.setUTCSeconds(0, 0)
  const authSecretFrom = from.toISOString().replace(".000Z", "Z")
  const until = overlapOf({ authSecretFrom })?.until ?? from
  await editStackFile(stack.path, async (document) => {
    const seal = findSeal(document, current)
    if (seal === undefined) {
      throw new Failure(
        "COMMAND_FAILED",
        `${stack.label} has no sealed AUTH_SECRET: ./accounts secret generate AUTH_SECRET -s ${stack.stack}`,
      )
    }
    expectNoOverlap(document, stack.label, now)
    const value = randomBytes(32).toString("hex")
    await sealInto(document, { engine, stack }, { name: current, value })
    setSealed(document, previous, seal)
    const time = new Scalar(authSecretFrom)
    // Some readers of YAML take a time without quotes for something else than text.
    time.type = Scalar.QUOTE_DOUBLE
    document.setIn(fromPath, time)
  })
  say(`AUTH_SECRET is rotated in ${stack.label}: another one is sealed, the one before stays.`)
  await renderAnew(options)
  say(
    [
      `Deploy it before ${describeTime(from)}. From then on the new one signs; sessions of the one before go on.`,
      `From ${describeTime(until)} none of them is left: ./accounts secret remove ${previous} -s ${stack.stack}`,
    ].join("\n"),
  )
  return { stack: stack.stack, from: authSecretFrom, until: until.toISOString() }
}

/** The rotation that a stack file tells of; undefined if there is none. */
function overlapIn(document: Document): Overlap | undefined {
  const authSecretFrom = document.getIn(fromPath)
  if (typeof authSecretFrom !== "string") return undefined
  const overlap = overlapOf({ authSecretFrom })
  return overlap && !Number.isNaN(overlap.from.getTime()) ? overlap : undefined
}

function expectNoOverlap(document: Document, file: string, now: Date): void {
  if (findSeal(document, previous) === undefined) return
  const overlap = overlapIn(document)
  if (overlap === undefined) {
    throw new Failure(
      "COMMAND_FAILED",
      `${file} has ${previous}, and accounts:authSecretFrom does not say since when. Write its time, or remove ${previous}.`,
    )
  }
  if (now >= overlap.until) return
  throw new Failure(
    "COMMAND_FAILED",
    `AUTH_SECRET was rotated already, and sessions that the secret before signed last until ${describeTime(overlap.until)}: a second rotation would end them. Rotate again from then on.`,
  )
}

/** @throws Failure before the end of the overlap, unless everybody with a former session may be signed out */
export async function removeSecret(
  name: string,
  { signOut, dryRun, now, ...options }: SecretOptions & RemoveOptions,
): Promise<void> {
  const stack = findSecretStack(options)
  if (name === current) {
    throw new Failure("USAGE", `${stack.stack} cannot do without AUTH_SECRET. Rotate it instead.`)
  }
  const remove = (document: Document) => {
    if (!document.hasIn(["config", "accounts:secrets", name])) {
      throw new Failure("COMMAND_FAILED", `${stack.label} has no ${name}.`)
    }
    if (name === previous) {
      const overlap = overlapIn(document)
      if (overlap && now < overlap.until && !signOut) throw isInUse(overlap)
      document.deleteIn(fromPath)
    }
    document.deleteIn(["config", "accounts:secrets", name])
  }
  if (dryRun) {
    const document = parseDocument(readFileSync(stack.path, "utf8"))
    const overlap = name === previous ? overlapIn(document) : undefined
    remove(document)
    say(`Nothing was changed. ${name} would be removed from ${stack.label}.`)
    if (overlap && now < overlap.until) say(endsSessions(overlap))
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

function isInUse({ until }: Overlap): Failure {
  return new Failure(
    "COMMAND_FAILED",
    `Sessions that ${previous} signed last until ${describeTime(until)}. Remove it from then on, or add --sign-out to end them.`,
  )
}

function hasNoOverlap(name: string, stack: string): Failure {
  const known = /^[A-Z][A-Z_]{2,40}$/.test(name) ? name : "That"
  return new Failure(
    "USAGE",
    `${known} has no overlap; AUTH_SECRET alone has one. Give another value: ./accounts secret set <name> -s ${stack} --replace. One that the stack makes: accounts:rotations.`,
  )
}
