import { env } from "cloudflare:workers"
import { expect, vi } from "vitest"

import { Seen } from "../service/auth/session-snapshot.ts"
import type { Env } from "../service/configuration/env.ts"
import { servicesOf } from "../services.ts"
import { bind, createBrowser } from "./browser.ts"
import { createCountingDatabase } from "./counting-database.ts"
import { createPerson, type Person } from "./person.ts"

const counting = createCountingDatabase(env.DB)

/** Seconds of the environments below. */
export const [cache, grace] = [60, 600]

export const cached = bind({ DB: counting.database, SESSION_CACHE: String(cache) })
export const graced: Env = { ...cached, SESSION_GRACE: String(grace) }

export type Browser = ReturnType<typeof createBrowser>

export async function sessionOf(browser: Browser, query = "") {
  const answer = await browser.get(`/api/auth/get-session${query}`)
  return answer.json<{ user: { id: string; name: string } } | null>()
}

export function snapshotOf({ cookies }: Browser) {
  return [...cookies].find(([name]) => name.endsWith(".session_snapshot"))?.[1]
}

/** The same browser at another service. */
export function at(bound: Env, { cookies }: Browser) {
  const browser = createBrowser(bound)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

/** How many statements the action sends. */
export async function statements(action: () => Promise<unknown>) {
  return (await counting.during(action)).length
}

/** A member whose browser has a snapshot. */
export async function createKnown(bound: Env = cached) {
  const person = await createPerson(bound)
  await sessionOf(person.browser)
  expect(snapshotOf(person.browser)).toBeDefined()
  return person
}

export function endSessions({ id }: Pick<Person, "id">) {
  return env.DB.prepare("delete from session where user_id = ?").bind(id).run()
}

/** Seconds go by while the clock is stopped. */
export function pass(seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

/** Gives a browser its snapshot as another version may have written it. */
export async function rewrite({ browser }: Person, change: (seen: Seen) => object) {
  const keys = servicesOf(cached)?.configuration.keys
  const opened = await keys?.open("session_snapshot", snapshotOf(browser) ?? "")
  const sealed = await keys?.seal("session_snapshot", { ...change(Seen.parse(opened?.claims)) })
  const name = [...browser.cookies.keys()].find((one) => one.endsWith("snapshot")) ?? ""
  browser.cookies.set(name, sealed ?? "")
}
