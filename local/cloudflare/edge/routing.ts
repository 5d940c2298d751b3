/** A version of the live deployment and its share of the traffic, 0 to 100. */
export type LiveVersion = { versionId: string; percentage: number }

/** What the edge has to know of one script. */
export type RoutedScript = {
  /** The live deployment, empty when nothing was ever deployed. Versions at 0 % answer overrides only. */
  versions: readonly LiveVersion[]
  /** Whether `<script>.<subdomain>.workers.dev` answers. */
  workersDev: boolean
  /** Whether `<first 8 hex of a version id>-<script>.<subdomain>.workers.dev` answers. */
  previews: boolean
  /** Ids of every version that a preview URL may name. */
  uploaded: readonly string[]
}

/** A route of a zone; without a script it switches Workers off for what it matches. */
export type Route = { pattern: string; script: string | null }

/** Everything that decides which script answers a request. Plain data: the edge never writes to it. */
export type RoutingTable = {
  /** The account's workers.dev name. */
  subdomain: string
  /** Custom domains, host name in lower case to script. */
  domains: ReadonlyMap<string, string>
  routes: readonly Route[]
  scripts: ReadonlyMap<string, RoutedScript>
}
