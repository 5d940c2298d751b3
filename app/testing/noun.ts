import type { ExpectStatic } from "vitest"

type Answer = Promise<{ status: number; body: Record<string, unknown> }>

/** A member of a test, who calls typed operations. Its types are its own: programs read this in Node, too. */
type Caller = {
  get: (path: string) => Answer
  post: (path: string, body: unknown) => Answer
}

type Signed = { body: string; headers: Record<string, string> }
type Payments = { pay: (paymentId: string) => Signed }

/** @public Callers of a feature's routes, and their helpers. */
export type Visit = {
  person: Caller
  payments: Payments
  /** Sends what comes from no page. */
  send: (method: string, path: string, request: Signed) => Promise<unknown>
  measure: (name: string, action: () => Promise<unknown>) => Promise<unknown>
}

type Reply = Promise<{ status: number; json: unknown; text: string }>
type Client = {
  get: (path: string) => Reply
  post: (path: string, body?: unknown) => Reply
}

/** Over HTTP, at a service that is deployed. */
type Journey = {
  /** Signs a new member up and in. */
  join: () => Promise<Client>
  /** Undefined unless the payment provider is the test's own. */
  payments: Payments | undefined
  send: (method: string, path: string, request: Signed) => Reply
  expect: ExpectStatic
}

/** SQL of rows of many members, numbered `i` of `n`. */
type Members = { id: string; joined: string; recent: string; now: number }

/** Limits on the rows of a table. */
export type Bound = {
  /** Rows of a member at a time. */
  most?: number
  /** Rows that one member creates in a day. */
  daily?: number
  /** By strangers from one network in a day. */
  network?: number
  /** Days after which they go; others stay with their account. */
  days?: number
  /** Reason why no caller can create them alone. */
  why?: string
}

/** Facts about a feature that the tests of the service need. */
export type Noun = {
  /** Calls every route, the way its users do. */
  visit: (visit: Visit) => Promise<void>
  /** Why a route that writes leaves no entry in the audit log. */
  unaudited?: Record<string, string>
  /** Paths that need one round trip, of which a copy of the database may answer; with an id, 404. */
  reads: string[]
  /** Paths of pages, and why one reads more rows than it shows. */
  pages: [path: string, reason?: string][]
  /** Rows that are created again when a call that took effect is repeated. */
  repeated?: Record<string, { rows: Record<string, number>; why: string }>
  /** Calls that leave something when the database fails this round trip of theirs, and why. */
  leaving?: Record<string, string>
  /** SQL that finds what there may never be. */
  halves?: Record<string, string>
  /** Errors that its examples may get. */
  refusals?: Record<string, string>
  /** Calls that insert a row of the member's, and the statement. */
  inserts: [name: string, body: object, statement: RegExp][]
  /** Leaves a row in each of its collections of the export. */
  collect: (person: Caller) => Promise<unknown>
  /** Columns whose lists grow, with the path that shows them. */
  listed?: { table: string; column: string; path?: string }[]
  /** How far each of its tables can grow. */
  bounds: Record<string, Bound[]>
  /** Tables without data about a member. */
  exempt?: string[]
  /** Inserts, without the verb, of what each of many members has. */
  members: (members: Members) => string[]
  /** Inserts of what one member, `?1`, has thousands of. */
  many?: (numbered: string) => string[]
  journeys?: { title: string; needs?: "payments"; take: (journey: Journey) => Promise<void> }[]
}
