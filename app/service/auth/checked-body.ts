import type { Context } from "hono"

import { createFieldsError, describeIssues, foreignPage, pageOfNoLetter } from "../http/issue.ts"
import { isTrustedRedirect } from "../http/redirect.ts"
import type { HonoEnv } from "../http/routing.ts"
import { bodyOf } from "./bodies.ts"
import { pathHas } from "./paths.ts"

const pages = ["callbackURL", "errorCallbackURL", "redirectTo"]

/**
 * Answers with every field that the path refuses, or with undefined: before an address is looked up, so that
 * a known one is not answered differently, and before the library, which stops at the first one.
 */
export async function refuseFields(context: Context<HonoEnv>, path: string) {
  const schema = bodyOf(path)
  if (schema === undefined || context.req.method !== "POST") return undefined
  const { webUrl, trustedOrigins, letterPages } = context.get("services").configuration
  // What is no JSON is the library's to refuse.
  const body = await context.req.raw
    .clone()
    .json<unknown>()
    .catch(() => undefined)
  if (body === undefined) return undefined
  const found = describeIssues(schema.safeParse(body).error?.issues ?? [])
  const sendsLetter = pathHas(path, "letter")
  const mayLead = sendsLetter
    ? (url: unknown) => letterPages.some((page) => page === url)
    : (url: unknown) => isTrustedRedirect(url, trustedOrigins)
  const foreign = pages.filter((name) => {
    const url: unknown = Object(body)[name] ?? ""
    const isFound = found.some(({ path: [field] }) => field === name)
    return url !== "" && !isFound && !mayLead(url)
  })
  const describePage = sendsLetter ? pageOfNoLetter : foreignPage
  const issues = [...found, ...foreign.map((name) => describePage(name, webUrl))]
  return issues.length === 0 ? undefined : Response.json(createFieldsError(issues), { status: 400 })
}
