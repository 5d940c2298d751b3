import { expect, test } from "vitest"

import { bind, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createNetwork } from "../../../testing/network.ts"

/**
 * Answers of each provider to the holder of an access token, as its documentation shows it; the
 * sources stand in `provider.ts` beside the endpoints.
 */
const shapes = {
  github: {
    hosts: ["github.com", "api.github.com"],
    answers: {
      "/user": {
        login: "octocat",
        id: 583_231,
        avatar_url: "https://avatars.example/u/583231",
        name: "monalisa octocat",
        email: null,
      },
      "/user/emails": [
        { email: "octocat@users.example", verified: true, primary: false, visibility: null },
        { email: "octocat@example.com", verified: true, primary: true, visibility: "public" },
      ],
    },
    user: { email: "octocat@example.com", name: "monalisa octocat" },
    unverified: {
      "/user": { login: "squatter", id: 2, name: null, email: "victim@example.com" },
      "/user/emails": [{ email: "victim@example.com", verified: false, primary: true }],
    },
  },
  discord: {
    hosts: ["discord.com"],
    answers: {
      "/api/users/@me": {
        id: "80351110224678912",
        username: "nelly",
        discriminator: "1337",
        global_name: "Nelly",
        avatar: "8342729096ea3675442027381ff50dfe",
        verified: true,
        email: "nelly@example.com",
      },
    },
    user: { email: "nelly@example.com", name: "Nelly" },
    unverified: { "/api/users/@me": { id: "2", verified: false, email: "victim@example.com" } },
  },
  facebook: {
    hosts: ["graph.facebook.com"],
    answers: {
      "/v24.0/me": {
        id: "10158",
        name: "Ada Lovelace",
        email: "ada.facebook@example.com",
        picture: { data: { height: 50, is_silhouette: false, url: "https://scontent.example/1" } },
      },
    },
    declared: { emailDomains: ["example.com"], trustUnverifiedEmails: true },
    user: { email: "ada.facebook@example.com", name: "Ada Lovelace" },
    unverified: { "/v24.0/me": { id: "2", name: "X", email: "victim@elsewhere.example" } },
    refusal: "email_not_verified",
  },
  linkedin: {
    hosts: ["www.linkedin.com", "api.linkedin.com"],
    answers: {
      "/v2/userinfo": {
        sub: "782bbtaQ",
        name: "John Doe",
        given_name: "John",
        family_name: "Doe",
        picture: "https://media.example/profile.jpg",
        locale: { country: "US", language: "en" },
        email: "doe@example.com",
        email_verified: true,
      },
    },
    user: { email: "doe@example.com", name: "John Doe" },
    unverified: { "/v2/userinfo": { sub: "2", email: "victim@example.com" } },
  },
  x: {
    hosts: ["api.x.com"],
    answers: {
      "/2/users/me": {
        data: {
          id: "2244994945",
          name: "X Dev",
          username: "TwitterDev",
          profile_image_url: "https://pbs.example/1.jpg",
          confirmed_email: "dev@example.com",
        },
      },
    },
    user: { email: "dev@example.com", name: "X Dev" },
    unverified: { "/2/users/me": { data: { id: "2", name: "No", username: "no" } } },
    refusal: "email_not_found",
  },
  oauth2: {
    hosts: ["sso.example.com"],
    answers: { "/me": { user: { uid: 7, mail: "own@example.com", confirmed: true, nick: "Own" } } },
    declared: {
      issuer: "https://sso.example.com",
      authorizationUrl: "https://sso.example.com/authorize",
      tokenUrl: "https://sso.example.com/token",
      userinfoUrl: "https://sso.example.com/me",
      fields: {
        subject: "user.uid",
        email: "user.mail",
        emailVerified: "user.confirmed",
        name: "user.nick",
      },
      emailDomains: ["example.com"],
    },
    user: { email: "own@example.com", name: "Own" },
    unverified: { "/me": { user: { uid: 8, mail: "victim@example.com", confirmed: "no" } } },
  },
} satisfies Record<string, Shape>

type Shape = {
  hosts: string[]
  answers: Record<string, unknown>
  /** Answers about a user whose address is unverified. */
  unverified: Record<string, unknown>
  refusal?: string
  declared?: object
  user: object
}

async function visit(preset: string, { hosts, declared }: Shape, answers: Record<string, unknown>) {
  const forms: URLSearchParams[] = []
  const remote = async (request: Request) => {
    const { pathname } = new URL(request.url)
    if (request.method === "POST") {
      forms.push(new URLSearchParams(await request.text()))
      return Response.json({ access_token: "opaque", token_type: "bearer", scope: "" })
    }
    if (request.headers.get("authorization") !== "Bearer opaque") {
      return new Response(null, { status: 401 })
    }
    return pathname in answers
      ? Response.json(answers[pathname])
      : new Response(null, { status: 404 })
  }
  const network = createNetwork(Object.fromEntries(hosts.map((host) => [host, remote])))
  const bound = {
    ...bind({ IDENTITY_PROVIDERS: JSON.stringify({ idp: { preset, ...declared } }) }),
    IDP_CLIENT_ID: "client",
    IDP_CLIENT_SECRET: "secret",
  }
  const browser = createBrowser(bound, null)
  const started = await browser.get("/api/auth/sign-in/idp")
  const url = new URL(started.headers.get("location") ?? "")
  const query = new URLSearchParams({ code: "1", state: url.searchParams.get("state") ?? "" })
  const finished = await browser.get(`/api/auth/callback/idp?${query.toString()}`)
  const session = await browser.get("/api/auth/get-session")
  network[Symbol.dispose]()
  return {
    begun: url,
    form: Object.fromEntries(forms[0] ?? []),
    location: finished.headers.get("location"),
    user: (await session.json<{ user: object } | null>())?.user,
  }
}

test.each(Object.entries<Shape>(shapes))(
  "%s signs in by its own answers, and only with a verified address the first time",
  async (preset, shape) => {
    const refused = await visit(preset, shape, shape.unverified)
    const code = shape.refusal ?? "email_not_verified"
    expect(refused).toMatchObject({ location: `${webUrl}?error=${code}`, user: undefined })
    const { begun, form, location, user } = await visit(preset, shape, shape.answers)
    expect(location).toBe(webUrl)
    expect(user).toMatchObject(shape.user)
    // Bound to this browser by PKCE; there is no id_token that a nonce could be in.
    expect(begun.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/)
    expect(begun.searchParams.has("nonce")).toBe(false)
    expect(form).toMatchObject({ code: "1", code_verifier: expect.any(String) })
    // Known by its subject from now on, whatever the address is.
    expect(await visit(preset, shape, shape.answers)).toMatchObject({ user: shape.user })
  },
)
