import { all, keys, set } from "./environments-folder.ts"
import { idp, line, onWorkersDev, payment, provider, type Wrong } from "./wrong-file.ts"

function judged(bake: number) {
  const steps = keys({ releaseSteps: [10, 100], releaseBake: bake })
  return all(steps, set("releaseLimits", { failures: 1 }))
}

export const wrongValues: Wrong = {
  R32: {
    "mail over http": set("mailUrl", "http://mail.acme.com/send"),
    "mail over ftp": set("mailUrl", "ftp://mail.acme.com/send"),
    "payments over http": all(set("paymentUrl", "http://stripe.evil.com"), payment),
    "an issuer over http": provider({ issuer: "http://id.acme.com" }),
    "a host of GitLab over http": provider({
      issuer: undefined,
      preset: "gitlab",
      url: "http://gitlab.acme.com",
    }),
  },
  R33: {
    "mail on this machine": set("mailUrl", "http://127.0.0.1:8791/send"),
    "mail on this machine, as an address of IPv6": set("mailUrl", "https://[::ffff:7f00:1]/send"),
    "an issuer on this machine": provider({ issuer: "https://localhost:9000" }),
    "an issuer called localhost, over http": provider({ issuer: "http://localhost:9000" }),
  },
  R34: { "a password in a URL": set("mailUrl", "https://mail:hunter2@mail.acme.com/send") },
  R35: { "an identity provider without its secret": set(["identityProviders"], { idp }) },
  R36: {
    "scopes without openid": provider({ scopes: ["email"] }),
    "an identity provider called email": all(
      set("identityProviders", { email: idp }),
      set(["secrets", "IDP_EMAIL_CLIENT_SECRET"], { secure: "v1:aWRw:CCCC" }),
    ),
  },
  R37: {
    "a secret in clear": set(["secrets", "AUTH_SECRET"], "0123456789abcdef0123456789abcdef"),
    "a short secret in clear": set(["secrets", "AUTH_SECRET"], "short"),
    "a service token in clear": set(["trialHeaders", "CF-Access-Client-Secret"], "abc"),
    "another provider's secret in clear": line('aws:secretKey: "0123456789"'),
    "a value in clear that is called sealed": set(["secrets", "AUTH_SECRET"], {
      secure: "hunter2hunter2hunter2hunter2hunter2",
    }),
  },
  R38: { "an unknown secret": set(["secrets", "AUTH_SECRT"], { secure: "v1:eA:FFFF" }) },
  R39: {
    "no AUTH_SECRET": set("secrets", undefined),
    "payments without their keys": set("paymentUrl", "https://api.stripe.com"),
  },
  R40: {
    "one letter": { opened: { AUTH_SECRET: "a" } },
    "one letter many times": { opened: { AUTH_SECRET: "x".repeat(64) } },
    "words of an example": { opened: { AUTH_SECRET: "change-me-change-me-change-me-change-me" } },
  },
  R54: {
    "a mail service with a character of another alphabet": set(
      "mailUrl",
      "https://m\u0430il.acme.com/send",
    ),
    "a payment service with a dot at its end": all(
      set("paymentUrl", "https://pay.acme.com./v1"),
      payment,
    ),
    "a mail service with a key in its query": set(
      "mailUrl",
      "https://mail.acme.com/send?key=sk_live_4242424242424242",
    ),
    "an issuer with a query": provider({ issuer: `${idp.issuer}?tenant=evil` }),
  },
  R41: {
    "staging's secret": set(["secrets", "AUTH_SECRET", "secure"], "v1:c3RhZ2luZw:BBBB"),
    "one value for two secrets": {
      opened: {
        AUTH_SECRET: "0123456789abcdef0123456789abcdef",
        SMOKE_KEY: "0123456789abcdef0123456789abcdef",
      },
    },
  },
  R66: {
    "the ciphertext of a secret where a browser reads it": provider({
      clientId: { secure: "v1:cHJvZHVjdGlvbg:AAAA" },
    }),
    "the ciphertext of a secret in a header": set(["trialHeaders", "CF-Access-Client-Id"], {
      secure: "v1:cHJvZHVjdGlvbg:AAAA",
    }),
    "the ciphertext of a secret in a header, spelled otherwise": set("trialHeaders", {
      "x-release": { secure: "v1:cHJvZHVjdGlvbh:AAAA" },
    }),
    "an encrypted setting": set("tokens", { audiences: [{ secure: "v1:eA:GGGG" }] }),
  },
  R42: { "unverified members": set("verifyEmail", false) },
  R43: { "no service that sends e-mail": set("mailUrl", undefined) },
  R65: { "e-mails that stay in the database": set("keepMail", true) },
  R44: {
    "no protection": set("protect", false),
    "an unprotected database": set("protectDatabase", false),
  },
  R45: {
    "production on workers.dev": all(
      onWorkersDev,
      set("webOrigin", "https://accounts-production.acme.workers.dev"),
    ),
  },
  R46: {
    "a cron without fields": set("crons", ["every day"]),
    "a minute that does not exist": set("crons", ["61 * * * *"]),
    "a cron with seconds": set("crons", ["0 17 * * * *"]),
    "weekday 0": set("crons", ["17 3 * * 0"]),
    "30 February": set("crons", ["0 0 30 2 *"]),
  },
  R47: { "less processor time than a hash": set("cpuMs", 50) },
  R52: {
    "a provider that is believed about every address": provider({ emailDomains: ["*"] }),
  },
  R67: {
    "a provider whose unverified addresses count": provider({ trustUnverifiedEmails: true }),
  },
  R48: {
    "a second of patience": set("patience", 1),
    "a minute for a new host": set("hostPatience", 60),
  },
  R55: {
    "steps that outlast the pipeline's job": keys({
      releaseSteps: [10, 50, 100],
      releaseBake: 3600,
    }),
    "a patience that outlasts it at each of three steps": keys({
      releaseSteps: [10, 50, 100],
      patience: 600,
    }),
  },
  R57: {
    "limits without a step": set(["releaseLimits"], { cpu: 50 }),
    "limits without logs": all(judged(300), set("logSampling", 0)),
    "limits where Cloudflare writes no line of a request": all(
      judged(300),
      set("logDestinations", ["logs"]),
    ),
    "limits of a step that ends before its logs come": judged(30),
  },
  R61: {
    "Logpush of whole events": set("logpush", true),
    "a Worker that gets them": set("tailConsumers", ["listener"]),
    "traces that leave Cloudflare": keys({ traceSampling: 0.1, traceDestinations: ["traces"] }),
  },
  R62: {
    "a destination of logs that are not kept": keys({ logSampling: 0, logDestinations: ["logs"] }),
  },
  R49: { "a location beside a jurisdiction": set("jurisdiction", "eu") },
  R50: { "a rotation of a secret that is brought": set(["rotations"], { AUTH_SECRET: 1 }) },
  R53: {
    "a previous secret without a time": set(["secrets", "AUTH_SECRET_PREVIOUS"], {
      secure: "v1:cHJldmlvdXM:DDDD",
    }),
    "a time without a previous secret": set("authSecretFrom", "2026-11-22T12:00:00Z"),
  },
}
