import type { Violation } from "./contract-check.ts"

type KnownDifference = {
  /** Name of the description; every description when absent. */
  source?: string
  operation: RegExp
  place: Violation["place"]
  pointer: RegExp
  evidence: string
}

const wrangler = "wrangler 4.156.2"

export const knownDifferences: KnownDifference[] = [
  {
    operation: /^GET .*\/workers\/services\/\{\}$/,
    place: "route",
    pointer: /^$/,
    evidence: `${wrangler} \`versions deploy\` asks for it at the end, and goes on without`,
  },
  {
    source: "openapi",
    operation: /^POST .*\/deployments$/,
    place: "request",
    pointer: /^\/versions\/\*\/percentage$/,
    evidence: `${wrangler} \`versions deploy\` sends 0 for a version that gets no traffic`,
  },
  {
    source: "openapi",
    operation: /^(?:GET|POST) .*\/deployments$/,
    place: "response",
    pointer: /\/versions\/\*\/percentage$/,
    evidence: "a version accepted at 0 % is returned at 0 %",
  },
  {
    source: "sdk",
    operation: /^GET .*\/scripts\/\{\}\/deployments$/,
    place: "response",
    pointer: /^\/result\/deployments$/,
    evidence: `the SDK pages by \`items\`; the OpenAPI document and ${wrangler} have \`deployments\``,
  },
  {
    source: "openapi",
    operation: /^GET .*\/scripts\/\{\}\/deployments$/,
    place: "query",
    pointer: /^\/(?:page|per_page)$/,
    evidence: "the SDK has both parameters",
  },
  {
    operation: /^GET .*\/d1\/database\/\{\}$/,
    place: "response",
    pointer: /^\/result\/running_in_region$/,
    evidence: "the parameter `fields` of the same operation names it, in both descriptions",
  },
  {
    operation: /^POST .*\/d1\/database$/,
    place: "response",
    pointer: /^\/result\/created_in_region$/,
    evidence: `${wrangler} \`d1 create\` prints it`,
  },
  {
    operation: /^POST .*\/d1\/database\/\{\}\/(?:query|raw|import)$/,
    place: "response",
    pointer: /\/meta\/(?:served_by|total_attempts)$/,
    evidence: "`wrangler d1 execute --remote --json` prints both as Cloudflare sent them",
  },
  {
    operation: /^GET .*\/d1\/database\/\{\}$/,
    place: "query",
    pointer: /^\/fields\/\*$/,
    evidence: `${wrangler} sends the names in one parameter, separated by commas`,
  },
  {
    operation: /^PUT .*\/d1\/database\/\{\}$/,
    place: "request",
    pointer: /^\/(?:name|jurisdiction|primary_location_hint)$/,
    evidence: "Cloudflare's Terraform provider 5 sends the whole resource with an update",
  },
  {
    operation: /^POST .*\/d1\/database\/\{\}\/import$/,
    place: "response",
    pointer: /^\/result\/errors$/,
    evidence: `${wrangler} \`d1 execute --file\` prints them`,
  },
  {
    operation: /^POST .*\/d1\/database\/\{\}\/import$/,
    place: "response",
    pointer: /^\/result\/status$/,
    evidence: "the OpenAPI document has `active` in its answer 202, which a running import gets",
  },
  {
    operation: /^(?:POST|PUT) .*\/workers\/routes(?:\/\{\})?$/,
    place: "request",
    pointer: /^\/script$/,
    evidence: "Cloudflare's Terraform provider 5 sends null for an unset attribute",
  },
  {
    operation: /^GET .*\/scripts\/\{\}\/versions(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/result\/(?:items\/\*\/)?annotations$/,
    evidence: `${wrangler} \`versions list\` and \`versions view\` print message and tag from it`,
  },
  {
    source: "sdk",
    operation: /^GET .*\/scripts\/\{\}\/versions(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/result\/resources\/bindings$/,
    evidence: `${wrangler} filters it as an array; the OpenAPI document has an array`,
  },
  {
    source: "openapi",
    operation: /^GET .*\/scripts\/\{\}\/versions$/,
    place: "response",
    pointer: /^\/result_info$/,
    evidence: "the SDK pages by it",
  },
  {
    operation: /^POST .*\/scripts\/\{\}\/deployments$/,
    place: "request",
    pointer: /^\/code_update_strategy$/,
    evidence: `${wrangler} \`versions deploy\` sends it with every deployment`,
  },
  {
    source: "sdk",
    operation: /^GET \/zones$/,
    place: "query",
    pointer: /^\/account\.(?:id|name)$/,
    evidence: "the SDK takes `account: { id }` and sends it as `account.id`",
  },
  {
    source: "openapi",
    operation: /^(?:POST|PUT) .*\/workers\/workers(?:\/\{\})?$/,
    place: "request",
    pointer: /^\/(?:logpush|observability|subdomain|tags|tail_consumers)$/,
    evidence: "the operation itself requires only `name`, and so does the SDK",
  },
  {
    operation: /^PATCH .*\/workers\/workers\/\{\}$/,
    place: "request",
    pointer: /^\/(?:name|logpush|subdomain|tail_consumers|observability|tags)$/,
    evidence: "the operation's own text: omitted properties are not changed",
  },
  {
    source: "openapi",
    operation: /^PATCH .*\/workers\/workers\/\{\}\/versions\/latest$/,
    place: "request",
    pointer: /^\/env$/,
    evidence: `${wrangler} \`versions secret put\` sends the secret in it`,
  },
  {
    source: "openapi",
    operation: /^(?:GET|POST|PATCH) .*\/workers\/workers\/\{\}\/versions(?:\/\{\}|\/latest)?$/,
    place: "response",
    pointer: /^\/result\/(?:\*\/)?author_(?:id|email)$/,
    evidence: "the SDK has both",
  },
  {
    source: "openapi",
    operation: /^PUT .*\/workers\/domains$/,
    place: "request",
    pointer: /^\/zone_(?:id|name)$/,
    evidence: "the operation itself requires neither, nor does the SDK",
  },
  {
    operation: /^PUT .*\/workers\/domains$/,
    place: "request",
    pointer: /^\/(?:override_existing_(?:origin|dns_record)|environment)$/,
    evidence:
      "errors 100116 and 100117 name the options; Alchemy 0.94 sends the other, in OpenAPI deprecated",
  },
  {
    source: "sdk",
    operation: /^GET \/zones\/\{\}\/dns_records$/,
    place: "query",
    pointer: /^\/name\.exact$/,
    evidence: "the SDK takes `name: { exact }` and sends it as `name.exact`",
  },
  {
    source: "sdk",
    operation: /^(?:GET|POST) .*\/dns_records$/,
    place: "response",
    pointer: /^\/result\/(?:\*\/)?(?:comment|meta\/(?:origin_worker_id|read_only))$/,
    evidence:
      "a record without a comment has null; deploy logs quote the metadata of a custom domain's record",
  },
  {
    source: "openapi",
    operation: /^(?:GET|POST) .*\/dns_records$/,
    place: "response",
    pointer: /^\/result(?:\/|$)/,
    evidence: "the description requires `data` of every record, and of failures a whole record",
  },
  {
    source: "openapi",
    operation: /^DELETE .*\/dns_records\/\{\}$/,
    place: "response",
    pointer: /^\/(?:success|errors|messages|result)$/,
    evidence: "the description omits the envelope of all other answers",
  },
  {
    source: "openapi",
    operation: /^(?:POST|PUT|PATCH) .*\/workers\/workers(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/errors\/\*\/(?:code|meta)$/,
    evidence: `the description has one code, of another failure; terraform-provider-cloudflare#7192 shows 100342`,
  },
  {
    source: "openapi",
    operation: /^GET .*\/scripts\/\{\}\/versions(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/result$/,
    evidence: "the description requires a version of failures too, which have null elsewhere",
  },
]
