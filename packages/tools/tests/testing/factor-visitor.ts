import { createApp } from "../../../../app/testing/authenticator-app.ts"
import { createAuthenticator } from "../../../../app/testing/authenticator.ts"
import { createCookieJar } from "../../../../app/testing/cookie-jar.ts"
import { overrideHeaders } from "../../deploy/release/service-request.ts"
import { sendRequest } from "./send-request.ts"

export type FactorSite = {
  api: string
  web: string
  connectTo: string
  /** Name of the Worker. */
  worker: string
}

export type Visitor = ReturnType<typeof openVisitor>

export type Credentials = { email: string; password: string }

let places = 0

/**
 * A browser that keeps its cookies, in a place of its own, as limits count, and whose requests may name the version
 * that is to answer.
 */
export function openVisitor({ api, web, connectTo, worker: scriptName }: FactorSite) {
  const jar = createCookieJar()
  places += 1
  const localAddress = `127.2.${Math.floor(places / 250)}.${1 + (places % 250)}`

  async function send(path: string, body: object | undefined, versionId?: string) {
    const answer = await sendRequest(`${api}/api/${path}`, {
      connectTo,
      localAddress,
      headers: {
        origin: web,
        ...jar.header(),
        ...overrideHeaders(versionId === undefined ? undefined : { scriptName, versionId }),
      },
      ...(body && { body }),
    })
    jar.keep(answer.headers["set-cookie"] ?? [])
    return {
      status: answer.status,
      body: Object(answer.json),
      /** The version that answered. */
      version: answer.headers["accounts-version"]?.[0] ?? "none",
    }
  }
  const post = (path: string, body: object, version?: string) => send(path, body, version)

  /** Email of the user of this browser's session, read from the database. */
  async function whose(version?: string): Promise<string | undefined> {
    const { body } = await send("auth/get-session?disableCookieCache=true", undefined, version)
    return body.user?.email
  }

  return {
    post,
    whose,
    signUp: ({ email, password }: Credentials, version?: string) =>
      post("auth/sign-up/email", { name: "Ada", email, password }, version),
    signIn: (credentials: Credentials, version?: string) =>
      post("auth/sign-in/email", credentials, version),
    showFactor: (factor: object, version?: string) =>
      post("auth/sign-in/second-factor", factor, version),

    /** Turns a second factor on. */
    async turnOn(version?: string) {
      const { body: enrolmentBody } = await post("v1/beginTotp", {}, version)
      const app = createApp(String(enrolmentBody.uri))
      const { enrolment } = enrolmentBody
      const on = await post("v1/confirmTotp", { enrolment, code: app.code() }, version)
      if (on.status !== 200) throw new Error(`confirmTotp: ${on.status}`)
      const codes: string[] = on.body.recoveryCodes
      return { app, codes }
    },

    /** Adds a passkey. @returns what signs in by it, from any browser */
    async addPasskey(version?: string) {
      const key = await createAuthenticator({ origin: web })
      const { body } = await post("auth/passkey/begin", { for: "add" }, version)
      const passkey = key.create(body.create)
      const added = await post("auth/passkey/add", { passkey, name: "Telephone" }, version)
      if (added.status !== 200) throw new Error(`passkey/add: ${added.status}`)
      return async (from: { post: typeof post }, of?: string) => {
        const challenge = await from.post("auth/passkey/begin", { for: "sign-in" }, of)
        if (challenge.status !== 200) return challenge
        const assertion = await key.get(challenge.body.get)
        return from.post("auth/sign-in/passkey", { passkey: assertion }, of)
      }
    },
  }
}
