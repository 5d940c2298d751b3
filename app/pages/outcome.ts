import type { Child } from "hono/jsx"

import type { Issue, Proof, UnknownCredential } from "../../packages/client/src/index.ts"
import type { Words } from "./words/en.ts"

/** Keys of `words.done`, for the message on the next page. */
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

/** The page that the browser is sent to next. */
export class Go {
  readonly to: string
  readonly done: Done | undefined
  constructor(to: string, done?: Done) {
    this.to = to
    this.done = done
  }
}

/** Content shown in a form's own response, because no URL may contain it and no later request can read it. */
export class Show {
  readonly content: Child
  /** Replaces the page's title. */
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
  /** Reason of a suspension. After a provider's redirect it comes from the message cookie. */
  reason?: string | undefined
  /** Input of `signalUnknownCredential`, for a passkey that the service does not know. */
  unknownCredential?: UnknownCredential | undefined
  /** Seconds after which the request may be retried. */
  retryAfter?: number
}

/** A refusal for which a page has no form. */
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

/** Returns the next page, or the problem if the operation failed. */
export async function goAfter(answer: Promise<Result<unknown>>, to: string, done?: Done) {
  const { error } = await answer
  return error ?? new Go(to, done)
}
