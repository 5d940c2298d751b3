import { setTimeout as wait } from "node:timers/promises"

import * as z from "zod"

import { sendRequest } from "./send-request.ts"

type Person = { email: string; cookie: string; renewals: number }
type Site = { api: string; web: string; connectTo: string }

/** Milliseconds between two requests of one browser, and between two people who sign up. */
const [pace, arrivals] = [200, 1500]

const Read = z.object({ user: z.object({ email: z.string() }) })

/**
 * People who ask for their session again and again, while others sign up and do the same, until
 * `stop`. What each version answered is counted by its id.
 */
export async function startSignedInLoad({ api, web, connectTo }: Site) {
  const lost: string[] = []
  let answers: Record<string, number> = {}
  let signUps: Record<string, number> = {}
  const stop = new AbortController()
  let people = 0

  async function signUp(): Promise<Person> {
    people += 1
    const email = `person-${people}@accounts.test`
    const reply = await sendRequest(`${api}/api/auth/sign-up/email`, {
      connectTo,
      headers: { origin: web },
      body: { name: "Ada", email, password: "correct horse battery" },
    })
    const cookie = sessionCookie(reply.headers)
    if (cookie === undefined) throw new Error(`sign-up: ${reply.status} ${reply.text}`)
    count(signUps, reply.headers)
    return { email, cookie, renewals: 0 }
  }

  const getSession = (cookie: string) =>
    sendRequest(`${api}/api/auth/get-session`, { connectTo, headers: { cookie } })

  /** Whether the session is still the same person's. */
  async function ask(person: Person) {
    const { email, cookie } = person
    const reply = await getSession(cookie)
    const version = count(answers, reply.headers)
    const read = Read.safeParse(reply.json).data?.user.email
    if (read !== email) lost.push(`${email} at ${version}: ${reply.status} ${reply.text}`)
    const renewed = sessionCookie(reply.headers)
    if (renewed === undefined) return
    person.cookie = renewed
    person.renewals += 1
  }

  async function use(person: Person) {
    while (!stop.signal.aborted) {
      await ask(person)
      await wait(pace)
    }
  }

  const everybody = await Promise.all([signUp(), signUp(), signUp()])
  const running = everybody.map((person) => use(person))
  async function arrive() {
    while (!stop.signal.aborted) {
      await wait(arrivals)
      const person = await signUp()
      await ask(person)
      everybody.push(person)
    }
  }
  running.push(arrive())

  return {
    /** Members who were signed out, with the cause. */
    lost,
    /** Takes the counts since the last call, by version: requests, and sign-ups. */
    take() {
      const batch = { answers, signUps }
      ;[answers, signUps] = [{}, {}]
      return batch
    },
    /** All members who ever signed up, each with the browser's current cookie. */
    everybody,
    /** Sends a request of each member. */
    askAll: () => Promise.all(everybody.map(ask)),
    /** Whether a cookie belongs to a session. */
    knows: async (cookie: string) => Read.safeParse((await getSession(cookie)).json).success,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

function sessionCookie(headers: Record<string, string[]>): string | undefined {
  const line = headers["set-cookie"]?.find((cookieLine) => cookieLine.includes(".session_token="))
  return line?.split(";")[0]
}

function count(counts: Record<string, number>, headers: Record<string, string[]>): string {
  const version = headers["accounts-version"]?.[0] ?? "none"
  counts[version] = (counts[version] ?? 0) + 1
  return version
}
