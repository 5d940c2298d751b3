const wrangler = "wrangler 4.156.2"

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
  { route: /^GET \/accounts\/\{\}\/workers\/scripts\/\{\}\/references$/, client: wrangler },
  { route: /^GET \/accounts\/\{\}\/workers\/tails\/by-consumer\/\{\}$/, client: wrangler },
  { route: /^(?:GET|DELETE) \/accounts\/\{\}\/workers\/services\/\{\}$/, client: wrangler },
  { route: /^PUT \/accounts\/\{\}\/workers\/scripts\/\{\}\/routes$/, client: wrangler },
  {
    route: /^POST \/accounts\/\{\}\/workers\/scripts\/\{\}\/domains\/changeset$/,
    client: wrangler,
  },
  { route: /^PUT \/accounts\/\{\}\/workers\/scripts\/\{\}\/domains\/records$/, client: wrangler },
  { route: /^POST \/graphql$/, client: wrangler },
]
