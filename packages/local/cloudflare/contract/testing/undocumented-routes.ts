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
]
