import * as z from "zod"

import { isLoopback } from "../base/loopback.ts"
import type { BindingDeclaration } from "./project/binding.ts"
import { project } from "./project/own-project.ts"
import type { GeneratedSecret, RotatedSecret } from "./project/project.ts"
import { type Readable, permanent } from "./stack-keys.ts"

type SecretBinding = Extract<BindingDeclaration, { type: "secret_text" }>

/** A secret that the Worker takes, as app/bindings.ts declares it. */
export type DeclaredSecret = Omit<SecretBinding, "type"> & { name: string }

/** Every secret of app/bindings.ts, in its order. */
export const declaredSecrets: DeclaredSecret[] = Object.entries(project.bindings).flatMap(
  ([name, declaration]) => {
    if (declaration.type !== "secret_text") return []
    const { type: _, ...declared } = declaration
    return [{ name, ...declared }]
  },
)

/** Returns the declaration of a secret; identity providers share theirs. Undefined if the name is no secret. */
export function declaredSecret(name: string): DeclaredSecret | undefined {
  const declaredName = /^IDP_[A-Z0-9_]+_CLIENT_SECRET$/.test(name) ? "IDP_CLIENT_SECRET" : name
  const declared = declaredSecrets.find((candidate) => candidate.name === declaredName)
  return declared && { ...declared, name }
}

/** Minimum number of different characters in a random value. */
const fewestDifferent = 8

/** Returns why a value is too weak for a secret, as the end of a sentence; undefined if it is strong enough. */
export function weaknessOf(name: string, value: string): string | undefined {
  const declared = declaredSecret(name)
  if (declared === undefined) return undefined
  const { least, made } = declared
  if (value.length < least) return `must have ${least} characters or more`
  // A secret that a service made may repeat a few characters.
  const few = made !== "by its service" && new Set(value).size < fewestDifferent
  if (few || new Set(value).size === 1) return "repeats a few characters"
  return placeholder.test(value) ? "is a placeholder" : undefined
}

/** Matches placeholders that examples have in place of a secret. */
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
  /** When the new value takes over; the former value is used until then. */
  from: Date
  /** The time from which the former value is no longer needed. */
  until: Date
}

/** A secret that has a rotation. */
export type Rotation = RotatedSecret & {
  name: string
  /** Name of the secret that keeps the former value. */
  previous: string
}

export const secretRotations = Object.entries(project.rotated).map(([name, rotated]): Rotation =>
  Object.assign({ name, previous: `${name}_PREVIOUS` }, rotated),
)

/** @param time the value in a stack file @returns undefined if that is not a time */
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
