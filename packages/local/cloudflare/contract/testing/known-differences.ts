import type { Violation } from "./contract-check.ts"

type KnownDifference = {
  /** Name of the description; every description when absent. */
  source: string | undefined
  operation: RegExp
  place: Violation["place"] | undefined
  pointer: RegExp
  evidence: string
}

const wrangler = "wrangler 4.156.2"

/** Of which description, of what operation, where in it, and below that the evidence. */
const table = String.raw`
any | ^GET .*/workers/services/\{\}$ | route | ^$
  ${wrangler} 'versions deploy' asks for it at the end, and goes on without
openapi | ^POST .*/deployments$ | request | ^/versions/\*/percentage$
  ${wrangler} 'versions deploy' sends 0 for a version that gets no traffic
openapi | ^(?:GET|POST) .*/deployments$ | response | /versions/\*/percentage$
  a version accepted at 0 % is returned at 0 %
sdk | ^GET .*/scripts/\{\}/deployments$ | response | ^/result/deployments$
  the SDK pages by 'items'; the OpenAPI document and ${wrangler} have 'deployments'
openapi | ^GET .*/scripts/\{\}/deployments$ | query | ^/(?:page|per_page)$
  the SDK has both parameters
any | ^GET .*/d1/database/\{\}$ | response | ^/result/running_in_region$
  the parameter 'fields' of the same operation names it, in both descriptions
any | ^POST .*/d1/database$ | response | ^/result/created_in_region$
  ${wrangler} 'd1 create' prints it
any | ^POST .*/d1/database/\{\}/(?:query|raw|import)$ | response | /meta/(?:served_by|total_attempts)$
  'wrangler d1 execute --remote --json' prints both as Cloudflare sent them
any | ^GET .*/d1/database/\{\}$ | query | ^/fields/\*$
  ${wrangler} sends the names in one parameter, separated by commas
any | ^PUT .*/d1/database/\{\}$ | request | ^/(?:name|jurisdiction|primary_location_hint)$
  Cloudflare's Terraform provider 5 sends the whole resource with an update
any | ^POST .*/d1/database/\{\}/import$ | response | ^/result/errors$
  ${wrangler} 'd1 execute --file' prints them
any | ^POST .*/d1/database/\{\}/import$ | response | ^/result/status$
  the OpenAPI document has 'active' in its answer 202, which a running import gets
any | ^(?:POST|PUT) .*/workers/routes(?:/\{\})?$ | request | ^/script$
  Cloudflare's Terraform provider 5 sends null for an unset attribute
any | ^GET .*/scripts/\{\}/versions(?:/\{\})?$ | response | ^/result/(?:items/\*/)?annotations$
  ${wrangler} 'versions list' and 'versions view' print message and tag from it
sdk | ^GET .*/scripts/\{\}/versions(?:/\{\})?$ | response | ^/result/resources/bindings$
  ${wrangler} filters it as an array; the OpenAPI document has an array
openapi | ^GET .*/scripts/\{\}/versions$ | response | ^/result_info$
  the SDK pages by it
any | ^POST .*/scripts/\{\}/deployments$ | request | ^/code_update_strategy$
  ${wrangler} 'versions deploy' sends it with every deployment
sdk | ^GET /zones$ | query | ^/account\.(?:id|name)$
  the SDK takes 'account: { id }' and sends it as 'account.id'
openapi | ^(?:POST|PUT) .*/workers/workers(?:/\{\})?$ | request | ^/(?:logpush|observability|subdomain|tags|tail_consumers)$
  the operation itself requires only 'name', and so does the SDK
any | ^PATCH .*/workers/workers/\{\}$ | request | ^/(?:name|logpush|subdomain|tail_consumers|observability|tags)$
  the operation's own text: omitted properties are not changed
openapi | ^PATCH .*/workers/workers/\{\}/versions/latest$ | request | ^/env$
  ${wrangler} 'versions secret put' sends the secret in it
openapi | ^(?:GET|POST|PATCH) .*/workers/workers/\{\}/versions(?:/\{\}|/latest)?$ | response | ^/result/(?:\*/)?author_(?:id|email)$
  the SDK has both
openapi | ^PUT .*/workers/domains$ | request | ^/zone_(?:id|name)$
  the operation itself requires neither, nor does the SDK
any | ^PUT .*/workers/domains$ | request | ^/(?:override_existing_(?:origin|dns_record)|environment)$
  errors 100116 and 100117 name the options; Alchemy 0.94 sends the other, in OpenAPI deprecated
sdk | ^GET /zones/\{\}/dns_records$ | query | ^/name\.exact$
  the SDK takes 'name: { exact }' and sends it as 'name.exact'
sdk | ^(?:GET|POST) .*/dns_records$ | response | ^/result/(?:\*/)?(?:comment|meta/(?:origin_worker_id|read_only))$
  a record without a comment has null; deploy logs quote the metadata of a custom domain's record
openapi | ^(?:GET|POST) .*/dns_records$ | response | ^/result(?:/|$)
  the description requires 'data' of every record, and of failures a whole record
openapi | ^DELETE .*/dns_records/\{\}$ | response | ^/(?:success|errors|messages|result)$
  the description omits the envelope of all other answers
openapi | ^(?:POST|PUT|PATCH) .*/workers/workers(?:/\{\})?$ | response | ^/errors/\*/(?:code|meta)$
  the description has one code, of another failure; terraform-provider-cloudflare#7192 shows 100342
openapi | ^GET .*/scripts/\{\}/versions(?:/\{\})?$ | response | ^/result$
  the description requires a version of failures too, which have null elsewhere
`

const places = ["route", "query", "request", "response"] as const

export const knownDifferences: KnownDifference[] = [
  ...table.matchAll(/^(\w+) \| (.*) \| (\w+) \| (.*)\n {2}(.*)$/gm),
].map(([, source, operation = "", place, pointer = "", evidence = ""]) => ({
  source: source === "any" ? undefined : source,
  operation: new RegExp(operation),
  place: places.find((candidate) => candidate === place),
  pointer: new RegExp(pointer),
  evidence,
}))

type Undocumented = {
  route: RegExp
  /** With its version. */
  client: string
  /** The only description that has the route. */
  only?: "openapi"
}

export const undocumentedRoutes: Undocumented[] = [
  {
    route: /^PATCH \/accounts\/\{\}\/workers\/workers\/\{\}\/versions\/latest$/,
    client: wrangler,
    only: "openapi",
  },
]

export function findExplanation({ source, operation, place, pointer }: Violation) {
  const undocumented =
    place === "route" ? undocumentedRoutes.find(({ route }) => route.test(operation)) : undefined
  if (undocumented) return undocumented
  return knownDifferences.find(
    (difference) =>
      (difference.source ?? source) === source &&
      difference.place === place &&
      difference.operation.test(operation) &&
      difference.pointer.test(pointer),
  )
}
