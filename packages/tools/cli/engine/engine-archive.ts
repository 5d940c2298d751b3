import { engineVersion } from "./pinned-versions.ts"

/** One file of a release, and what it must be. */
export type EngineArchive = { name: string; sha256: string }

/** Where Pulumi publishes the engine. */
export const engineSite = new URL(
  `https://github.com/pulumi/pulumi/releases/download/v${engineVersion}/`,
)

/** Of 3.259.0, as Pulumi's own Homebrew formula has them: pulumi/homebrew-tap 51fb494, Formula/pulumi.rb. */
const checksums: Record<string, string> = {
  "darwin-arm64": "57c27f179e527e2cf9f62b841a448af72a020e44b2fb4ee0d9bd85556c00c864",
  "darwin-x64": "eaca4c3b8277bfa3ab061fa3b270d1c66358a0b2e613da8c5587a04b7226c534",
  "linux-arm64": "edc8327463a72160bb36cf82cf5062da9c8a244290a706d9980988e7bf486853",
  "linux-x64": "94ba357acac23d01474084c4b00098dc0f7bc70ce13f34c777459254a5f718e5",
}
export const checksumsOf = "3.259.0"

/** Undefined on a machine for which no checksum is pinned: nothing is downloaded there. */
export function engineArchive(
  machine = `${process.platform}-${process.arch}`,
): EngineArchive | undefined {
  const sha256 = checksums[machine]
  if (sha256 === undefined) return undefined
  return { name: `pulumi-v${engineVersion}-${machine}.tar.gz`, sha256 }
}
