import * as z from "zod"

const ReleaseSteps = z
  .array(z.number().min(0.01).max(100))
  .refine(
    (steps) => steps.at(-1) === 100 && steps.every((step, index) => step > (steps[index - 1] ?? 0)),
    "must be rising percentages, the last of them 100",
  )

export const ReleaseLimits = z
  .strictObject({
    requests: z.int().min(0).default(100).meta({
      description:
        "Requests of each of the two versions in the logs, below which a step is not judged, which ends the release; with 0 that is only said",
    }),
    failures: z.number().min(0).max(100).optional().meta({
      description:
        "Percentage points of its requests that may fail beyond those of the other: answers of 5xx, exceptions, exceeded limits",
    }),
    cpu: z.number().min(0).optional().meta({
      description: "Percent of processor time for a request that it may take beyond the other",
    }),
  })
  .refine(
    ({ failures, cpu }) => failures !== undefined || cpu !== undefined,
    "must limit failures or cpu",
  )
export type ReleaseLimits = z.infer<typeof ReleaseLimits>

/** Matches headers that the trial, the connection or Cloudflare sets. */
const forbidden =
  /^(?:accept(?:-.*)?|accounts-.*|access-control-.*|authorization|cloudflare-workers-.*|cf-(?!access-client-).*|connection|content-.*|cookie|expect|host|if-.*|keep-alive|origin|proxy-.*|range|referer|sec-.*|te|trailer|transfer-encoding|upgrade|user-agent|x-forwarded-.*|x-real-ip)$/

const Name = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, "must be the name of a header")
  .refine((name) => !forbidden.test(name.toLowerCase()), {
    error: "may not be set: the trial sends its own, or Cloudflare decides on it",
  })

/** Header values by name. They are encrypted, because Access or the WAF lets requests with them pass. */
export const TrialHeaders = z.record(
  Name,
  z.string().regex(/^[\x20-\x7e]{1,4096}$/, "must be printable ASCII in one line"),
)

const AccountId = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "must be the 32 hexadecimal digits of a Cloudflare account, in quotes")

const Origin = z
  .url({ protocol: /^https?$/, error: "must be an origin such as https://app.example.com" })
  .refine((url) => URL.canParse(url) && new URL(url).origin === url, {
    error: "must be an origin alone: no path, no trailing slash, lower case",
  })
  // Browsers treat it as another origin, with other cookies.
  .refine((url) => !URL.parse(url)?.hostname.endsWith("."), {
    error: "must have no dot after its host",
  })

const withoutRepetition = [
  (texts: string[]) => new Set(texts).size === texts.length,
  "must not name one thing twice",
] as const

/** Names in an account. In the effective file, a comma or a line break would look like a second name. */
const Names = z
  .array(z.string().regex(/^[\w.-]+( [\w.-]+)*$/, "must be a name"))
  .refine(...withoutRepetition)
  .default([])

/** A line break in the effective file would look like another fact. */
const Reason = z
  .string()
  .min(1)
  .refine((text) => !/[\r\n\u2028\u2029]/.test(text), "must be one line")

const Hostname = z
  .string()
  .regex(
    /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/,
    "must be a host name in lower case, without scheme or port",
  )

/** `accounts@example.com` or `Accounts <accounts@example.com>`; no line break can start a header. */
function senderOf(email: KeySchemas["email"]) {
  return z
    .string()
    .max(320)
    .refine(
      (text) => email.safeParse(/^[^<>\p{Cc}]+ <([^<>]+)>$/u.exec(text)?.[1] ?? text).success,
      "must be an email address such as accounts@example.com or Accounts <accounts@example.com>",
    )
}

/**
 * The `accounts:` keys of a stack file that the tools read: everything that may differ between environments.
 * The rules in `rules/` check what the values mean.
 */
export function stackKeys({ provider, tokens, email }: KeySchemas) {
  return {
    environment: z.enum(["local", "preview", "staging", "production"]).meta({
      description: "Which rules apply. Staging and production are permanent: they fail closed",
    }),
    // The override header of a trial uses the name as a dictionary key, which must begin with a lower-case
    // character (RFC 8941, 3.1.2).
    name: z
      .string()
      .regex(
        /^[a-z][a-z0-9_-]{0,62}$/,
        "must have at most 63 lower-case letters, digits, dashes and underscores, and begin with a lower-case letter, because no later release of any other name could be tried. Move what is live under such a name to a new stack (docs/operating.md, Moving to another name)",
      )
      .optional()
      .meta({
        description:
          "Name of the Worker and of the database; default: accounts-<stack>. Set it before you rename the stack",
      }),
    accountId: AccountId.meta({ description: "Cloudflare account that holds every resource" }),
    zone: Hostname.optional().meta({
      description: "Zone of the API host; leave out on workers.dev",
    }),
    zoneId: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .optional()
      .meta({ description: "Id of the zone, for tokens that cannot look up zones by name" }),
    apiOrigin: Origin.meta({ description: "Public origin of this service" }),
    attach: z.enum(["domain", "route", "paths"]).default("domain").meta({
      description:
        "How the API's host leads to the Worker: by a custom domain, which makes its DNS record; by a route, for a host whose proxied record exists; or by paths, on the host of the front end, which keeps all that is not below /api/ nor a path of the pages",
    }),
    webOrigin: Origin.meta({ description: "Origin of the web front end" }),
    cookieDomain: Hostname.optional().meta({
      description: "Parent domain that API and front end share; without it cookies are host-only",
    }),
    trustedOrigins: z
      .array(Origin)
      .min(1)
      .refine(...withoutRepetition)
      .optional()
      .meta({ description: "Origins that may call the API; default: web and API origin" }),
    routes: z
      .array(
        z
          .string()
          .regex(
            /^[^\s/:A-Z]+(\/[^\s]*)?$/,
            "must be a route pattern such as example.com/api/*, its host in lower case",
          ),
      )
      .refine(...withoutRepetition)
      .default([])
      .meta({ description: "Additional route patterns of the zone for this service" }),
    crons: z
      .array(z.string())
      .refine(...withoutRepetition)
      .default(["17 * * * *"])
      .meta({ description: "When to delete expired rows: cron expressions, in UTC" }),
    location: z.enum(["wnam", "enam", "weur", "eeur", "apac", "oc"]).optional().meta({
      description:
        "Where to create the database; default: near the machine that does. It cannot move, so a change is refused",
    }),
    jurisdiction: z.enum(["eu", "fedramp", "us"]).optional().meta({
      description:
        "Where the database's data must stay, instead of a location. It cannot move, so a change is refused",
    }),
    readReplication: z.enum(["auto", "disabled"]).default("disabled").meta({
      description:
        "auto: members read what is their own from the nearest copy of the database, where a session that has ended elsewhere may still read for as long as the copy lags. All else asks the primary",
    }),
    placement: z.enum(["smart"]).optional().meta({
      description:
        "smart: the Worker runs where its requests take least time, so mostly near the database; default: near the caller",
    }),
    cpuMs: z.int().min(1).max(300_000).optional().meta({
      description:
        "Milliseconds of processor time after which Cloudflare stops a request; default: Cloudflare's 30,000",
    }),
    logSampling: z.number().min(0).max(1).default(1).meta({
      description: "Share of the requests whose logs Cloudflare keeps, from 0 to 1",
    }),
    logDestinations: Names.meta({
      description:
        "Destinations of the account's telemetry that get the service's own log lines, by OpenTelemetry",
    }),
    traceSampling: z.number().min(0).max(1).default(0).meta({
      description: "Share of the requests that Cloudflare traces, from 0 to 1",
    }),
    traceDestinations: Names.meta({
      description:
        "Destinations of the account's telemetry that get the traces, in which whole URLs stand",
    }),
    logpush: z.boolean().default(false).meta({
      description:
        "The account's Logpush jobs get each request's event, in which its whole URL stands",
    }),
    tailConsumers: Names.meta({
      description: "Workers that get each request's event, in which its whole URL stands",
    }),
    protect: z.boolean().optional().meta({
      description:
        "Refuse deletion of database, Worker and hostname; default: permanent environments",
    }),
    protectDatabase: z.boolean().optional().meta({
      description: "Refuse deletion of the database; default: accounts:protect",
    }),
    protectWorker: z.boolean().optional().meta({
      description: "Refuse deletion of the Worker; default: accounts:protect",
    }),
    protectHostname: z.boolean().optional().meta({
      description:
        "Refuse deletion of the hostname; default: accounts:protect. Deploy false before apiOrigin changes",
    }),
    secrets: z
      .record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string().min(1))
      .default({})
      .meta({
        description:
          "Secret bindings by name, encrypted: pulumi config set --secret --path accounts:secrets.<NAME>",
      }),
    authSecretFrom: z.iso
      .datetime({ error: "must be a time in UTC such as 2026-11-22T12:00:00Z, in quotes" })
      .optional()
      .meta({
        description:
          "When AUTH_SECRET begins to sign, in UTC; AUTH_SECRET_PREVIOUS does until then. ./accounts secret rotate writes both",
      }),
    rotations: z
      .record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.int().positive())
      .default({})
      .meta({
        description: "Generated secrets by binding: the next higher number generates another value",
      }),
    identityProviders: z
      .record(z.string().regex(/^[a-z][a-z0-9]*$/), provider)
      .default({})
      .meta({ description: "Providers to sign in with, by the name in their path" }),
    verifyEmail: z.boolean().optional().meta({
      description:
        "Sign-in needs a verified address, so mailUrl or keepMail is needed; default: permanent environments",
    }),
    mailUrl: z.url().optional().meta({ description: "HTTP endpoint that sends e-mail" }),
    mailFrom: senderOf(email).optional().meta({
      description: "Sender of the e-mails, with or without a name; default: no-reply at webOrigin",
    }),
    keepMail: z.boolean().optional().meta({
      description:
        "Previews alone: e-mails are kept in the database instead of being sent. ./accounts branch mail shows them",
    }),
    paymentUrl: z
      .url()
      .optional()
      .meta({ description: "Stripe-compatible API of the payment provider" }),
    localPages: z.record(z.string(), z.url()).optional().meta({
      description: "On local: pages of what runs beside the service. npm start sets it",
    }),
    tokens: tokens.optional().meta({
      description:
        "Services that members may get a token for, and the minutes that one is good for, also after a sign-out (docs/tokens.md); default: no tokens",
    }),
    patience: z.int().min(1).max(600).default(60).meta({
      description: "Seconds for a new version to become healthy before the old one is restored",
    }),
    hostPatience: z.int().min(1).max(3600).default(900).meta({
      description: "Seconds for a new host to get its DNS record and certificate, and to answer",
    }),
    releaseSteps: ReleaseSteps.default([100]).meta({
      description: "Percentages of the traffic that a new version gets one after another",
    }),
    releaseBake: z.int().min(0).max(3600).default(60).meta({
      description:
        "Seconds for which a new version must stay healthy at each step below 100 percent",
    }),
    releaseLimits: ReleaseLimits.optional().meta({
      description:
        "What Workers Logs may show of a new version at each step below 100 percent, compared with the version beside it; without it health alone decides",
    }),
    trialHeaders: TrialHeaders.default({}).meta({
      description:
        "Headers of every trial request, for Access or a WAF rule: name to encrypted value, pulumi config set --secret --path",
    }),
    accept: z
      .record(z.string().regex(/^[AR]\d\d$/, "must be the id of a rule such as R22"), Reason)
      .default({})
      .meta({
        description:
          "Rules of docs/environment-rules.md that this environment may break: id to the reason, which reviewers read",
      }),
    fixture: z.literal(true).optional().meta({
      description:
        "Only for tests: applies permanent rules to a loopback account. Never in environments/",
    }),
    connectTo: z
      .url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ })
      .optional()
      .meta({ description: "Loopback address to connect to for every host name of this stack" }),
  }
}

export type StackKeys = z.infer<z.ZodObject<ReturnType<typeof stackKeys>>>

/** The keys of a stack file that could be read, including the project's own. */
export type Readable<Own extends object = object> = {
  [Key in keyof (StackKeys & Own)]?: (StackKeys & Own)[Key] | undefined
}

/** Whether the environment is staging or production: both fail closed, and Pulumi protects their data. */
export function permanent({ environment }: { environment?: string | undefined }): boolean {
  return environment === "staging" || environment === "production"
}

/** The fields of an identity provider that the tools read. */
type Provider = {
  clientId: string
  preset?: string | undefined
  issuer?: string | undefined
  url?: string | undefined
  scopes?: string[] | undefined
  emailDomains?: string[] | undefined
  trustUnverifiedEmails?: true | undefined
}

/** The fields of the tokens for other services that the tools read. */
type Tokens = { audiences: string[]; minutes: number }

/** Schemas of `accounts:identityProviders`, `accounts:tokens` and email addresses. The Worker also uses them. */
export type KeySchemas = {
  provider: z.ZodType<Provider>
  tokens: z.ZodType<Tokens>
  /** Returns an address in the form in which the service stores it. */
  email: z.ZodType<string>
}
