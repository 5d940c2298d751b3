import { parse, serialize } from "hono/utils/cookie"

import type { Settings } from "./settings.ts"

export type PageCookie = keyof Settings["cookies"]

/** Seconds. */
const lifetimes = {
  link_token: 10 * 60,
  invitation: 60 * 60,
  // As long as the link of a verification.
  return_page: 24 * 60 * 60,
  language: 365 * 24 * 60 * 60,
}

export function readPageCookie(header: string, { cookies }: Settings, cookie: PageCookie) {
  return parse(header, cookies[cookie])[cookies[cookie]]
}

/** An empty value takes the cookie away. */
export function writePageCookie({ cookies, url }: Settings, cookie: PageCookie, value: string) {
  return serialize(cookies[cookie], value, {
    maxAge: value === "" ? 0 : lifetimes[cookie],
    path: "/",
    httpOnly: true,
    secure: url.startsWith("https:"),
    sameSite: "Lax",
  })
}

/** The header of a request once an answer has set a cookie. */
export function withCookie(header: string, line: string) {
  const [pair = ""] = line.split(";")
  const begins = pair.slice(0, pair.indexOf("=") + 1)
  const isGone = /;\s*max-age=0\b/i.test(line)
  const others = header.split("; ").filter((one) => one !== "" && !one.startsWith(begins))
  return [...others, ...(isGone ? [] : [pair])].join("; ")
}
