import type { Child } from "hono/jsx"

import type { PageForm } from "./form.tsx"
import type { Go } from "./outcome.ts"
import type { Visit } from "./visit.ts"
import type { Words } from "./words/en.ts"

/** Whom a page is for: a member has a session, an admin also a role. */
type Audience = "anyone" | "member" | "admin"

/** A page that people see, by its path. What it knows and does, it asks the API for. */
export type Page = {
  path: string
  audience: Audience
  title: (words: Words) => string
  /** Stands in the menu of those whom it is for. */
  isInMenu?: true
  /** Its forms show whose the session is, so that they take one that the browser has not opened. */
  isProof?: true
  /** What it shows, or where it leads at once. */
  show: (visit: Visit) => Promise<Child | Go | Response> | Child | Go
  /** What it may show of `Form`. */
  forms?: PageForm[]
}
