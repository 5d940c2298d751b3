import { defineProject, permanent } from "@accounts-stack/tools/project"

import { bindings } from "../app/bindings.ts"
import { contrast, paper } from "../app/pages/stylesheet.ts"
import type { PagesSettings } from "../app/service/platform/configuration/pages-settings.ts"
import {
  ConfiguredProvider,
  identityProviderBindings,
} from "../app/service/platform/configuration/provider.ts"
import { TokenSettings } from "../app/service/platform/configuration/token-settings.ts"
import { browserCookies, sessionLifetime } from "../app/service/platform/cookie/browser-cookies.ts"
import { Email } from "../app/service/platform/mail/email-address.ts"
import { bundling, compatibilityDate, compatibilityFlags, secondModule } from "./bundle.ts"
import { operatorStatements } from "./operator-statements.ts"
import { describedSettings, ownKeys, ownSources } from "./own-keys.ts"
import { passkeysLost, relyingPartyId, signInRules } from "./sign-in-keys.ts"

/** Keys that this service adds to the tools' keys. */
type Beside = Parameters<typeof permanent>[0] & { checksUrl?: string }

/** Describes the service to the tools. They find this file by its path, and import nothing from app/. */
export const project = defineProject({
  contract: 1,
  bindings: { ...bindings, ...describedSettings },
  identityProviderBindings,
  runtime: { compatibilityDate, compatibilityFlags },
  bundling,
  secondModule,
  tables: "infra/schema-use.ts",
  rows: "infra/rehearsal-rows.sql",
  outbound: "infra/outbound.ts",
  cookies: { browserCookies, sessionLifetime },
  schemas: { provider: ConfiguredProvider, tokens: TokenSettings, email: Email },
  paths: {
    apiPage: "/api/v1/docs",
    paymentWebhook: "/api/v1/processWebhook",
    changeRole: "/api/v1/changeRole",
  },
  operator: operatorStatements,

  keys: ownKeys,

  /** Sources of the plain_text bindings that are computed from keys of the tools. */
  plain: (from) => ({
    ...ownSources,
    ENVIRONMENT: from(["environment"], ({ environment }) => environment),
    NODE_ENV: from(["environment"], (stack) => (permanent(stack) ? "production" : "development")),
    AUTH_URL: from(["apiOrigin"], ({ apiOrigin }) => apiOrigin),
    AUTH_SECRET_FROM: from(["authSecretFrom"], ({ authSecretFrom }) => authSecretFrom),
    AUTH_COOKIE_DOMAIN: from(["cookieDomain"], ({ cookieDomain }) => cookieDomain),
    AUTH_TRUSTED_ORIGIN: from(
      ["trustedOrigins", "webOrigin", "apiOrigin"],
      ({ webOrigin, apiOrigin, trustedOrigins = [webOrigin, apiOrigin] }) =>
        trustedOrigins.join(","),
    ),
    WEB_URL: from(["webOrigin"], ({ webOrigin }) => webOrigin),
    LOCAL_PAGES: from(["localPages"], ({ localPages }) => localPages && JSON.stringify(localPages)),
    VERIFY_EMAIL: from(["verifyEmail", "environment"], (stack) =>
      String(stack.verifyEmail ?? permanent(stack)),
    ),
    PASSKEYS: from(
      ["passkeys", "cookieDomain", "apiOrigin", "webOrigin", "trustedOrigins"],
      relyingPartyId,
    ),
    TURNSTILE_SITE_KEY: from(["turnstile"], ({ turnstile }) => turnstile?.siteKey),
    MAIL_URL: from(["mailUrl"], ({ mailUrl }) => mailUrl),
    MAIL_FROM: from(["mailFrom"], ({ mailFrom }) => mailFrom),
    KEEP_MAIL: from(["keepMail"], ({ keepMail }) => (keepMail ? "true" : undefined)),
    IDENTITY_PROVIDERS: from(["identityProviders"], ({ identityProviders }) => {
      const providers = Object.entries(identityProviders).map(
        ([id, { clientId: _clientId, ...declared }]) => [id, declared] as const,
      )
      return providers.length > 0 ? JSON.stringify(Object.fromEntries(providers)) : undefined
    }),
    READ_REPLICATION: from(["readReplication"], ({ readReplication }) =>
      readReplication === "auto" ? readReplication : undefined,
    ),
    TOKENS: from(["tokens"], ({ tokens }) => tokens && JSON.stringify(tokens)),
    PAYMENT_URL: from(["paymentUrl"], ({ paymentUrl }) => paymentUrl),
  }),

  lasting: { PASSKEYS: passkeysLost },

  /** Secrets that `./accounts secret rotate` replaces. The previous value stays valid for `lasts` seconds. */
  rotated: {
    AUTH_SECRET: {
      key: "authSecretFrom",
      lasts: sessionLifetime,
      does: "signs",
      keeps: "sessions signed by the previous value stay valid",
      loses: "SIGNS EVERY MEMBER OUT",
    },
    /** The hourly run has a day to re-encrypt values that the previous secret encrypted. */
    FACTOR_SECRET: {
      key: "factorSecretFrom",
      lasts: 24 * 60 * 60,
      does: "seals",
      keeps: "apps sealed by the previous value are read, and sealed again",
      loses: "MAKES EVERY AUTHENTICATOR APP USELESS",
    },
  },

  /** Secrets that a stack generates unless its file sets them. A local sandbox accepts any key. */
  generated: {
    SMOKE_KEY: { suffix: "smoke", made: "everywhere" },
    AUTH_SECRET: { suffix: "auth", made: "unless permanent" },
    FACTOR_SECRET: { suffix: "factor", made: "unless permanent" },
    MAIL_SECRET: { suffix: "mail", made: { besideSandbox: ({ mailUrl }) => mailUrl } },
    TURNSTILE_SECRET: {
      suffix: "turnstile",
      made: { besideSandbox: ({ checksUrl }: Beside) => checksUrl },
    },
    PAYMENT_SECRET: { suffix: "payment", made: { besideSandbox: ({ paymentUrl }) => paymentUrl } },
    PAYMENT_WEBHOOK_SECRET: {
      suffix: "payment-webhook",
      made: { besideSandbox: ({ paymentUrl }) => paymentUrl },
    },
    IDP_CLIENT_SECRET: {
      suffix: "idp",
      made: { besideSandbox: ({ identityProviders }) => identityProviders?.["idp"]?.issuer },
    },
  },

  /** Rules of stack files that only this service has, A01 to A99. */
  rules: [
    ...signInRules,
    {
      id: "A03",
      message: "Where sign-up takes an invitation, its e-mail can be sent",
      fix: "set it, or remove accounts:signUp",
      check: ({ environment: { signUp, mailUrl, keepMail }, values }) =>
        signUp === "invited" && !mailUrl && !keepMail && !("accounts:mailUrl" in values)
          ? [{ path: ["accounts:mailUrl"], reason: "is missing, so no invitation can be sent" }]
          : [],
    },
    {
      id: "A02",
      message: "A permanent environment turns passwords off knowing whom that keeps out",
      fix: "run ./accounts account ways -s with the stack, and accept it with what that says",
      accept: "with a reason",
      applies: ({ environment }) => permanent(environment),
      check: ({ environment: { password } }) =>
        password === "off"
          ? [{ path: ["accounts:password"], reason: "keeps out who has nothing else" }]
          : [],
    },
    {
      id: "A04",
      message:
        "Where the service has pages, its own origin is trusted: they call it as a front end does",
      fix: "add accounts:apiOrigin to accounts:trustedOrigins",
      check: ({ environment: { pages, apiOrigin = "", trustedOrigins } }) =>
        pages && trustedOrigins?.includes(apiOrigin) === false
          ? [{ path: ["accounts:trustedOrigins"], reason: `lacks ${apiOrigin}` }]
          : [],
    },
    {
      id: "A10",
      message: "Nothing but local asks a sandbox about leaked passwords and browsers",
      fix: "remove it",
      check: ({ environment: { environment, checksUrl } }) =>
        environment !== "local" && checksUrl !== undefined
          ? [{ path: ["accounts:checksUrl"], reason: "is for the sandbox of local" }]
          : [],
    },
    {
      id: "A06",
      message: "The colour of the pages can be read: 4.5 to 1 on their background",
      fix: "set a darker one; in dark mode it is made lighter by itself",
      check: ({ environment: { pages } }) => {
        if (!isOwn(pages) || pages.color === undefined) return []
        const ratio = contrast(pages.color, paper.light)
        if (ratio >= 4.5) return []
        return [{ path: ["accounts:pages", "color"], reason: `has ${ratio.toFixed(1)} to 1` }]
      },
    },
    {
      id: "A07",
      message: "A sign-in on the pages leads to a trusted origin",
      fix: "add its origin to accounts:trustedOrigins",
      check: ({ environment: { pages, webOrigin, apiOrigin = "", trustedOrigins } }) => {
        if (!isOwn(pages) || pages.home === undefined) return []
        const { origin } = new URL(pages.home)
        return (trustedOrigins ?? [webOrigin, apiOrigin]).includes(origin)
          ? []
          : [{ path: ["accounts:pages", "home"], reason: `is of ${origin}` }]
      },
    },
    {
      id: "A11",
      message: "Where Turnstile is on, its tokens can be checked",
      fix: "seal it: pulumi config set --secret --path accounts:secrets.TURNSTILE_SECRET, or remove accounts:turnstile",
      applies: ({ environment }) => permanent(environment),
      check: ({ environment: { turnstile, secrets } }) =>
        turnstile !== undefined && secrets !== undefined && !("TURNSTILE_SECRET" in secrets)
          ? [{ path: ["accounts:secrets"], reason: "lacks TURNSTILE_SECRET" }]
          : [],
    },
    {
      id: "A05",
      message: "Production has no pages that staging lacks",
      fix: "set accounts:pages in the file of staging, too",
      accept: "with a reason",
      check: ({ environment: { environment, pages }, neighbours }) => {
        const staging = neighbours.filter(
          (neighbour) => neighbour.environment.environment === "staging",
        )
        const isFirst =
          staging.length > 0 && !staging.some((neighbour) => neighbour.environment.pages)
        return environment === "production" && pages && isFirst
          ? [{ path: ["accounts:pages"], reason: "is set, and staging has none" }]
          : []
      },
    },
  ],
})

function isOwn(pages: PagesSettings | true | undefined) {
  return pages !== undefined && pages !== true
}
