import type { code } from "../protocol/error-code.ts"

/** What is refused, with which code (`*`: depends on the route), and where the rule is known from. */
export type Validation = { what: string; code: keyof typeof code | "*"; source: string }

function refusal(what: string, errorCode: Validation["code"], source: string): Validation {
  return { what, code: errorCode, source }
}

const suite = "report: a suite recorded against the real API"
const tableOfErrors = "openapi: ErrorWorker…, of workers/workers"

/**
 * Every refusal of the API, file by file in the order of the code. The source is that of the rule, not of
 * its code (`../protocol/error-source.ts`) or text: `openapi`, `wrangler`, `docs`, `report` (an answer of
 * the real API that an issue or a log quotes), `runtime` (workerd or SQLite refuses by itself), `own`
 * (Cloudflare has no such case) or `assumed`.
 */
export const validations: Record<string, Validation[]> = {
  "account/account.api.ts": [
    refusal("an account id that is not 32 hexadecimal digits", "noObject", suite),
    refusal("another account than the token's", "authentication", "wrangler: MEMBERSHIPS"),
  ],
  "account/dns-record.api.ts": [
    refusal("a DNS record that is not there", "noDnsRecord", "report: Record does not exist"),
    refusal("a DNS record that is already there", "sameDnsRecord", "report: identical record"),
    refusal(
      "an address where a custom domain is",
      "workersDnsRecord",
      "report: vite-flare-starter#54",
    ),
    refusal(
      "a CNAME beside another address",
      "addressDnsRecord",
      "report: A, AAAA, or CNAME record",
    ),
    refusal("a value that its type of DNS record can't have", "invalidDnsRecord", "assumed"),
  ],
  "account/zone-setting.api.ts": [
    refusal(
      "a zone setting that is not known",
      "unknownZoneSetting",
      "report: terraform-provider#1810",
    ),
  ],
  "account/zone.api.ts": [
    refusal("a zone that is not there", "noObject", "openapi: DELETE dns_records 4XX"),
  ],
  "api.ts": [
    refusal("a request of more than 100 MiB to the API", "tooLarge", "assumed"),
    refusal("a route that is not implemented", "noRoute", "own"),
    refusal("an error of the local Cloudflare itself", "unknown", "own"),
  ],
  "assets/asset-token.ts": [
    refusal("an assets token that is wrong or too old", "authentication", "assumed"),
  ],
  "assets/asset.api.ts": [
    refusal("an asset that the manifest does not have", "badMetadata", "assumed"),
    refusal("an asset of another size than the manifest says", "badMetadata", "assumed"),
  ],
  "assets/version-assets.ts": [
    refusal("assets without their token", "badMetadata", "assumed"),
    refusal("assets of another Worker", "badMetadata", "assumed"),
    refusal("assets that were not uploaded", "badMetadata", "assumed"),
    refusal("assets whose upload has expired", "authentication", "assumed"),
  ],
  "console/console-data.api.ts": [refusal("a table that is not there", "sql", "own")],
  "console/console-session.api.ts": [
    refusal("a console link that was used before", "wrongToken", "own"),
  ],
  "d1/database.api.ts": [
    refusal("a database name that is taken", "databaseExists", suite),
    refusal("a change of a database without a field", "sql", suite),
    refusal("another name, jurisdiction or location hint", "badQuery", "assumed"),
  ],
  "d1/database.store.ts": [
    refusal("a database that is not there", "noDatabase", "wrangler: d1 database lookup"),
  ],
  "d1/import-export.api.ts": [
    refusal("a poll for an import that is not there", "badQuery", "assumed"),
    refusal("an import of a file that was not uploaded", "badQuery", "assumed"),
  ],
  "d1/query.api.ts": [
    refusal("a statement that D1's SQLite refuses", "sql", "runtime: workerd's SQLite"),
    refusal("a query without a statement", "sql", "assumed"),
    refusal("parameters with several statements", "badQuery", "report: drizzle-orm#2622"),
  ],
  "d1/time-travel.api.ts": [refusal("a restore to a moment without a bookmark", "badQuery", "own")],
  "faults/api-faults.ts": [
    refusal("an injected rate limit", "tooManyRequests", "docs: API rate limits"),
    refusal("an injected server error", "unknown", "docs: Workers routes API, Internal Error"),
  ],
  "faults/fault.api.ts": [
    refusal("a fault rule whose name is taken", "badRequest", "own"),
    refusal("a fault rule that is not there", "noObject", "own"),
  ],
  "protocol/envelope.ts": [
    refusal("a field that is unknown, missing or of the wrong type", "*", "openapi: each schema"),
    refusal("a body that is not JSON", "badJson", "assumed"),
  ],
  "protocol/guard.ts": [
    refusal("a web page or another host", "badHeaders", "own"),
    refusal("no token", "missingToken", "wrangler: MEMBERSHIPS_INACCESSIBLE_CODES"),
    refusal("an Authorization header without a bearer token", "badHeaders", "assumed"),
    refusal("a wrong token", "wrongToken", "wrangler: unauthorizedAccess"),
  ],
  "tails/tail.api.ts": [
    refusal("the tail of a Worker without one", "noWorker", "assumed"),
    refusal("a tail that is not there", "noWorker", "assumed"),
  ],
  "triggers/cron-grammar.ts": [
    refusal("what Cloudflare's cron parser does not have", "badCron", "report: cloudflare/saffron"),
    refusal("days counted from the end of the month beside other days", "badCron", "own"),
  ],
  "triggers/crons.ts": [
    refusal("a cron expression that does not parse", "badCron", "report: cloudflare/saffron"),
    refusal("a cron of a Worker without a deployment", "noVersions", "assumed"),
  ],
  "triggers/domain.api.ts": [
    refusal("a custom domain that is not there", "noDomain", suite),
    refusal("the custom domain of another Worker", "hostnameTaken", "report: alchemy-async#1384"),
    refusal(
      "a custom domain where DNS records are",
      "existingDnsRecord",
      "report: workers-sdk#9878",
    ),
    refusal("a custom domain outside the account's zones", "badMetadata", "assumed"),
  ],
  "triggers/route-grammar.ts": [
    refusal("a route pattern that never matches", "badRoute", "docs: Workers routes API"),
  ],
  "triggers/route.api.ts": [
    refusal("a route that is not there", "*", suite),
    refusal("a route pattern that is taken", "routeExists", "docs: Workers routes API"),
  ],
  "triggers/schedule.api.ts": [
    refusal("more crons than the plan has", "manyCrons", "docs: Workers limits"),
  ],
  "triggers/subdomain.api.ts": [
    refusal(
      "the workers.dev name of an account that has none",
      "noWorker",
      "wrangler: getOrRegisterWorkersDevSubdomain",
    ),
    refusal("another workers.dev name for the account", "subdomainExists", "assumed"),
  ],
  "workers/binding.ts": [
    refusal("a binding that is not implemented", "startup", "own"),
    refusal(
      "an inherited binding that its version lacks",
      "badInherit",
      "wrangler: INVALID_INHERIT_BINDING",
    ),
    refusal("a binding to a database that is not there", "noBoundDatabase", suite),
    refusal("a long variable, or a database without an id", "startup", "docs: Workers limits"),
  ],
  "deployments/changed-secrets.ts": [
    refusal("a rollback over a changed secret", "secretChanged", "wrangler: versions rollback"),
  ],
  "deployments/deploy-changes.ts": [
    refusal(
      "a change while the newest version is not deployed",
      "latestNotDeployed",
      "wrangler: VERSION_NOT_DEPLOYED",
    ),
  ],
  "deployments/deploy.ts": [
    refusal("a deployment that names a version twice", "badPercentages", "assumed"),
    refusal("percentages that do not add up to 100", "badPercentages", "wrangler: versions deploy"),
  ],
  "deployments/deployment.api.ts": [
    refusal("the deletion of the live deployment", "badRequest", "openapi: DELETE deployments"),
    refusal("a deployment that is not there", "noDeployment", suite),
  ],
  "deployments/live-versions.ts": [
    refusal("a script without a handler", "noHandlers", "report: workers-sdk#2767"),
    refusal("a script that does not start", "startup", "runtime: workerd"),
  ],
  "workers/multipart.ts": [
    refusal("an upload without metadata", "badMetadata", "assumed"),
    refusal("an upload that is not multipart/form-data", "badMetadata", "assumed"),
    refusal("a module without a file name", "badMetadata", "assumed"),
  ],
  "workers/script-content.api.ts": [
    refusal("content that names no main module", "badMetadata", "openapi: Put script content"),
  ],
  "workers/script.api.ts": [
    refusal("a service that is not there", "noService", "wrangler: WORKER_LEGACY_ENVIRONMENT"),
  ],
  "workers/secret.api.ts": [refusal("a secret that is not there", "noBinding", suite)],
  "workers/settings.api.ts": [refusal("an unknown part of a settings form", "badMetadata", "own")],
  "deployments/trace-propagation.ts": [
    refusal(
      "propagation_policy without the feature",
      "noTracePropagation",
      "report: terraform-provider#7192",
    ),
  ],
  "workers/upload.ts": [
    refusal(
      "an experimental compatibility flag",
      "startup",
      "report: workerd compatibility-date.c++",
    ),
    refusal("limits of a version on the Free plan", "noProcessorLimit", "report: deploy logs"),
    refusal("a preview alias that is no label", "startup", "report: workers-sdk#9937"),
    refusal("a preview alias that is too long", "startup", "report: ariakit#6227"),
    refusal("a main module that was not uploaded", "startup", "runtime: workerd"),
    refusal("a Worker that is too large for the plan", "tooLarge", "docs: Workers limits"),
  ],
  "workers/version.api.ts": [
    refusal("a patch of a Worker without a version", "noVersions", "assumed"),
    refusal("the deletion of a version", "badRequest", "own"),
  ],
  "workers/version.store.ts": [
    refusal("a version that is not there", "noVersion", "wrangler: containers deploy"),
    refusal("a deployment of a version before the last 100", "noVersion", "docs: rollbacks"),
  ],
  "workers/worker-limits.ts": [
    refusal("a long name with preview URLs", "longPreviewName", tableOfErrors),
    refusal("a sampling rate outside 0 and 1", "badSamplingRate", tableOfErrors),
    refusal("a long name", "longName", tableOfErrors),
    refusal("a name that is no label", "badName", tableOfErrors),
    refusal("a long tag", "longTag", tableOfErrors),
    refusal("a tag with a comma or an ampersand", "badTag", tableOfErrors),
    refusal("too many tags", "manyTags", tableOfErrors),
  ],
  "workers/worker.api.ts": [
    refusal("a name that is taken", "workerExists", "openapi: POST workers/workers 409"),
  ],
  "workers/worker.store.ts": [
    refusal("a Worker that is not there", "noWorker", "wrangler: WORKER_NOT_FOUND_ERR_CODE"),
  ],
}
