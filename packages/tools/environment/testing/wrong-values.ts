import { all, set } from "./environments-folder.ts"
import { idp, idpSecret, line, payment, onWorkersDev, type WrongFile } from "./wrong-file.ts"

function judged(bake: number) {
  const steps = all(set("releaseSteps", [10, 100]), set("releaseBake", bake))
  return all(steps, set(["releaseLimits"], { failures: 1 }))
}

export const wrongValues: WrongFile[] = [
  { rule: "R32", title: "mail over http", change: set("mailUrl", "http://mail.acme.com/send") },
  { rule: "R32", title: "mail over ftp", change: set("mailUrl", "ftp://mail.acme.com/send") },
  {
    rule: "R32",
    title: "payments over http",
    change: all(set("paymentUrl", "http://stripe.evil.com"), payment),
  },
  {
    rule: "R32",
    title: "an issuer over http",
    change: all(
      set(["identityProviders"], { idp: { ...idp, issuer: "http://id.acme.com" } }),
      idpSecret,
    ),
  },
  {
    rule: "R33",
    title: "mail on this machine",
    change: set("mailUrl", "http://127.0.0.1:8791/send"),
  },
  {
    rule: "R33",
    title: "mail on this machine, as an address of IPv6",
    change: set("mailUrl", "https://[::ffff:7f00:1]/send"),
  },
  {
    rule: "R33",
    title: "an issuer on this machine",
    change: all(
      set(["identityProviders"], { idp: { ...idp, issuer: "https://localhost:9000" } }),
      idpSecret,
    ),
  },
  {
    rule: "R33",
    title: "an issuer called localhost, over http",
    change: all(
      set(["identityProviders"], { idp: { ...idp, issuer: "http://localhost:9000" } }),
      idpSecret,
    ),
  },
  {
    rule: "R34",
    title: "a password in a URL",
    change: set("mailUrl", "https://mail:hunter2@mail.acme.com/send"),
  },
  {
    rule: "R35",
    title: "an identity provider without its secret",
    change: set(["identityProviders"], { idp }),
  },
  {
    rule: "R36",
    title: "scopes without openid",
    change: all(set(["identityProviders"], { idp: { ...idp, scopes: ["email"] } }), idpSecret),
  },
  {
    rule: "R36",
    title: "an identity provider called email",
    change: all(
      set(["identityProviders"], { email: idp }),
      set(["secrets", "IDP_EMAIL_CLIENT_SECRET"], { secure: "v1:aWRw:CCCC" }),
    ),
  },
  {
    rule: "R37",
    title: "a secret in clear",
    change: set(["secrets", "AUTH_SECRET"], "0123456789abcdef0123456789abcdef"),
  },
  {
    rule: "R37",
    title: "a short secret in clear",
    change: set(["secrets", "AUTH_SECRET"], "short"),
  },
  {
    rule: "R37",
    title: "a service token in clear",
    change: set(["trialHeaders", "CF-Access-Client-Secret"], "abc"),
  },
  {
    rule: "R38",
    title: "an unknown secret",
    change: set(["secrets", "AUTH_SECRT"], { secure: "v1:eA:FFFF" }),
  },
  { rule: "R39", title: "no AUTH_SECRET", change: set("secrets", undefined) },
  {
    rule: "R39",
    title: "payments without their keys",
    change: set("paymentUrl", "https://api.stripe.com"),
  },
  { rule: "R40", title: "one letter", change: (text) => text, opened: { AUTH_SECRET: "a" } },
  {
    rule: "R40",
    title: "one letter many times",
    change: (text) => text,
    opened: { AUTH_SECRET: "x".repeat(64) },
  },
  {
    rule: "R40",
    title: "words of an example",
    change: (text) => text,
    opened: { AUTH_SECRET: "change-me-change-me-change-me-change-me" },
  },
  {
    rule: "R37",
    title: "another provider's secret in clear",
    change: line('aws:secretKey: "0123456789"'),
  },
  {
    rule: "R37",
    title: "a value in clear that is called sealed",
    change: set(["secrets", "AUTH_SECRET"], { secure: "hunter2hunter2hunter2hunter2hunter2" }),
  },
  {
    rule: "R54",
    title: "a mail service with a letter of another alphabet",
    change: set("mailUrl", "https://m\u0430il.acme.com/send"),
  },
  {
    rule: "R54",
    title: "a payment service with a dot at its end",
    change: all(set("paymentUrl", "https://pay.acme.com./v1"), payment),
  },
  {
    rule: "R54",
    title: "a mail service with a key in its query",
    change: set("mailUrl", "https://mail.acme.com/send?key=sk_live_4242424242424242"),
  },
  {
    rule: "R54",
    title: "an issuer with a query",
    change: all(
      set(["identityProviders"], { idp: { ...idp, issuer: `${idp.issuer}?tenant=evil` } }),
      idpSecret,
    ),
  },
  {
    rule: "R41",
    title: "staging's secret",
    change: set(["secrets", "AUTH_SECRET", "secure"], "v1:c3RhZ2luZw:BBBB"),
  },
  {
    rule: "R41",
    title: "one value for two secrets",
    change: (text) => text,
    opened: {
      AUTH_SECRET: "0123456789abcdef0123456789abcdef",
      SMOKE_KEY: "0123456789abcdef0123456789abcdef",
    },
  },
  {
    rule: "R66",
    title: "the ciphertext of a secret where a browser reads it",
    change: all(
      set(["identityProviders", "idp"], { ...idp, clientId: { secure: "v1:cHJvZHVjdGlvbg:AAAA" } }),
      idpSecret,
    ),
  },
  {
    rule: "R66",
    title: "the ciphertext of a secret in a header",
    change: set(["trialHeaders", "CF-Access-Client-Id"], { secure: "v1:cHJvZHVjdGlvbg:AAAA" }),
  },
  {
    rule: "R66",
    title: "the ciphertext of a secret in a header, spelled otherwise",
    change: set("trialHeaders", { "x-release": { secure: "v1:cHJvZHVjdGlvbh:AAAA" } }),
  },
  {
    rule: "R66",
    title: "an encrypted setting",
    change: set("tokens", { audiences: [{ secure: "v1:eA:GGGG" }] }),
  },
  { rule: "R42", title: "unverified members", change: set("verifyEmail", false) },
  { rule: "R43", title: "nobody to send e-mail", change: set("mailUrl", undefined) },
  { rule: "R65", title: "letters that stay in the database", change: set("keepMail", true) },
  { rule: "R44", title: "no protection", change: set("protect", false) },
  { rule: "R44", title: "an unprotected database", change: set("protectDatabase", false) },
  {
    rule: "R45",
    title: "production on workers.dev",
    change: all(onWorkersDev, set("webOrigin", "https://accounts-production.acme.workers.dev")),
  },
  { rule: "R46", title: "a cron in words", change: set("crons", ["every day"]) },
  { rule: "R46", title: "a minute that does not exist", change: set("crons", ["61 * * * *"]) },
  { rule: "R46", title: "a cron with seconds", change: set("crons", ["0 17 * * * *"]) },
  { rule: "R46", title: "weekday 0", change: set("crons", ["17 3 * * 0"]) },
  { rule: "R46", title: "30 February", change: set("crons", ["0 0 30 2 *"]) },
  { rule: "R47", title: "less processor time than a hash", change: set("cpuMs", 50) },
  {
    rule: "R52",
    title: "a provider that is believed about every address",
    change: all(set(["identityProviders"], { idp: { ...idp, emailDomains: ["*"] } }), idpSecret),
  },
  {
    rule: "R67",
    title: "a provider whose unverified addresses count",
    change: all(
      set(["identityProviders"], { idp: { ...idp, trustUnverifiedEmails: true } }),
      idpSecret,
    ),
  },
  { rule: "R48", title: "a second of patience", change: set("patience", 1) },
  { rule: "R48", title: "a minute for a new host", change: set("hostPatience", 60) },
  {
    rule: "R55",
    title: "steps that outlast the pipeline's job",
    change: all(set("releaseSteps", [10, 50, 100]), set("releaseBake", 3600)),
  },
  {
    rule: "R55",
    title: "a patience that outlasts it at each of three steps",
    change: all(set("releaseSteps", [10, 50, 100]), set("patience", 600)),
  },
  { rule: "R57", title: "limits without a step", change: set(["releaseLimits"], { cpu: 50 }) },
  { rule: "R57", title: "limits without logs", change: all(judged(300), set("logSampling", 0)) },
  {
    rule: "R57",
    title: "limits where Cloudflare writes no line of a request",
    change: all(judged(300), set("logDestinations", ["logs"])),
  },
  { rule: "R57", title: "limits of a step that ends before its logs come", change: judged(30) },
  { rule: "R61", title: "Logpush of whole events", change: set("logpush", true) },
  { rule: "R61", title: "a Worker that gets them", change: set("tailConsumers", ["listener"]) },
  {
    rule: "R61",
    title: "traces that leave Cloudflare",
    change: all(set("traceSampling", 0.1), set("traceDestinations", ["traces"])),
  },
  {
    rule: "R62",
    title: "a destination of logs that are not kept",
    change: all(set("logSampling", 0), set("logDestinations", ["logs"])),
  },
  { rule: "R49", title: "a location beside a jurisdiction", change: set("jurisdiction", "eu") },
  {
    rule: "R50",
    title: "a rotation of a secret that is brought",
    change: set(["rotations"], { AUTH_SECRET: 1 }),
  },
  {
    rule: "R53",
    title: "a previous secret without a time",
    change: set(["secrets", "AUTH_SECRET_PREVIOUS"], { secure: "v1:cHJldmlvdXM:DDDD" }),
  },
  {
    rule: "R53",
    title: "a time without a previous secret",
    change: set("authSecretFrom", "2026-11-22T12:00:00Z"),
  },
]
