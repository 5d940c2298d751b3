import type { Child } from "hono/jsx"

import type { Issue, Proof, UnknownCredential } from "../../packages/client/src/index.ts"
import type { Words } from "./words/en.ts"

/** Words that the next page says, by their key in `words.done`. */
export type Done =
  | keyof Words["actions"]
  | "forgotten"
  | "withdrawn"
  | "ended"
  | "factor"
  | "gone"
  | "invited"
  | "letter"
  | "out"
  | "passkey"
  | "password"
  | "proven"
  | "recorded"
  | "saved"
  | "verified"

/** Where the browser goes next. */
export class Go {
  readonly to: string
  readonly done: Done | undefined
  constructor(to: string, done?: Done) {
    this.to = to
    this.done = done
  }
}

/** Content that a form shows in its own response: no URL may have it, and no later request can read it again. */
export class Show {
  readonly content: Child
  /** Unless it is that of the page. */
  readonly title: string | undefined
  constructor(content: Child, title?: string) {
    this.content = content
    this.title = title
  }
}

/** A refusal by an operation of the API. */
export type Problem = {
  code: string
  issues?: Issue[]
  /** Methods by which the account can step up. */
  ways?: Proof[]
  /** Why the account is suspended; after a provider's return it is what the message cookie says. */
  reason?: string | undefined
  /** Input of `signalUnknownCredential`, for a passkey that the service does not have. */
  unknownCredential?: UnknownCredential | undefined
  /** Seconds. */
  retryAfter?: number
}

/** A refusal that a page has no form for. */
export class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.code)
    this.problem = problem
  }
}

export type Result<Data> = { data?: Data | undefined; error?: Problem | undefined }

/** Returns the data of a response. @throws Refused */
export async function unwrap<Data>(answer: Promise<Result<Data>>) {
  const { data, error } = await answer
  if (data === undefined) throw new Refused(error ?? { code: "other" })
  return data
}

/** Where to go once an operation is done, or why it is not. */
export async function goAfter(answer: Promise<Result<unknown>>, to: string, done?: Done) {
  const { error } = await answer
  return error ?? new Go(to, done)
}
