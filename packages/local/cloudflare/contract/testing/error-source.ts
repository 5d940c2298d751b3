import type { code } from "../../../api/envelope.ts"

/**
 * Where code and meaning are known from: `openapi` (Cloudflare's document), `wrangler` (the source of
 * the pinned version), `docs` (developers.cloudflare.com), `report` (an answer of the real API that
 * an issue or a deploy log quotes), or `assumed`. A text is Cloudflare's only if a comment beside it names
 * Cloudflare.
 */
export const errorSources: Record<keyof typeof code, string> = {
  tooManyRequests: "assumed",
  invalidDnsRecord: "assumed",
  badHeaders: "assumed",
  badJson: "assumed",
  noRoute: "assumed",
  badRequest: "assumed",
  noObject: "openapi: DELETE dns_records 4XX",
  badQuery: "report: drizzle-orm#2622",
  noDatabase: "wrangler: d1 database lookup",
  sql: "report: a suite recorded against the real API",
  databaseExists: "report: a suite recorded against the real API",
  missingToken: "wrangler: MEMBERSHIPS_INACCESSIBLE_CODES",
  wrongToken: "wrangler: unauthorizedAccess",
  authentication: "wrangler: MEMBERSHIPS_INACCESSIBLE_CODES",
  badMetadata: "assumed",
  noWorker: "wrangler: WORKER_NOT_FOUND_ERR_CODE",
  noZoneRoute: "report: a suite recorded against the real API",
  unknown: "docs: Workers routes API, Internal Error",
  badName: "openapi: ErrorWorkerNameInvalid",
  routeExists: "docs: Workers routes API, Duplicate Route",
  startup: "openapi: ErrorWorkerInvalid",
  badRoute: "docs: Workers routes API, Invalid Route Pattern",
  tooLarge: "wrangler: deploy, script size",
  workerExists: "openapi: POST workers/workers 409",
  badInherit: "wrangler: INVALID_INHERIT_BINDING_CODE",
  badCron: "assumed",
  manyCrons: "assumed",
  noHandlers: "report: workers-sdk#2767",
  badPercentages: "assumed",
  noBoundDatabase: "report: a suite recorded against the real API",
  noTailWorker: "report: workers-sdk#8275",
  secretChanged: "wrangler: CANNOT_ROLLBACK_WITH_MODIFIED_SECERT_CODE",
  noVersions: "assumed",
  noDeployment: "report: a suite recorded against the real API",
  noDnsRecord: "report: Record does not exist",
  addressDnsRecord: "report: An A, AAAA, or CNAME record with that host already exists",
  sameDnsRecord: "report: An identical record already exists",
  workersDnsRecord: "report: vite-flare-starter#54",
  longTag: "openapi: ErrorWorkerTagLengthLimit",
  manyTags: "openapi: ErrorWorkerTagLimit",
  noDomain: "report: a suite recorded against the real API",
  hostnameTaken: "report: alchemy-async#1384",
  existingDnsRecord: "report: workers-sdk#9878",
  longName: "openapi: ErrorWorkerNameSubdomainLengthLimit",
  badTag: "openapi: ErrorWorkerTagInvalid",
  noVersion: "wrangler: containers deploy retries on it",
  badSamplingRate: "openapi: ErrorWorkerObservabilitySamplingRateInvalid",
  longPreviewName: "openapi: ErrorWorkerNamePreviewLengthLimit",
  noProcessorLimit: "report: deploy logs of accounts on the Free plan",
  noTracePropagation: "report: terraform-provider-cloudflare#7192",
}

/** For example "52 error codes, 11 of them assumed (21 %): badJson, …". */
export function describeErrorSources(): string {
  const names = Object.keys(errorSources)
  const assumed = Object.entries(errorSources).flatMap(([name, source]) =>
    source === "assumed" ? [name] : [],
  )
  const share = Math.round((100 * assumed.length) / names.length)
  return `${names.length} error codes, ${assumed.length} of them assumed (${share} %): ${assumed.join(", ")}`
}
