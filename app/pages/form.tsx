import type { Child } from "hono/jsx"

import type { Problem } from "./outcome.ts"
import type { Visit } from "./visit.ts"
import type { Words } from "./words/en.ts"

/** The fields that a refusal is about, the first one that the form has. */
const fieldsOfCode: Record<string, string[]> = {
  INVALID_PASSWORD: ["currentPassword", "password"],
  INVITATION_REQUIRED: ["email"],
  RESERVED_ADDRESS: ["email"],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: ["email"],
}

function textIn(texts: Record<string, string>, key: string) {
  return Object.hasOwn(texts, key) ? texts[key] : undefined
}

/** What a refusal is called: as a whole, or at its fields. */
export function explain({ code, issues = [], retryAfter }: Problem, words: Words) {
  if (code === "TOO_MANY_REQUESTS" || code === "TOO_MANY_ATTEMPTS") {
    return words.tooMany(retryAfter ?? 60)
  }
  const [field] = issues.flatMap(({ path: [name] }) => (typeof name === "string" ? [name] : []))
  if (field !== undefined) return textIn(words.fields, field) ?? words.fields.other
  // A provider's return says `account_suspended` where an operation says ACCOUNT_SUSPENDED.
  const text = textIn(words.codes, code) ?? textIn(words.codes, code.toUpperCase())
  return text ?? words.codes.other
}

function fieldOf(problem: Problem, visit: Visit) {
  const [named] = problem.issues?.map(({ path: [name] }) => String(name)) ?? []
  const names = named === undefined ? (fieldsOfCode[problem.code] ?? []) : [named]
  return names.find((name) => visit.has(name))
}

type FormProps = {
  visit: Visit
  act: string
  /** What the button says. */
  button: string
  isGrave?: boolean
  children?: Child
}

/** A form that posts to its own page. Its refusal stands at the field, or else on top. */
export function Form({ visit, act, button, isGrave = false, children }: FormProps) {
  const { refused, words, path, query } = visit
  const problem = refused?.act === act ? refused.problem : undefined
  const isOfField = problem !== undefined && fieldOf(problem, visit) !== undefined
  const kept = [...query].filter(([name]) => !["done", "error", "language"].includes(name))
  const search = new URLSearchParams(kept).toString()
  return (
    <form method="post" action={search === "" ? path : `${path}?${search}`}>
      {problem !== undefined && !isOfField && (
        <p class="bad" role="alert">
          {explain(problem, words)}
        </p>
      )}
      {children}
      <button name="act" value={act} class={isGrave ? "grave" : "main"}>
        {button}
      </button>
    </form>
  )
}

type FieldProps = {
  visit: Visit
  act: string
  name: string
  label: string
  type?: "text" | "email" | "password" | "date"
  autocomplete?: string
  hint?: string
  value?: string
  isOptional?: boolean
}

/** A field with its words. A password is never sent back. */
export function Field(props: FieldProps) {
  const { visit, act, name, label, type = "text", autocomplete, hint, isOptional = false } = props
  const { refused, words } = visit
  const isOwn = refused?.act === act
  const problem = isOwn && fieldOf(refused.problem, visit) === name ? refused.problem : undefined
  const text = isOwn && type !== "password" ? visit.field(name) : props.value
  const id = `${act}-${name}`
  const notes = [hint && `${id}-hint`, problem && `${id}-bad`].filter(Boolean).join(" ")
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        {...(autocomplete && { autocomplete })}
        {...(text !== undefined && { value: text })}
        {...(!isOptional && { required: true })}
        {...(notes && { "aria-describedby": notes })}
        {...(problem && { "aria-invalid": "true", autofocus: true })}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {problem && (
        <p class="bad" id={`${id}-bad`} role="alert">
          {explain(problem, words)}
        </p>
      )}
    </div>
  )
}

export function Tick({ name, label, isOn }: { name: string; label: string; isOn?: boolean }) {
  return (
    <label class="tick">
      <input type="checkbox" name={name} value="yes" {...(isOn && { checked: true })} /> {label}
    </label>
  )
}

/** A value that the reader does not choose. */
export function Hidden({ name, value }: { name: string; value: string }) {
  return <input type="hidden" name={name} value={value} />
}
