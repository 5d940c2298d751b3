import type { Violation } from "./contract.ts"

type Known = {
  /** Of which description; without, of each that has the operation. */
  source?: string
  operation: RegExp
  place: Violation["place"]
  pointer: RegExp
  evidence: string
}

const wrangler = "wrangler 4.156.2"

/** Where the description is wrong or leaves something out, and how that is known. */
export const known: Known[] = [
  {
    source: "openapi",
    operation: /^(?:GET|POST) .*\/deployments(?:\/\{\})?$/,
    place: "request",
    pointer: /^\/versions\/\*\/percentage$/,
    evidence: `${wrangler} \`versions deploy\` sends 0 for a version that gets no traffic`,
  },
  {
    source: "openapi",
    operation: /^(?:GET|POST) .*\/deployments(?:\/\{\})?$/,
    place: "response",
    pointer: /\/versions\/\*\/percentage$/,
    evidence: "what was accepted at 0 % is read back at 0 %",
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
    evidence: "the SDK, which is newer, has both parameters",
  },
  {
    operation: /^(?:GET|PUT|PATCH|POST) .*\/d1\/database(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/result\/running_in_region$/,
    evidence: "the parameter `fields` of the same operation names it",
  },
  {
    operation: /^POST .*\/d1\/database$/,
    place: "response",
    pointer: /^\/result\/created_in_region$/,
    evidence: `${wrangler} \`d1 create\` prints it`,
  },
  {
    operation: /^GET .*\/d1\/database\/\{\}$/,
    place: "query",
    pointer: /^\/fields\/\*$/,
    evidence: `${wrangler} sends the names in one parameter, with commas between`,
  },
  {
    source: "openapi",
    operation: /^GET .*\/d1\/database$/,
    place: "query",
    pointer: /^\/per_page$/,
    evidence: "the SDK states no minimum; no client is known to have been refused",
  },
  {
    operation: /^(?:GET|POST) .*\/scripts\/\{\}\/versions(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/result\/(?:items\/\*\/)?annotations$/,
    evidence: `${wrangler} \`versions list\` and \`versions view\` print message and tag from it`,
  },
  {
    operation: /^(?:GET|POST) .*\/scripts\/\{\}\/versions(?:\/\{\})?$/,
    place: "response",
    pointer: /\/metadata\/has_preview$/,
    evidence: `${wrangler} reads \`has_preview\` where the description has \`hasPreview\``,
  },
  {
    source: "sdk",
    operation: /^(?:GET|POST) .*\/scripts\/\{\}\/versions(?:\/\{\})?$/,
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
    operation: /^(?:POST|PUT) .*\/scripts\/\{\}(?:\/versions)?$/,
    place: "request",
    pointer: /^\/metadata\/bindings\/\*\/database_id$/,
    evidence: `${wrangler} names a database by \`id\`, which the description has for reading`,
  },
  {
    operation: /^POST .*\/scripts\/\{\}\/versions$/,
    place: "request",
    pointer: /^\/metadata\/(?:assets|main_module)$/,
    evidence: `${wrangler} sends assets with a version, and no module where there are only assets`,
  },
  {
    operation: /^(?:POST|PUT) .*\/scripts\/\{\}(?:\/deployments)?$/,
    place: "request",
    pointer: /^(?:\/metadata)?\/code_update_strategy$/,
    evidence: `${wrangler} \`deploy\` sends it with every upload and deployment`,
  },
  {
    operation: /^PUT .*\/scripts\/\{\}$/,
    place: "response",
    pointer: /^\/result\/deployment_id$/,
    evidence: `${wrangler} \`deploy\` takes the version's id from it, without hyphens`,
  },
  {
    operation: /^PUT .*\/scripts\/\{\}$/,
    place: "query",
    pointer: /^\/excludeScript$/,
    evidence: `${wrangler} \`deploy\` sends it, so as not to get the script back`,
  },
  {
    source: "sdk",
    operation: /^GET \/(?:zones|accounts)$/,
    place: "query",
    pointer: /^\/account\.(?:id|name)$/,
    evidence: "the SDK takes `account: { id }` and sends it as `account.id`",
  },
  {
    source: "openapi",
    operation: /^POST .*\/workers\/workers$/,
    place: "request",
    pointer: /^\/(?:logpush|observability|tags|tail_consumers)$/,
    evidence: "the SDK, which is newer, has only `name` required",
  },
  {
    source: "openapi",
    operation: /^(?:GET|POST) .*\/workers\/workers\/\{\}\/versions(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/result\/(?:\*\/)?author_(?:id|email)$/,
    evidence: "the SDK, which is newer, has both",
  },
  {
    operation: /^PATCH .*\/workers\/workers\/\{\}$/,
    place: "request",
    pointer: /^\/(?:name|logpush|subdomain|tail_consumers|observability|tags)$/,
    evidence: "a patch that must name everything would be the put beside it",
  },
  {
    source: "openapi",
    operation: /\/workers\/workers(?:\/\{\})?$/,
    place: "response",
    pointer: /^\/errors\/\*\/code$/,
    evidence: `one code for all refusals, where ${wrangler} tells several apart (10007: no Worker)`,
  },
  {
    operation: /^POST .*\/d1\/database\/\{\}\/import$/,
    place: "response",
    pointer: /^\/result\/errors$/,
    evidence: `${wrangler} \`d1 execute --file\` prints them`,
  },
  {
    operation: /^POST .*\/scripts\/\{\}\/tails$/,
    place: "request",
    pointer: /^$/,
    evidence: `${wrangler} \`tail\` sends its filters`,
  },
  {
    source: "openapi",
    operation: /^PUT .*\/workers\/domains$/,
    place: "request",
    pointer: /^\/zone_(?:id|name)$/,
    evidence: "the SDK, which is newer, has one of them or neither",
  },
]

/** Routes that no description has, and who calls them. */
export const undocumented = [
  { route: /^(?:GET|DELETE) \/accounts\/\{\}\/workers\/services\/\{\}$/, client: wrangler },
  { route: /^PUT \/accounts\/\{\}\/workers\/scripts\/\{\}\/routes$/, client: wrangler },
  {
    route: /^POST \/accounts\/\{\}\/workers\/scripts\/\{\}\/domains\/changeset$/,
    client: wrangler,
  },
  { route: /^PUT \/accounts\/\{\}\/workers\/scripts\/\{\}\/domains\/records$/, client: wrangler },
  { route: /^POST \/graphql$/, client: wrangler },
]

/** The place in a table that explains a violation, if one does. */
export function explanation({ source, operation, place, pointer }: Violation) {
  if (place === "route") return undocumented.find(({ route }) => route.test(operation))
  return known.find(
    (one) =>
      (one.source ?? source) === source &&
      one.place === place &&
      one.operation.test(operation) &&
      one.pointer.test(pointer),
  )
}
