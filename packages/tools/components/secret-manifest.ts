import type { BindingDeclaration } from "../project/binding.ts"
import { project } from "../project/own-project.ts"

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
  const known = /^IDP_[A-Z0-9_]+_CLIENT_SECRET$/.test(name) ? "IDP_CLIENT_SECRET" : name
  const declared = declaredSecrets.find((one) => one.name === known)
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
  // What a service made is as it is.
  const few = made !== "by its service" && new Set(value).size < fewestDifferent
  if (few || new Set(value).size === 1) return "repeats a few characters"
  return placeholder.test(value) ? "is a placeholder" : undefined
}

/** Words that stand in examples where a secret belongs. */
const placeholder =
  /^(?:<.*>|\[.*\]|\{.*\}|\$.*)$|change[-_ ]?me|your[-_ ]?(?:secret|key|token|password)|(?:insert|replace)[-_ ]?(?:me|this|here)|placeholder|example|^(?:password|secret|todo|test|dummy|xxx)/i
