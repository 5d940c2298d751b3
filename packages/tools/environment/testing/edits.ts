import { all, keys, set, type Change } from "./environments-folder.ts"
import { host, idp, idpSecret, line, oneOrigin, payment, provider, trust } from "./wrong-file.ts"

/** Edits of a production file, by the rules that refuse them; those of one rule alone are in `wrong-…`. */
export const refusedEdits: Record<string, Record<string, Change>> = {
  R04: {
    "pages with a logo over http": set("pages", { logo: "http://app.acme.com/logo.svg" }),
    "pages with markup in their name": set("pages", { name: "<b>Acme</b>" }),
    "signUp: nobody": set("signUp", "nobody"),
  },
  "R06 R08": { "environment: local": set("environment", "local") },
  "R16 R20": {
    "web origin on this machine": host("https://api.acme.com", "https://localhost:5173"),
  },
  R20: { "cookie domain that is no parent": set("cookieDomain", "api.acme.com") },
  "R20 R21": { "cookie domain co.uk": set("cookieDomain", "co.uk") },
  R23: {
    "origin that begins an accepted one": all(
      trust("https://partner.org"),
      set("accept", { R23: "https://partner.org.uk: our partner's shop" }),
    ),
  },
  "R35 R36": { "identity provider called email": set(["identityProviders"], { email: idp }) },
  "A01 A02": { "password: off": set("password", "off") },
  "A02 A21": { "nothing but codes, and sign-up open": keys({ password: "off", emailCode: "on" }) },
  "A03 R42": {
    "invitations without mail": keys({ signUp: "invited", mailUrl: undefined, verifyEmail: false }),
  },
  "A05 A06": { "pages in an unreadable colour": set("pages", { color: "#ffd400" }) },
  "A05 A07": {
    "pages that lead to a foreign home": set("pages", { home: "https://app.evil.com/" }),
  },
  A10: { "another list of leaked passwords": set("checksUrl", "https://lists.evil.com") },
  A11: { "Turnstile without its secret": set("turnstile", { siteKey: "0x4AAAAAAA" }) },
  "A12 R10": { "passkeys of a domain without a page": set("passkeys", { rpId: "example.org" }) },
  A13: {
    "unsealed factors": set("requireSecondFactor", "owners"),
    "a second factor required, and off": keys({
      requireSecondFactor: "everybody",
      secondFactor: "off",
    }),
  },
  "A20 R42": {
    "codes without mail": keys({ emailCode: "on", mailUrl: undefined, verifyEmail: false }),
  },
}

/** Edits of a production file, and lines that the difference of its effective files then has. */
export const shownEdits: Record<string, [change: Change, ...shows: string[]]> = {
  "another provider's region": [
    line("aws:region: eu-central-1"),
    '+ others: aws:region: "eu-central-1"',
  ],
  "another host": [
    host("https://auth.acme.com"),
    "- reach: api: https://api.acme.com",
    "+ reach: api: https://auth.acme.com",
  ],
  "the apex": [host("https://acme.com"), "+ reach: api: https://acme.com"],
  "API and front end on one origin": [
    oneOrigin,
    "+ reach: web: https://acme.com",
    "+ reach: attached by: paths",
    "+ reach: route acme.com/api/*: the Worker",
    "+ browser: session cookie reaches: acme.com alone",
  ],
  "API, pages and front end on one origin": [
    all(oneOrigin, keys({ pages: true, accept: { A05: "staging follows" } })),
    "+ reach: route acme.com/api/*: the Worker",
    "+ reach: route acme.com/sign-in*: the Worker",
    "+ reach: route acme.com/pages-*: the Worker",
  ],
  "a port": [host("https://api.acme.com:8443"), "+ reach: api: https://api.acme.com:8443"],
  "sign-up closed": [set("signUp", "closed"), "+ bindings: SIGN_UP: plain_text closed"],
  "a second factor required of admins": [
    all(
      set("requireSecondFactor", "admins"),
      set(["secrets", "FACTOR_SECRET"], { secure: "v1:a:b" }),
    ),
    "+ bindings: REQUIRE_SECOND_FACTOR: plain_text admins",
  ],
  "nothing but codes by e-mail, with a reason": [
    keys({
      password: "off",
      emailCode: "on",
      signUp: "closed",
      accept: { A02: "account ways counted no member" },
    }),
    "+ bindings: EMAIL_CODE: plain_text on",
  ],
  "leaked passwords refused": [
    set("breachedPasswords", "refuse"),
    "+ bindings: BREACHED_PASSWORDS: plain_text refuse",
  ],
  "pages of their own, with a reason": [
    keys({ pages: { name: "Acme", color: "#0b6e4f" }, accept: { A05: "staging follows" } }),
    '+ bindings: PAGES: plain_text {"name":"Acme","color":"#0b6e4f"}',
  ],
  "passwords off, with a reason": [
    all(
      keys({ password: "off", identityProviders: { idp } }),
      idpSecret,
      set("accept", { A02: "account ways counted no member" }),
    ),
    "+ bindings: PASSWORDS: plain_text off",
    "+ accepted: A02 accounts:password: account ways counted no member (keeps out who has nothing else)",
  ],
  "another account": [set("accountId", "1".repeat(32)), `+ names: account: ${"1".repeat(32)}`],
  "another zone id": [set("zoneId", "2".repeat(32)), `+ reach: zone: acme.com ${"2".repeat(32)}`],
  "another location": [
    set("location", "apac"),
    "- runtime: database location: weur",
    "+ runtime: database location: apac",
  ],
  "no cookie domain": [
    set("cookieDomain", undefined),
    "+ browser: session cookie reaches: api.acme.com alone",
    "- browser: cookie __Secure-accounts-production.session_token: Domain=acme.com; Path=/; HttpOnly; Secure; SameSite=Lax",
  ],
  "no crons": [set("crons", []), "+ runtime: crons: none: expired rows are never deleted"],
  "a cron each minute": [set("crons", ["* * * * *"]), "+ runtime: crons: * * * * *"],
  "another mail service": [
    set("mailUrl", "https://mail.evil.com/send"),
    "+ bindings: MAIL_URL: plain_text https://mail.evil.com/send",
  ],
  "an issuer of evil": [
    provider({ issuer: "https://id.evil.com" }),
    "+ browser: callback of idp: https://api.acme.com/api/auth/callback/idp from https://id.evil.com",
  ],
  payments: [
    all(set("paymentUrl", "https://api.stripe.com"), payment),
    "+ reach: payment webhook: https://api.acme.com/api/v1/processWebhook from https://api.stripe.com",
  ],
  "patience 600": [
    set("patience", 600),
    "+ runtime: release patience: 600 s, 900 s for a new host",
  ],
  "a limit of processor time": [
    set("cpuMs", 5000),
    "- runtime: cpu limit: Cloudflare's default",
    "+ runtime: cpu limit: 5000 ms",
  ],
  "a tenth of the logs": [
    set("logSampling", 0.1),
    "- runtime: logged requests: 100 %",
    "+ runtime: logged requests: 10 %",
  ],
  "logs, traces and events for others": [
    keys({
      logDestinations: ["logs-a", "logs-b"],
      traceSampling: 0.05,
      traceDestinations: ["traces"],
      logpush: true,
      tailConsumers: ["listener"],
      accept: { R61: "the reader is ours" },
    }),
    "+ runtime: logs go to: logs-a, logs-b",
    "+ runtime: traced requests: 5 %",
    "+ runtime: traces go to: traces",
    "+ runtime: events go to: the account's Logpush jobs",
    "+ runtime: events go to Workers: listener",
  ],
  "read replication": [
    set("readReplication", "auto"),
    "- runtime: database read replication: disabled",
    "+ runtime: database read replication: auto: an ended session may read",
    "+ bindings: READ_REPLICATION: plain_text auto",
  ],
  "tokens for another service": [
    set("tokens", { audiences: ["https://orders.acme.com"], minutes: 10 }),
    "+ browser: token for https://orders.acme.com: shows it who a member is, for 10 min, also after a sign-out",
    '+ bindings: TOKENS: plain_text {"audiences":["https://orders.acme.com"],"minutes":10}',
  ],
  "a release in steps": [
    keys({ releaseSteps: [10, 50, 100], releaseBake: 300 }),
    "+ runtime: release steps: 0 % for the trial, then 10, 50, 100 %, 300 s at each before the last",
  ],
  "a release that is judged by its traffic": [
    keys({ releaseSteps: [10, 100], releaseBake: 300, releaseLimits: { failures: 1, cpu: 50 } }),
    "+ runtime: release limits: 1 percentage points of failing requests and 50 % of processor time more than the version beside it, 100 requests of each or more",
  ],
  "a new salt": [(text) => text.replace("v1:Zm9v", "v1:bmV3"), "- others: salt of the passphrase:"],
  "a secret sealed again": [
    set(["secrets", "AUTH_SECRET", "secure"], "v1:bmV3:ZZZZ"),
    "- secrets: AUTH_SECRET: sealed in Pulumi.production.yaml, seal",
    "+ secrets: AUTH_SECRET: sealed in Pulumi.production.yaml, seal",
  ],
  "an accepted rule": [
    keys({ protect: false, accept: { R44: "the account moves to another company" } }),
    "+ deletion: database: possible",
    "+ accepted: R44 accounts:protect: the account moves to another company",
  ],
  "an origin accepted by name": [
    all(
      trust("https://partner.org"),
      set("accept", { R23: "https://partner.org is our partner's shop" }),
    ),
    "+ browser: origin https://partner.org: may call with cookies",
    "+ accepted: R23 accounts:trustedOrigins[2]",
  ],
}
