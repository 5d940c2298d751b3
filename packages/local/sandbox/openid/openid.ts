import { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"

import { type Context, Hono } from "hono"
import { html } from "hono/html"
import { HTTPException } from "hono/http-exception"
import * as z from "zod"

import { rejectionOf } from "../../daemon/listen.ts"
import { openKeys, page, parse, policyOf, requireToken, style } from "../http.ts"
import type { Sandbox } from "../sandbox.ts"
import { Client, Person, createProvider, openSigningKeys } from "./provider.ts"

/** Node's own request and response, which the provider's library answers. */
const Exchange = z.object({
  incoming: z.instanceof(IncomingMessage),
  outgoing: z.instanceof(ServerResponse),
})

/** All other paths are the library's. */
const ownPaths = /^\/(?:$|\?|style\.css$|interaction\/|local\/)/

/** The OpenID provider of the local stack: whoever sits at this machine signs in as anybody. */
export const openid: Sandbox = {
  name: "openid",
  port: 8793,
  open({ directory, token }) {
    const keys = openKeys(join(directory, "keys.json"), Client)
    const signing = openSigningKeys(join(directory, "signing-keys.json"))
    let created: ReturnType<typeof createProvider> | undefined
    const providerAt = (host: string, client: Client) =>
      (created ??= createProvider({ issuer: issuerAt(host), client, signing }))
    const providerFor = (c: Context) => {
      const client = keys.current()
      if (client === undefined) throw undeployed()
      return providerAt(c.req.header("host") ?? "", client)
    }
    const routes = new Hono()

    routes.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css" }))
    routes.get("/", (c) =>
      c.html(overviewPage(issuerAt(c.req.header("host") ?? ""), startUrl(keys.current()))),
    )
    routes.get("/interaction/:uid", async (c) => {
      await open(c, providerFor(c))
      // Browsers apply form-action to the redirects that follow a form, too: they end anywhere.
      c.header("content-security-policy", policyOf(["http:", "https:"]))
      return c.html(signInPage(c.req.path))
    })
    routes.post("/interaction/:uid/:act{sign-in|refuse}", async (c) => {
      const provider = providerFor(c)
      await open(c, provider)
      const { incoming, outgoing } = Exchange.parse(c.env)
      if (c.req.param("act") === "refuse") {
        return c.redirect(await provider.refuse(incoming, outgoing), 303)
      }
      const person = parse(Person, await c.req.parseBody())
      return c.redirect(await provider.signIn(incoming, outgoing, person), 303)
    })

    routes.use("/local/*", requireToken(token))
    routes.put("/local/keys", async (c) => {
      keys.replace(parse(Client, await c.req.json()))
      created = undefined
      return c.body(null, 204)
    })
    routes.get("/local/status", (c) => c.json({ page: "/" }))

    routes.all("*", () => {
      throw undeployed()
    })
    return {
      routes,
      answer(request, response) {
        const { headers } = request
        const client = keys.current()
        const isOwn = ownPaths.test(request.url ?? "")
        if (isOwn || client === undefined || rejectionOf(headers)) return false
        void providerAt(headers.host ?? "", client).callback(request, response)
        return true
      },
      close: () => {},
    }
  },
}

function undeployed() {
  const message = "The service has not been deployed yet: no keys"
  return new HTTPException(503, { message })
}

/** By address: `localhost` is a name, and the service refuses an issuer that has one. */
function issuerAt(host: string) {
  return `http://127.0.0.1:${new URL(`http://${host}`).port}`
}

/** @throws HTTPException 400 unless this browser is just signing in */
async function open(c: Context, provider: ReturnType<typeof createProvider>) {
  const { incoming, outgoing } = Exchange.parse(c.env)
  try {
    await provider.interactionDetails(incoming, outgoing)
  } catch {
    throw new HTTPException(400, { message: "This sign-in is over. Start it again" })
  }
}

/** A sign-in that ends where the session can be seen, also without a front end. */
function startUrl(client: Client | undefined): string | undefined {
  if (client === undefined) return undefined
  const { origin, pathname } = new URL(client.redirectUri)
  const query = new URLSearchParams({
    callbackURL: `${origin}/api/auth/get-session`,
    errorCallbackURL: `${origin}/api/v1/docs`,
  })
  return `${origin}${pathname.replace("/callback/", "/sign-in/")}?${query.toString()}`
}

function signInPage(path: string) {
  return page(
    "Sign in",
    html`<p class="note">An identity provider on this machine: sign in as anybody.</p>
      <form method="post" action="${path}/sign-in">
        <p>
          <label>E-mail <input name="email" type="email" value="ada@example.com" required /></label>
        </p>
        <p>
          <label>Name <input name="name" value="Ada" /></label>
        </p>
        <p>
          <label
            ><input name="verified" type="checkbox" checked /> The e-mail address is verified</label
          >
        </p>
        <button>Sign in</button>
      </form>
      <form method="post" action="${path}/refuse"><button>Refuse</button></form>`,
  )
}

/** @param start URL of the service that starts a sign-in; undefined before it is deployed */
function overviewPage(issuer: string, start: string | undefined) {
  return page(
    "Identity provider",
    html`<p>Issuer: <code>${issuer}</code></p>
      ${
        start === undefined
          ? html`<p class="note">The service has not been deployed yet.</p>`
          : html`<p><a href="${start}">Sign in with it</a>, and see the session.</p>`
      }`,
  )
}
