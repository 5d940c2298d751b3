import { randomBytes } from "node:crypto"

import { Failure } from "../../base/failure.ts"
import { renderEnvironments } from "../../environment/effective/rendered.ts"
import {
  type DeclaredSecret,
  declaredSecret,
  secretRotations,
  weaknessOf,
} from "../../environment/secrets.ts"
import { say } from "../output.ts"
import { editStackFile, replaceFile } from "./edit-stack-file.ts"
import { readValue } from "./read-value.ts"
import { findSeal, sealInto } from "./seal.ts"
import { findSecretStack, secretEngine, type SecretOptions } from "./secret-stack.ts"

type WriteOptions = SecretOptions & { replace: boolean }

export async function setSecret(name: string, options: WriteOptions): Promise<void> {
  expectSettable(name)
  findSecretStack(options)
  const value = await readValue(name)
  expectStrong(name, value)
  await write(name, value, options)
}

/** Returns the value, which is printed for those alone who ask for it. */
export async function generateSecret(
  name: string,
  options: WriteOptions & { print: boolean },
): Promise<string> {
  const { made } = expectSettable(name)
  if (made === "by its service" && !options.print) {
    throw new Failure(
      "USAGE",
      `${name} is made by the service that it opens: ./accounts secret set ${name} -s ${options.stack}. For a service of your own, --print says the value once.`,
    )
  }
  const value = randomBytes(32).toString("hex")
  await write(name, value, options)
  return value
}

async function write(name: string, value: string, options: WriteOptions): Promise<void> {
  const stack = findSecretStack(options)
  const engine = await secretEngine(options)
  await editStackFile(stack.path, async (document) => {
    const known = findSeal(document, name) !== undefined
    if (known && !options.replace) throw isSealedAlready(name, stack.label)
    await sealInto(document, { engine, stack }, { name, value })
  })
  say(`${name} is sealed in ${stack.label}.`)
  if (stack.stack === "local") say("Every clone opens what is sealed there: do not commit it.")
  await renderAnew(options)
}

function isSealedAlready(name: string, file: string): Failure {
  const rotation = secretRotations.find((one) => one.name === name)
  return new Failure(
    "COMMAND_FAILED",
    rotation
      ? `${file} has a value of ${name}, and another one ${rotation.loses.toLowerCase()}. Rotate it: ./accounts secret rotate ${name}. If it has leaked, add --replace.`
      : `${file} has a ${name} already. Add --replace for another one.`,
  )
}

/** @throws Failure for a name that is no secret, without repeating what may be a value */
function expectSettable(name: string): DeclaredSecret {
  const declared = declaredSecret(name)
  if (declared === undefined) {
    const shown = /^[A-Z][A-Z_]{2,40}$/.test(name) ? `${name} is` : "That is"
    throw new Failure(
      "USAGE",
      `${shown} no secret of this service: docs/bindings.md has all of them.`,
    )
  }
  if (declared.made !== "by rotate") return declared
  throw new Failure(
    "USAGE",
    `${name} is the secret before a rotation: ./accounts secret rotate ${name.replace(/_PREVIOUS$/, "")} writes it.`,
  )
}

function expectStrong(name: string, value: string): void {
  const reason = value === "" ? "is empty" : (spaceAround(value) ?? weaknessOf(name, value))
  if (reason === undefined) return
  const advice =
    declaredSecret(name)?.made === "by its service"
      ? "Copy it again from the service that made it"
      : `Let the computer draw one: ./accounts secret generate ${name}`
  throw new Failure("COMMAND_FAILED", `The value of ${name} ${reason}. ${advice}.`)
}

function spaceAround(value: string): string | undefined {
  return value === value.trim() ? undefined : "begins or ends with a space or a line break"
}

/** What reviewers read is stale once a seal has changed. */
export async function renderAnew({ stack, directory }: SecretOptions): Promise<void> {
  for (const { stack: name, path, text, committed } of await renderEnvironments(directory)) {
    if (name !== stack || text === undefined || text === committed) continue
    replaceFile(path, text)
    say(`${path} is rendered.`)
  }
}
