import { type SemVer, satisfies } from "semver"

/** The one pin of Pulumi's engine: the version that is downloaded or built. package.json and go/go.mod follow it. */
export const engineVersion = "3.259.0"

/** The plugin that the pinned `@pulumi/cloudflare` asks the engine for. */
export const providerVersion = "6.22.1"

/** An engine that is already there may be newer, within the same major. */
export function acceptable(version: SemVer) {
  return satisfies(version, `^${engineVersion}`, { includePrerelease: true })
}
