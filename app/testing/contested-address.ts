import { env } from "cloudflare:workers"
import { expect, vi } from "vitest"

import { bindProduction, type Browser, copyBrowser } from "./browser.ts"
import { createIdentityProvider } from "./identity-provider.ts"
import { createMailbox } from "./mailbox.ts"
import { google } from "./preset-visit.ts"

const webUrl = "https://app.example.com"
const passwords = { mallory: "the password of mallory", owner: "the password of the owner" }
const another = "another password of mallory"
const picture = "https://tracker.example/a.png"

const mailbox = createMailbox()
const corporate = await createIdentityProvider("owner-proof.example")
export const remotes = {
  ...google.remotes,
  "mail.example": mailbox.remote,
  "owner-proof.example": corporate.remote,
}
const providers = { google: google.provider, idp: corporate }
type Provider = keyof typeof providers

const ofProviders = {
  IDENTITY_PROVIDERS: JSON.stringify({
    google: google.declared,
    idp: { issuer: corporate.issuer, emailDomains: ["*"] },
  }),
  IDP_GOOGLE_CLIENT_ID: "client-at-the-provider",
  IDP_GOOGLE_CLIENT_SECRET: "secret",
  IDP_CLIENT_ID: "client-at-the-provider",
  IDP_CLIENT_SECRET: "secret",
}

/** With and without verification of addresses. */
const [verified, unverified] = ["true", "false"].map((VERIFY_EMAIL) =>
  Object.assign(
    bindProduction({ VERIFY_EMAIL, LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined }),
    ofProviders,
  ),
)

/** An address that a stranger knows, its owner, what both may do, and how the owner proves it. */
export async function contestAddress() {
  const email = `bob-${crypto.randomUUID()}@corp.example`
  const set = { verifies: true }
  const bound = () => (set.verifies ? verified : unverified)
  /** Creates a person with their own browser, which a changed setting leaves as it is. */
  const createSomebody = (name: keyof typeof passwords) => {
    const cookies = new Map<string, string>()
    const visit = async <Answer>(
      act: (browser: Browser) => Promise<Answer>,
      origin: string | null = webUrl,
    ) => {
      const browser = copyBrowser({ cookies }, bound(), origin)
      const answer = await act(browser)
      cookies.clear()
      for (const [key, value] of browser.cookies) cookies.set(key, value)
      return answer
    }
    const post = (path: string, body: object) =>
      visit((browser) => browser.post(`/api/${path}`, body))
    /** Comes back from the provider as the subject. */
    const comeBack = (location: string, id: Provider, claims: object) => {
      providers[id].forge({ claims: { email_verified: true, picture, ...claims } })
      const { iss, ...query } = providers[id].authorize(location)
      const parameters = id === "google" ? query : { ...query, iss }
      return visit(
        (browser) =>
          browser.get(`/api/auth/callback/${id}?${new URLSearchParams(parameters).toString()}`),
        null,
      )
    }
    return {
      cookies,
      visit,
      post,
      comeBack,
      signUp: () =>
        post("auth/sign-up/email", { name, email, password: passwords[name], image: picture }),
      signIn: (word: string = passwords[name]) =>
        post("auth/sign-in/email", { email, password: word }),
      begin: async (id: Provider) => {
        const started = await visit((browser) => browser.get(`/api/auth/sign-in/${id}`), null)
        return started.headers.get("location") ?? ""
      },
      beginLink: async (id: Provider) => {
        const { url } = await (
          await post("auth/link-social", { provider: id })
        ).json<{ url?: string }>()
        return url
      },
      userId: async () => {
        const session = await visit((browser) => browser.get("/api/auth/get-session"))
        return (await session.json<{ user: { id: string } } | null>())?.user.id
      },
    }
  }
  const mallory = createSomebody("mallory")
  const owner = createSomebody("owner")
  const pending: { id: Provider; url: string }[] = []
  const claimsOfMallory = { name: "mallory", sub: `mallory ${email}` }
  const enter = async (who: typeof mallory, id: Provider, claims: object) =>
    who.comeBack(await who.begin(id), id, claims)
  const linkOwn = async (id: Provider) => {
    const url = await mallory.beginLink(id)
    if (url !== undefined) {
      await mallory.comeBack(url, id, { ...claimsOfMallory, email: "m@mallory.example" })
    }
  }
  const acts = {
    "mallory signs up": () => mallory.signUp(),
    "mallory signs in": () => mallory.signIn(),
    "mallory links": () => linkOwn("idp"),
    "mallory begins to link": async () => {
      const url = await mallory.beginLink("idp")
      if (url !== undefined) pending.push({ id: "idp", url })
    },
    // She had the address at Google before it was the owner's.
    "mallory enters": () => enter(mallory, "google", { ...claimsOfMallory, email, hd: undefined }),
    "mallory unlinks": () => mallory.post("auth/unlink-account", { providerId: "credential" }),
    "mallory shows herself": () => mallory.post("v1/updateProfile", { name: "mallory" }),
    "mallory chooses a password": () =>
      mallory.post("auth/change-password", {
        currentPassword: passwords.mallory,
        newPassword: another,
        revokeOtherSessions: true,
      }),
    "mallory leaves": () => mallory.post("auth/delete-user", { password: passwords.mallory }),
    "mallory signs out": () => mallory.post("auth/sign-out", {}),
    "mallory asks for emails": async () => {
      await mallory.post("auth/request-password-reset", { email })
      await mallory.post("auth/send-verification-email", { email })
    },
    "the owner signs up": () => owner.signUp(),
    "the owner signs in": () => owner.signIn(),
    // Signs in by a provider that is not authoritative.
    "the owner enters": () =>
      enter(owner, "google", { sub: `owner ${email}`, email, hd: undefined, name: "bob" }),
    "verification is switched": async () => {
      set.verifies = !set.verifies
    },
  }
  const linksOf = (subject: string) =>
    mailbox.emails.flatMap((letter) => {
      const isIt = letter.to === email && letter.subject === subject
      return isIt ? [new URL(/https?:\S+/.exec(letter.text)?.[0] ?? "")] : []
    })
  const rowOf = () =>
    env.DB.prepare("select id, name, image, email_verified from user where email = ?")
      .bind(email)
      .first<{ id: string; name: string; image: string | null; email_verified: 0 | 1 }>()
  /** Returns the link of the email that is sent after the response. */
  const linkAfter = async (path: string, subject: string) => {
    const { length } = linksOf(subject)
    await owner.post(path, { email })
    return vi.waitFor(() => {
      const links = linksOf(subject)
      if (links.length === length) throw new Error(`no email: ${subject}`)
      return links.at(-1) ?? new URL(webUrl)
    }, 30_000)
  }
  const chosen = "a password of the proof"
  /** Each returns whether the owner has proven the address. */
  const proofs = {
    reset: async () => {
      if ((await rowOf()) === null) return false
      const { searchParams } = await linkAfter("auth/request-password-reset", "Reset your password")
      const token = searchParams.get("token")
      const reset = await owner.post("auth/reset-password", { token, newPassword: chosen })
      expect(reset.status).toBe(200)
      return (await owner.signIn(chosen)).status === 200
    },
    letter: async () => {
      if ((await rowOf())?.email_verified !== 0) return false
      const { href } = await linkAfter("auth/send-verification-email", "Verify your email address")
      const opened = await owner.visit((browser) => browser.open(href), null)
      const page = new URL(opened.headers.get("location") ?? "")
      const token = page.searchParams.get("token")
      const body = { token, newPassword: chosen }
      if (token !== null) await owner.post("auth/verify-email-with-password", body)
      return (await owner.signIn(token === null ? passwords.owner : chosen)).status === 200
    },
    workspace: async () => {
      await enter(owner, "google", {
        sub: `owner ${email}`,
        email,
        hd: "corp.example",
        name: "bob",
      })
      return (await owner.userId()) !== undefined
    },
    provider: async () => {
      await enter(owner, "idp", { sub: `owner ${email}`, email, name: "bob" })
      return (await owner.userId()) !== undefined
    },
  }
  return {
    email,
    set,
    acts,
    proofs,
    createSomebody,
    enter,
    rowOf,
    /** Returns what is left of a stranger in the account. */
    leftOf: async () => {
      const row = await rowOf()
      if (row === null) throw new Error("the owner has no account")
      const ways: string[] = []
      const note = async (way: string) => {
        if ((await mallory.userId()) === row.id) ways.push(way)
        mallory.cookies.clear()
      }
      const before = new Map(mallory.cookies)
      await note("a session")
      for (const [name, value] of before) mallory.cookies.set(name, value)
      for (const { id, url } of pending) {
        await mallory.comeBack(url, id, { ...claimsOfMallory, email: "m@mallory.example" })
      }
      await note("a link that she had begun")
      for (const verifies of [true, false]) {
        set.verifies = verifies
        for (const word of [passwords.mallory, another]) {
          await mallory.signIn(word)
          await note("her password")
        }
      }
      for (const id of ["idp", "google"] as const) {
        for (const address of [email, "m@mallory.example"]) {
          const claims = { ...claimsOfMallory, email: address, hd: undefined }
          if (id === "idp" && address === email) continue
          await enter(mallory, id, claims)
          await note(`${id} as ${address === email ? "the owner" : "herself"}`)
        }
      }
      if (row.name === "mallory") ways.push("her name")
      const isOwn = row.name === "owner" || row.name === "bob"
      if (row.image === picture && !isOwn) ways.push("her image")
      await env.DB.prepare("delete from user where email = 'm@mallory.example'").run()
      return ways
    },
  }
}
