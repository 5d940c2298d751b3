import { type SemVer, satisfies } from "semver"

/** The engine that is downloaded or built. package.json and go/go.mod pin the same version. */
export const engineVersion = "3.259.0"

/** The provider plugin that the pinned `@pulumi/cloudflare` requires. */
export const providerVersion = "6.22.1"

/** An installed engine may be newer, within the same major version. */
export function isAcceptable(version: SemVer) {
  return satisfies(version, `^${engineVersion}`, { includePrerelease: true })
}
