import * as z from "zod"

import { isLoopback } from "../base/loopback.ts"
import type { BindingDeclaration } from "./project/binding.ts"
import { project } from "./project/own-project.ts"
import type { GeneratedSecret, RotatedSecret } from "./project/project.ts"
import { type Readable, permanent } from "./stack-keys.ts"

type SecretBinding = Extract<BindingDeclaration, { type: "secret_text" }>

/** A secret that the Worker takes, as app/bindings.ts declares it. */
export type DeclaredSecret = Omit<SecretBinding, "type"> & { name: string }

/** Every secret of the table, in its order. */
export const declaredSecrets: DeclaredSecret[] = Object.entries(project.bindings).flatMap(
  ([name, declaration]) => {
    if (declaration.type !== "secret_text") return []
    const { type: _, ...declared } = declaration
    return [{ name, ...declared }]
  },
)

/** The declaration of a secret; of any identity provider's as of `idp`. Undefined for no secret. */
export function declaredSecret(name: string): DeclaredSecret | undefined {
  const declaredName = /^IDP_[A-Z0-9_]+_CLIENT_SECRET$/.test(name) ? "IDP_CLIENT_SECRET" : name
  const declared = declaredSecrets.find((candidate) => candidate.name === declaredName)
  return declared && { ...declared, name }
}

/** Fewest different characters of a value that was drawn at random. */
const fewestDifferent = 8

/** Why a value is too weak for a secret, as the second half of a sentence; undefined if it is not. */
export function weaknessOf(name: string, value: string): string | undefined {
  const declared = declaredSecret(name)
  if (declared === undefined) return undefined
  const { least, made } = declared
  if (value.length < least) return `must have ${least} characters or more`
  // A secret that a service made is used as it is.
  const few = made !== "by its service" && new Set(value).size < fewestDifferent
  if (few || new Set(value).size === 1) return "repeats a few characters"
  return placeholder.test(value) ? "is a placeholder" : undefined
}

/** Words that stand in examples where a secret belongs. */
const placeholder =
  /^(?:<.*>|\[.*\]|\{.*\}|\$.*)$|change[-_ ]?me|your[-_ ]?(?:secret|key|token|password)|(?:insert|replace)[-_ ]?(?:me|this|here)|placeholder|example|^(?:password|secret|todo|test|dummy|xxx)/i

/** Bindings of the secrets that a stack generates because its file does not bring them. */
export function secretsToGenerate(stack: Readable): string[] {
  return Object.entries(project.generated)
    .filter(([name, { made }]) => isMade(made, stack) && !(name in (stack.secrets ?? {})))
    .map(([name]) => name)
}

function isMade(origin: GeneratedSecret["made"], stack: Readable): boolean {
  if (origin === "everywhere") return true
  if (permanent(stack)) return false
  if (origin === "unless permanent") return true
  return isLoopback(origin.besideSandbox(stack) ?? "")
}

/** A rotation of a secret that is under way, or whose end is not recorded yet. */
export type RotationWindow = Rotation & {
  /** When the new value takes over; the former one is used until then. */
  from: Date
  /** The time from which the former value is no longer needed. */
  until: Date
}

/** A secret that has a rotation. */
export type Rotation = RotatedSecret & {
  name: string
  /** Where the former value is kept. */
  previous: string
}

/** Every secret that has one. */
export const secretRotations = Object.entries(project.rotated).map(([name, rotated]): Rotation =>
  Object.assign({ name, previous: `${name}_PREVIOUS` }, rotated),
)

/** @param time as a stack file has it; undefined, like any that is none, for no rotation */
export function rotationWindow(rotation: Rotation, time: unknown): RotationWindow | undefined {
  const { data } = z.iso.datetime().safeParse(time)
  if (data === undefined) return undefined
  const from = new Date(data)
  return { ...rotation, from, until: new Date(from.getTime() + rotation.lasts * 1000) }
}

/** The rotations that the stack file declares. */
export function rotationWindows(environment: object): RotationWindow[] {
  return secretRotations.flatMap(
    (rotation) => rotationWindow(rotation, Object(environment)[rotation.key]) ?? [],
  )
}

/** Formats a time to the minute, in UTC: `2026-11-30 12:00 UTC`. */
export function describeTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`
}
