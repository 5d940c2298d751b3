import type { Child } from "hono/jsx"

import type { PagePath } from "../page-paths.ts"
import { believedUser } from "../service/session/caller.ts"
import type { Field, Fields, Values } from "./fields.ts"
import { type Go, type Problem, Show } from "./outcome.ts"
import { fieldOf, Refusal } from "./refusal.tsx"
import type { Visit } from "./visit.ts"
import type { Words } from "./words/en.ts"

/** The readers of a page. A member has a session; an admin also has a role. */
type Audience = "anyone" | "member" | "admin"

/** A page of the service. It reads and changes everything through the API. */
export type Page = {
  path: PagePath
  audience: Audience
  title: (words: Words) => string
  /** Whether the menu of its readers lists it. */
  isInMenu?: true
  /** Path of the parent page, which it links. */
  parent?: string
  /** Its forms prove who the member is, so they also work in a session that this browser did not open. */
  isProof?: true
  /** Renders the page, or redirects. */
  show: (visit: Visit) => Promise<Child | Show | Go | Response> | Child | Go
  /** Every form that `show` may render. */
  forms?: PageForm[]
}

/** A form that `Form` renders, and that is posted to its own page. */
export type PageForm<Of extends Fields = Fields> = {
  /** Unique in its page. */
  act: string
  /** The button's text; `values` are the form's initial values. */
  button: (
    words: Words,
    values: { [Name in keyof Of]?: string },
    settings: Visit["settings"],
  ) => string
  /** The button asks the device for a passkey, and hidden fields hold the response: see `PasskeyForm`. */
  passkey?: "sign-in" | "step-up" | "add"
  /** The action cannot be undone, or locks a user out. */
  isDestructive?: true
  /** Not the main action of its page. */
  isSecondary?: true
  /** Works without a proof that the reader opened the session. */
  skipsProof?: true
  /** Text of the confirmation that is asked first: what the action removes, and from which user. */
  confirmation?: (words: Words) => string
  fields: Of
  submit: (visit: Visit) => Promise<Go | Show | Problem>
}

type Definition<Of extends Fields> = Omit<PageForm<Of>, "submit"> & {
  /** Calls the API. Returns the next page, content, or the refusal. */
  send: (visit: Visit, values: Values<Of>) => Promise<Go | Show | Problem>
}

/** Defines a form: its fields, and the operation that receives their values. */
export function defineForm<const Of extends Fields>(definition: Definition<Of>): PageForm<Of> {
  const { send, ...form } = definition
  return {
    ...form,
    submit: async (visit) => {
      const values: unknown = Object.fromEntries(
        Object.entries(form.fields).map(([name, { is }]) => [
          name,
          is === "tick" ? visit.has(name) : visit.field(name),
        ]),
      )
      if (!areOffered(values, form.fields, visit)) return { code: "other" }
      if (form.confirmation === undefined || visit.has("sure")) return send(visit, values)
      // Requires the proof before the confirmation: otherwise the member would have to confirm again.
      const { error } = form.skipsProof === true ? {} : await visit.api.user.beginTotp()
      return error?.code === "STEP_UP_REQUIRED" ? error : confirmationOf(visit, form)
    },
  }
}

/** Renders the confirmation of an action: the same form with hidden fields, and the effect of the action. */
function confirmationOf(visit: Visit, form: Omit<PageForm, "submit">) {
  const { words, session } = visit
  const button = form.button(words, {}, visit.settings)
  const names = [...Object.keys(form.fields), "about"].filter((name) => visit.has(name))
  return new Show(
    <form method="post" action={visit.here()}>
      {session && <input type="hidden" name={believedUser} value={session.user.id} />}
      {names.map((name) => (
        <input type="hidden" name={name} value={visit.field(name)} />
      ))}
      <input type="hidden" name="sure" value="yes" />
      <p>
        <strong>{visit.field("about")}</strong>
      </p>
      <p>{form.confirmation?.(words)}</p>
      <p class="both">
        <button name="act" value={form.act} class="grave main">
          {button}
        </button>
        <a class="button" href={visit.here()}>
          {words.keep}
        </a>
      </p>
    </form>,
    `${button}?`,
  )
}

/** Checks that the form offered each value of its choices. */
function areOffered<Of extends Fields>(
  _values: unknown,
  fields: Of,
  { words, field }: Visit,
): _values is Values<Of> {
  return Object.entries(fields).every(
    ([name, input]) => input.is !== "choice" || Object.hasOwn(input.options(words), field(name)),
  )
}

type FormProps<Of extends Fields> = {
  visit: Visit
  form: PageForm<Of>
  /** Initial values of its fields. */
  values?: { [Name in keyof Of]?: string }
  /** Fields that this reader does not see. */
  without?: (keyof Of & string)[]
  /** The page that the form is posted to. Default: its own page. */
  at?: string
  /** The object of the action, as the confirmation names it. */
  about?: string
  children?: Child
}

/** Renders a form. A refusal is shown beside its field, or above the form. */
export function Form<Of extends Fields>(props: FormProps<Of>) {
  const { visit, form, values = {}, without = [], at, about, children } = props
  const { refused, words, settings, language } = visit
  const shownFields = Object.entries<Field>(form.fields).filter(
    ([name]) => !without.some((absent) => absent === name),
  )
  const initial: Record<string, string | undefined> = values
  // If several forms have the same button, the refusal belongs to the form with the same ids.
  const isOwn =
    refused?.act === form.act &&
    shownFields.every(([name, { is }]) => is !== "hidden" || initial[name] === visit.field(name))
  const problem = isOwn ? refused.problem : undefined
  if (isOwn) refused.isSaid = true
  const refusedField = problem && fieldOf(problem, Object.fromEntries(shownFields))
  return (
    <form
      method="post"
      action={at ?? visit.here()}
      {...(form.passkey && {
        hidden: true,
        "data-passkey": form.passkey,
        "data-proof": `/account/step-up?return=${encodeURIComponent(settings.url + visit.path)}`,
      })}
    >
      {visit.session && <input type="hidden" name={believedUser} value={visit.session.user.id} />}
      {about !== undefined && <input type="hidden" name="about" value={about} />}
      {problem && !refusedField && <Refusal problem={problem} visit={visit} />}
      {children}
      {shownFields.map(([name, field]) =>
        field.is === "turnstile" ? (
          <Turnstile name={name} action={field.action} {...{ settings, language }} />
        ) : (
          <Input
            id={`${form.act}-${name}`}
            name={name}
            field={field}
            visit={visit}
            value={isOwn && field.is !== "hidden" ? sentTo(field, name, visit) : initial[name]}
            problem={name === refusedField ? problem : undefined}
          />
        ),
      )}
      <button
        name="act"
        value={form.act}
        class={form.isDestructive ? "grave" : form.isSecondary ? "" : "main"}
      >
        {form.button(words, values, settings)}
        {form.confirmation && "…"}
      </button>
    </form>
  )
}

/** Returns the sent value of a field, except a password's. */
function sentTo({ is }: Field, name: string, visit: Visit) {
  if (is === "password") return undefined
  return is === "tick" && !visit.has(name) ? "" : visit.field(name)
}

type TurnstileProps = Pick<Visit, "settings" | "language"> & { name: string; action: string }

function Turnstile({ name, action, settings: { turnstile }, language }: TurnstileProps) {
  if (turnstile === undefined) return null
  return (
    <div class="field">
      <div
        class="cf-turnstile"
        data-sitekey={turnstile.siteKey}
        data-action={action}
        data-language={language}
        data-response-field-name={name}
      />
      <script src={`${turnstile.url}/turnstile/v0/api.js`} async defer />
    </div>
  )
}

type InputProps = {
  id: string
  name: string
  field: Exclude<Field, { is: "turnstile" }>
  visit: Visit
  value?: string | undefined
  problem?: Problem | undefined
}

export function Input({ id, name, field, visit, value, problem }: InputProps) {
  const { words, settings } = visit
  if (field.is === "hidden") return <input type="hidden" name={name} value={value ?? ""} />
  const hint = "hint" in field ? field.hint?.(words) : undefined
  const notes = [hint && `${id}-hint`, problem && `${id}-bad`].filter(Boolean).join(" ")
  const state = {
    id,
    name,
    ...(notes && { "aria-describedby": notes }),
    ...(problem && { "aria-invalid": "true" as const, autofocus: true }),
  }
  const refusal = problem && <Refusal problem={problem} visit={visit} id={`${id}-bad`} />
  const label = field.label(words)
  if (field.is === "tick") {
    const isOn = value === undefined ? field.isOn === true : value !== ""
    return (
      <div class="field">
        <label class="tick">
          <input type="checkbox" value="yes" {...state} {...(isOn && { checked: true })} /> {label}
        </label>
        {refusal}
      </div>
    )
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {field.is === "choice" ? (
        <select {...state}>
          {Object.entries(field.options(words)).map(([option, text]) => (
            <option value={option} {...(option === value && { selected: true })}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          type={field.is}
          {...state}
          {...(field.autocomplete && {
            autocomplete: settings.passkeys
              ? field.autocomplete
              : field.autocomplete.replace(" webauthn", ""),
          })}
          {...(field.inputmode && { inputmode: field.inputmode })}
          {...(value !== undefined && { value })}
          {...(!field.isOptional && { required: true })}
        />
      )}
      {field.is === "password" && (
        <label class="tick" hidden>
          <input type="checkbox" data-shows={id} /> {words.showPassword}
        </label>
      )}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {refusal}
    </div>
  )
}
