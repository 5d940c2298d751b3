import type { Words } from "./words/en.ts"

const brands: Record<string, string> = { github: "GitHub", gitlab: "GitLab", linkedin: "LinkedIn" }

/**
 * Name on buttons: the brand's own spelling, otherwise the operator's id with a capital. A second provider of the same
 * brand also shows its id.
 */
export function providerName({ presets }: { presets: Record<string, string> }, id: string) {
  const preset = presets[id] ?? id
  const isOnly = Object.values(presets).filter((name) => name === preset).length < 2
  const brand = isOnly || id === preset ? brands[preset] : undefined
  return brand ?? `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`
}

type Text = (words: Words) => string

/** An input of a form, with texts in the reader's language. */
export type Field =
  | {
      is: "text" | "email" | "password" | "date"
      label: Text
      autocomplete?: string
      inputmode?: "numeric"
      hint?: Text
      isOptional?: true
    }
  | { is: "tick"; label: Text; isOn?: true }
  | { is: "choice"; label: Text; options: (words: Words) => Record<string, string> }
  /** A widget that fills in a token, in environments that have one. */
  | { is: "turnstile"; action: string }
  /** A value that the page sets, such as an id. */
  | { is: "hidden" }

/** Inputs of a form. They have the names of the operation's input, so that its issues appear beside them. */
export type Fields = Record<string, Field>

/** The values that a form has sent. */
export type Values<Of extends Fields> = {
  [Name in keyof Of]: Of[Name] extends { is: "tick" }
    ? boolean
    : Of[Name] extends { options: (words: Words) => infer Options }
      ? keyof Options & string
      : string
}

/** Fields that several forms share. */
export const field = {
  name: { is: "text", label: (words) => words.name, autocomplete: "name" },
  email: { is: "email", label: (words) => words.email, autocomplete: "username" },
  password: {
    is: "password",
    label: (words) => words.password,
    autocomplete: "current-password",
  },
  currentPassword: {
    is: "password",
    label: (words) => words.currentPassword,
    autocomplete: "current-password",
  },
  newPassword: {
    is: "password",
    label: (words) => words.newPassword,
    autocomplete: "new-password",
    hint: (words) => words.passwordHint,
  },
  code: {
    is: "text",
    label: (words) => words.code,
    autocomplete: "one-time-code",
    inputmode: "numeric",
  },
  appCode: {
    is: "text",
    label: (words) => words.appCode,
    autocomplete: "one-time-code",
    inputmode: "numeric",
  },
  recoveryCode: { is: "text", label: (words) => words.recoveryCode, autocomplete: "off" },
  stay: { is: "tick", label: (words) => words.stay, isOn: true },
  hidden: { is: "hidden" },
} satisfies Fields
