import { createClient } from "@accounts-stack/client"

import { fetchWithCookies } from "./cookies.js"
import { explain } from "./refused.js"

/* A front end without a browser, from sign-up to sign-out: `main.js <API> <origin>`. */

declare const process: { argv: string[]; stdout: { write: (text: string) => void } }

const [, , url = "", origin = ""] = process.argv
const client = createClient({ url, fetch: fetchWithCookies(origin) })
const email = `${crypto.randomUUID()}@example.com`
const password = "a good long password"

const signUp = await client.auth.signUpEmail({ name: "Ada", email, password })
if (signUp.error) throw new Error(signUp.error.code)
const wrong = await client.auth.signInEmail({ email, password: "not the right one" })
const signedIn = await client.auth.signInEmail({ email, password })
if (signedIn.error) throw new Error(signedIn.error.code)
const session = await client.auth.getSession()

const written = await client.user.updateProfile({ name: "Typed" })
if (written.error) throw new Error(written.error.code)
const read = await client.user.getProfile()
const refused = await client.admin.readMember({ userId: written.data.id })
const invalid = await client.user.updateProfile({ name: "" })
const listed = await client.user.listSecurityEvents({ limit: 1 })
const provider = client.auth.signInWithProvider({ provider: "my idp", callbackURL: origin })
const token = await client.token.createToken({ audience: "https://orders.example.com" })
await client.auth.signOut()
const after = await client.user.getProfile()
const nowhere = await createClient({ url: "http://127.0.0.1:1" }).user.whoami()

process.stdout.write(
  JSON.stringify({
    wrong: wrong.error?.code,
    role: session.data?.user.role,
    plan: session.data?.user.plan,
    read: read.data?.name,
    refused: refused.error && explain(refused.error),
    invalid: invalid.error?.code === "BAD_REQUEST" && invalid.error.issues[0]?.path,
    listed: listed.data?.items.length,
    provider,
    token: token.error?.code,
    after: after.error?.code,
    nowhere: nowhere.error?.code,
  }),
)
