import type { Env } from "../service/configuration/env.ts"
import { createAuthenticator } from "./authenticator.ts"
import { createBrowser } from "./browser.ts"
import { createProvenPerson } from "./passkey-person.ts"

type Measure = (name: string, action: () => Promise<unknown>) => Promise<unknown>

/** Calls every route of passkeys the way pages do. */
export async function visitPasskeys(bound: Env, measure: Measure) {
  const holder = await createProvenPerson(bound)
  const { browser } = holder
  const entering = createBrowser(bound)
  const key = await createAuthenticator()
  let asked = Object()
  const begin = (from: typeof browser, purpose: string) => async () => {
    asked = await (await from.post("/api/auth/passkey/begin", { for: purpose })).json()
  }
  await measure("passkey-begin, to add", begin(browser, "add"))
  await measure("passkey-add", () =>
    browser.post("/api/auth/passkey/add", { passkey: key.create(asked.create), name: "Key" }),
  )
  await measure("passkey-begin", begin(entering, "sign-in"))
  await measure("sign-in, passkey", async () =>
    entering.post("/api/auth/sign-in/passkey", { passkey: await key.get(asked.get) }),
  )
  await begin(browser, "step-up")()
  await measure("step-up, passkey", async () =>
    browser.post("/api/auth/step-up", { passkey: await key.get(asked.get) }),
  )
  const { body } = await holder.get("listWays")
  const passkeyId: unknown = Object(body["passkeys"])[0]?.id
  await measure("renamePasskey", () => holder.post("renamePasskey", { passkeyId, name: "Other" }))
  await measure("removePasskey", () => holder.post("removePasskey", { passkeyId }))
}
