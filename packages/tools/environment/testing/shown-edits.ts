import { type Edit, host, oneOrigin } from "./edit.ts"
import { all, set } from "./environments-folder.ts"
import { idp, idpSecret, line, payment, trust } from "./wrong-file.ts"

export const shownEdits: Edit[] = [
  {
    title: "another provider's region",
    change: line("aws:region: eu-central-1"),
    shows: ['+ others: aws:region: "eu-central-1"'],
  },
  {
    title: "another host",
    change: host("https://auth.acme.com"),
    shows: ["- reach: api: https://api.acme.com", "+ reach: api: https://auth.acme.com"],
  },
  {
    title: "the apex",
    change: host("https://acme.com"),
    shows: ["+ reach: api: https://acme.com"],
  },
  {
    title: "API and front end on one origin",
    change: oneOrigin,
    shows: [
      "+ reach: web: https://acme.com",
      "+ reach: attached by: paths",
      "+ reach: route acme.com/api/*: the Worker",
      "+ browser: session cookie reaches: acme.com alone",
    ],
  },
  {
    title: "API, pages and front end on one origin",
    change: all(oneOrigin, set("pages", true), set(["accept"], { A05: "staging follows" })),
    shows: [
      "+ reach: route acme.com/api/*: the Worker",
      "+ reach: route acme.com/sign-in*: the Worker",
      "+ reach: route acme.com/pages-*: the Worker",
    ],
  },
  {
    title: "a port",
    change: host("https://api.acme.com:8443"),
    shows: ["+ reach: api: https://api.acme.com:8443"],
  },
  {
    title: "sign-up closed",
    change: set("signUp", "closed"),
    shows: ["+ bindings: SIGN_UP: plain_text closed"],
  },
  {
    title: "a second factor required of everybody",
    change: all(
      set("requireSecondFactor", "everybody"),
      set(["secrets", "FACTOR_SECRET"], { secure: "v1:a:b" }),
    ),
    shows: ["+ bindings: REQUIRE_SECOND_FACTOR: plain_text everybody"],
  },
  {
    title: "nothing but codes by e-mail, as somebody has accepted",
    change: all(
      set("password", "off"),
      set("emailCode", "on"),
      set("signUp", "closed"),
      set(["accept"], { A02: "account ways counted nobody" }),
    ),
    shows: ["+ bindings: EMAIL_CODE: plain_text on"],
  },
  {
    title: "leaked passwords refused",
    change: set("breachedPasswords", "refuse"),
    shows: ["+ bindings: BREACHED_PASSWORDS: plain_text refuse"],
  },
  {
    title: "pages of their own, as somebody has accepted",
    change: all(
      set("pages", { name: "Acme", color: "#0b6e4f" }),
      set(["accept"], { A05: "staging follows" }),
    ),
    shows: ['+ bindings: PAGES: plain_text {"name":"Acme","color":"#0b6e4f"}'],
  },
  {
    title: "passwords off, as somebody has accepted",
    change: all(
      set("password", "off"),
      set(["identityProviders"], { idp }),
      idpSecret,
      set(["accept"], { A02: "account ways counted nobody" }),
    ),
    shows: [
      "+ bindings: PASSWORDS: plain_text off",
      "+ accepted: A02 accounts:password: account ways counted nobody (keeps out who has nothing else)",
    ],
  },
  {
    title: "another account",
    change: set("accountId", "1".repeat(32)),
    shows: [`+ names: account: ${"1".repeat(32)}`],
  },
  {
    title: "another zone id",
    change: set("zoneId", "2".repeat(32)),
    shows: [`+ reach: zone: acme.com ${"2".repeat(32)}`],
  },
  {
    title: "another location",
    change: set("location", "apac"),
    shows: ["- runtime: database location: weur", "+ runtime: database location: apac"],
  },
  {
    title: "no cookie domain",
    change: set("cookieDomain", undefined),
    shows: [
      "+ browser: session cookie reaches: api.acme.com alone",
      "- browser: cookie __Secure-accounts-production.session_token: Domain=acme.com; Path=/; HttpOnly; Secure; SameSite=Lax",
    ],
  },
  {
    title: "no crons",
    change: set("crons", []),
    shows: ["+ runtime: crons: none: expired rows are never deleted"],
  },
  {
    title: "a cron each minute",
    change: set("crons", ["* * * * *"]),
    shows: ["+ runtime: crons: * * * * *"],
  },
  {
    title: "somebody else's mail service",
    change: set("mailUrl", "https://mail.evil.com/send"),
    shows: ["+ bindings: MAIL_URL: plain_text https://mail.evil.com/send"],
  },
  {
    title: "an issuer of evil",
    change: all(
      set(["identityProviders"], { idp: { ...idp, issuer: "https://id.evil.com" } }),
      idpSecret,
    ),
    shows: [
      "+ browser: callback of idp: https://api.acme.com/api/auth/callback/idp from https://id.evil.com",
    ],
  },
  {
    title: "payments",
    change: all(set("paymentUrl", "https://api.stripe.com"), payment),
    shows: [
      "+ reach: payment webhook: https://api.acme.com/api/v1/processWebhook from https://api.stripe.com",
    ],
  },
  {
    title: "patience 600",
    change: set("patience", 600),
    shows: ["+ runtime: release patience: 600 s, 900 s for a new host"],
  },
  {
    title: "a limit of processor time",
    change: set("cpuMs", 5000),
    shows: ["- runtime: cpu limit: Cloudflare's default", "+ runtime: cpu limit: 5000 ms"],
  },
  {
    title: "a tenth of the logs",
    change: set("logSampling", 0.1),
    shows: ["- runtime: logged requests: 100 %", "+ runtime: logged requests: 10 %"],
  },
  {
    title: "logs, traces and events for others",
    change: all(
      set("logDestinations", ["logs-a", "logs-b"]),
      set("traceSampling", 0.05),
      set("traceDestinations", ["traces"]),
      set("logpush", true),
      set("tailConsumers", ["listener"]),
      set("accept", { R61: "the reader is ours" }),
    ),
    shows: [
      "+ runtime: logs go to: logs-a, logs-b",
      "+ runtime: traced requests: 5 %",
      "+ runtime: traces go to: traces",
      "+ runtime: events go to: the account's Logpush jobs",
      "+ runtime: events go to Workers: listener",
    ],
  },
  {
    title: "read replication",
    change: set("readReplication", "auto"),
    shows: [
      "- runtime: database read replication: disabled",
      "+ runtime: database read replication: auto: an ended session may read",
      "+ bindings: READ_REPLICATION: plain_text auto",
    ],
  },
  {
    title: "tokens for another service",
    change: set("tokens", { audiences: ["https://orders.acme.com"], minutes: 10 }),
    shows: [
      "+ browser: token for https://orders.acme.com: shows it who a member is, for 10 min, also after a sign-out",
      '+ bindings: TOKENS: plain_text {"audiences":["https://orders.acme.com"],"minutes":10}',
    ],
  },
  {
    title: "a release in steps",
    change: all(set("releaseSteps", [10, 50, 100]), set("releaseBake", 300)),
    shows: [
      "+ runtime: release steps: 0 % for the trial, then 10, 50, 100 %, 300 s at each before the last",
    ],
  },
  {
    title: "a release that is judged by its traffic",
    change: all(
      set("releaseSteps", [10, 100]),
      set("releaseBake", 300),
      set(["releaseLimits"], { failures: 1, cpu: 50 }),
    ),
    shows: [
      "+ runtime: release limits: 1 percentage points of failing requests and 50 % of processor time more than the version beside it, 100 requests of each or more",
    ],
  },
  {
    title: "a new salt",
    change: (text) => text.replace("v1:Zm9v", "v1:bmV3"),
    shows: ["- others: salt of the passphrase:"],
  },
  {
    title: "a secret sealed anew",
    change: set(["secrets", "AUTH_SECRET", "secure"], "v1:bmV3:ZZZZ"),
    shows: [
      "- secrets: AUTH_SECRET: sealed in Pulumi.production.yaml, seal",
      "+ secrets: AUTH_SECRET: sealed in Pulumi.production.yaml, seal",
    ],
  },
  {
    title: "an accepted rule",
    change: all(
      set("protect", false),
      set(["accept"], { R44: "the account moves to another company" }),
    ),
    shows: [
      "+ deletion: database: possible",
      "+ accepted: R44 accounts:protect: the account moves to another company",
    ],
  },
  {
    title: "an origin accepted by name",
    change: all(
      trust("https://partner.org"),
      set(["accept"], { R23: "https://partner.org is our partner's shop" }),
    ),
    shows: [
      "+ browser: origin https://partner.org: may call with cookies",
      "+ accepted: R23 accounts:trustedOrigins[2]",
    ],
  },
]
