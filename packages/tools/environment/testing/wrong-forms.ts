import { all, keys, set } from "./environments-folder.ts"
import { idp, idpSecret, line, provider, trust, type Wrong } from "./wrong-file.ts"

export const wrongForms: Wrong = {
  R01: {
    "broken YAML": (text) => `${text}  accounts:crons: [1`,
    "a key twice": line("accounts:location: weur"),
    "an unknown key at the top": (text) => `${text}configs: {}\n`,
    "no config": () => "encryptionsalt: v1:a\n",
    "an empty file": () => "",
    "a character that reverses the text": set("mailFrom", "Ac\u202Eme <a@acme.com>"),
    "a space of no width in a comment": (text) => `# a\u200Bb\n${text}`,
    "a key that JavaScript loses": line("__proto__: { accounts:protect: false }"),
    // The engine ends a line at each of them, and reads what a comment seems to hold.
    ...Object.fromEntries(
      ["\u0085", "\u2028", "\u2029", "\r"].map((character) => [
        `a key in a comment, after ${JSON.stringify(character)}`,
        line(`# Kept.${character}  accounts:protect: "false"`),
      ]),
    ),
    "an alias of nothing": line("aws:retries: *nothing"),
    "an alias of what holds it": line("aws:retries: &it [*it]"),
    "aliases without end": line(
      `a:a: &a [${"x,".repeat(99)}]\n  a:b: &b [${"*a,".repeat(99)}]\n  a:c: [*b, *b]`,
    ),
    // Eight to the engine
    "a number of base eight": line("aws:retries: 010"),
    "a tag": line("aws:retries: !!int 8"),
    "another version of YAML": (text) => `%YAML 1.1\n---\n${text}`,
  },
  R02: {
    "a key that every object has": line("accounts:constructor: x"),
    "a misspelt key": line("accounts:cookiedomain: acme.com"),
    "a misspelt namespace": line("acounts:protect: true"),
    "a namespace in capitals": line("Accounts:protect: true"),
    "a key without a namespace": line("protect: true"),
    "an unknown key of an identity provider": provider({ scope: "openid" }),
    "an issuer of tokens": set("tokens", { audiences: ["orders"], issuer: "https://evil.com" }),
    "a cache of sessions, which is gone": set("sessionCache", 60),
  },
  R03: {
    "no environment": set("environment", undefined),
    "no account": set("accountId", undefined),
    "an identity provider without a client id": all(
      set(["identityProviders", "idp"], { issuer: idp.issuer }),
      idpSecret,
    ),
  },
  R04: {
    "text for a number": set("patience", "fast"),
    "text for a list": set("crons", "17 * * * *"),
    "text for a boolean": set("verifyEmail", "no"),
    "a list for a map": set("identityProviders", ["google"]),
    "text for a map": set("secrets", "AUTH_SECRET"),
    "an empty value": set("mailUrl", null),
    "an unquoted account": set("accountId", 12),
    "an origin with a path": set("apiOrigin", "https://api.acme.com/"),
    "two origins in one text": trust("https://a.acme.com,https://b.acme.com"),
    "a name that no override header can hold": set("name", "2acme"),
    "tokens that last a day": set("tokens", { audiences: ["orders"], minutes: 1440 }),
    "tokens for no audience": set("tokens", { audiences: [] }),
    "tokens for a pattern": set("tokens", { audiences: ["https://*.acme.com"] }),
    "a star alone": trust("*"),
    "an environment of its own": set("environment", "prod"),
    "an unknown location": set("location", "europe"),
    "a name with a dot": set("name", "accounts.production"),
    "a sender that brings a header": set("mailFrom", "A\nBcc: b@acme.com <a@acme.com>"),
    "a cookie domain with a dot first": set("cookieDomain", ".acme.com"),
    "a route with a scheme": set("routes", ["https://acme.com/api/*"]),
    "an origin with a dot at its end": trust("https://a.acme.com."),
    "an origin twice": trust("https://app.acme.com"),
    "a cron twice": set("crons", ["5 4 * * *", "5 4 * * *"]),
    "a route twice": set("routes", ["app.acme.com/api/*", "app.acme.com/api/*"]),
    "a route in capitals": set("routes", ["APP.acme.com/api/*"]),
    "less than Cloudflare divides": set("releaseSteps", [0.001, 100]),
    "a reason whose lines look like facts": set(["accept"], {
      R44: "we move\ndeletion:\n  database: refused",
    }),
    "no patience at all": set("patience", 0),
  },
  R05: {
    "a token": line("cloudflare:apiToken: abc"),
    "an API key": line("cloudflare:apiKey: abc"),
  },
  R06: {
    "preview in production's file": set("environment", "preview"),
    "staging in production's file": set("environment", "staging"),
  },
  R07: {
    "a cookie that reaches staging": keys({
      zone: "acme-staging.net",
      apiOrigin: "https://api-live.acme-staging.net",
      webOrigin: "https://app-live.acme-staging.net",
      cookieDomain: "acme-staging.net",
      trustedOrigins: undefined,
    }),
  },
  R08: {
    "another API": line("cloudflare:baseUrl: https://evil.test/client/v4"),
    "an API of this machine": line("cloudflare:baseUrl: http://127.0.0.1:8790/client/v4"),
    "an API at a name of this machine": line("cloudflare:baseUrl: http://localhost:8790/client/v4"),
  },
  R09: { "a loopback address to connect to": set("connectTo", "http://127.0.0.1:8787") },
  R10: {
    "the placeholder account": set("accountId", "0".repeat(32)),
    "a placeholder host": set("mailUrl", "https://mail.example.com/send"),
    "a placeholder sender": set("mailFrom", "no-reply@example.com"),
    "a note to oneself": provider({ clientId: "CHANGEME" }),
  },
  R51: {
    "an acceptance of no rule": set(["accept"], { R99: "there is no such rule" }),
    "an acceptance of what may never be": set(["accept"], { R37: "we like it in the open" }),
    "an acceptance without a reason": keys({ accept: { R44: "ok" }, protect: false }),
    "an acceptance of nothing": set(["accept"], { R22: "we share it with the shop" }),
  },
}
