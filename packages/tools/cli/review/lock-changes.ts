import * as z from "zod"

import { parseJson } from "../../deploy/api.ts"

const texts = { version: z.string(), name: z.string(), resolved: z.string(), integrity: z.string() }
const flags = { hasInstallScript: z.boolean(), inBundle: z.boolean(), link: z.boolean() }
const Dependencies = z.record(z.string(), z.string())
const groups = { dependencies: Dependencies, devDependencies: Dependencies }
const Package = z.object({ ...texts, ...flags, ...groups }).partial()
type Package = z.infer<typeof Package>

const Lock = z.object({ packages: z.record(z.string(), Package) })

export type LockChanges = {
  /** Changed packages, such as `zod 4.6.6 → 4.6.7`. */
  changed: string[]
  /** Suspicious changes, which no new version of a package needs. */
  doubts: string[]
  /** Packages that now run an install script and did not before. */
  scripts: string[]
}

/** @param manifest text of the `package.json` in a folder of the branch */
export function lockChanges(
  before: string | undefined,
  after: string | undefined,
  manifest: (folder: string) => string | undefined = () => undefined,
): LockChanges {
  const beside = disagreements(parse(after) ?? {}, manifest)
  if (before === after) return { changed: beside.changed, doubts: beside.doubts, scripts: [] }
  const [old = {}, now] = [parse(before), parse(after)]
  if (now === undefined) return { changed: [], doubts: ["it cannot be read"], scripts: [] }
  const sources = Object.values(old).map(({ resolved = "" }) => sourceOf(resolved))
  const knownSources = new Set([registry, ...sources])
  const changedPackages = Object.keys({ ...old, ...now }).flatMap((path) => {
    const [oldPackage, is] = [old[path], now[path]]
    if (path === "" || JSON.stringify(oldPackage) === JSON.stringify(is)) return []
    return [
      {
        path,
        was: oldPackage,
        is,
        doubts:
          is === undefined ? [] : doubtsOf({ path, before: oldPackage, after: is, knownSources }),
      },
    ]
  })
  return {
    changed: changedPackages.map(
      ({ path, was, is }) => `${path} ${was?.version ?? "none"} → ${is?.version ?? "none"}`,
    ),
    doubts: [
      ...changedPackages.flatMap(({ path, doubts }) => doubts.map((doubt) => `${path} ${doubt}`)),
      ...beside.doubts,
    ],
    scripts: changedPackages
      .filter(({ was, is }) => is?.hasInstallScript && !was?.hasInstallScript)
      .map(({ path }) => path),
  }
}

const Manifest = z.object(groups).partial()

/** Finds dependencies of a `package.json` that the lockfile lacks: `npm ci` rejects the two together. */
function disagreements(
  packages: Record<string, Package>,
  manifest: (folder: string) => string | undefined,
): Pick<LockChanges, "changed" | "doubts"> {
  const changed: string[] = []
  const doubts: string[] = []
  for (const [folder, locked] of Object.entries(packages)) {
    const { data } = Manifest.safeParse(parseJson(manifest(folder) ?? ""))
    if (folder.includes("node_modules/") || data === undefined) continue
    const requested = { ...data.devDependencies, ...data.dependencies }
    const lockedVersions = { ...locked.devDependencies, ...locked.dependencies }
    const file = folder === "" ? "package.json" : `${folder}/package.json`
    for (const name of new Set([...Object.keys(requested), ...Object.keys(lockedVersions)])) {
      if (requested[name] === lockedVersions[name]) continue
      changed.push(`${name} ${lockedVersions[name] ?? "none"} → ${requested[name] ?? "none"}`)
      doubts.push(`package-lock.json does not agree with ${file} about ${name}: npm install`)
    }
  }
  return { changed, doubts }
}

/** npm writes this registry into a lockfile, even if it used another registry. */
const registry = "https://registry.npmjs.org"

type Changed = {
  path: string
  before: Package | undefined
  after: Package
  knownSources: Set<string>
}

function doubtsOf({ path, before, after, knownSources }: Changed): string[] {
  const { resolved, integrity, version } = after
  const name = after.name ?? path.replace(/^.*node_modules\//, "")
  // A bundled dependency is part of another package's archive.
  const isInArchive =
    after.inBundle && resolved === undefined && /node_modules\/.+node_modules\//.test(path)
  if (!path.includes("node_modules/") || isInArchive) return []
  if (after.link) return before?.resolved === resolved ? [] : [`is the folder ${resolved}`]
  // If `resolved` is missing, npm asks its registry for the name.
  const isUnknownSource = resolved !== undefined && !knownSources.has(sourceOf(resolved))
  return [
    ...(isUnknownSource ? [`comes from ${sourceOf(resolved)}`] : []),
    ...(isArchiveOf(name, resolved) ? [] : ["comes from an archive of another name"]),
    ...(after.name === before?.name ? [] : [`is the package ${name}`]),
    ...(integrity === undefined ? ["has no checksum"] : []),
    ...(before?.version === version && before?.integrity !== integrity
      ? [`${version} has another checksum than before`]
      : []),
  ]
}

/**
 * Whether a URL is an archive of the package: `<registry>/<name>/-/<name>-…`, where the file name may lack the
 * scope, or GitHub's form. Another scope before the name, even an encoded one, names another package.
 */
export function isArchiveOf(name: string, resolved: string | undefined): boolean {
  if (resolved === undefined) return true
  const { pathname = "", search = "", hash = "" } = URL.parse(resolved) ?? {}
  if (search + hash !== "" || pathname.includes("%")) return false
  const [before = "", file = ""] = pathname.split(`/${name}/-/`)
  const isNamed = [name, name.replace(/^.*\//, "")].some((archiveName) =>
    file.startsWith(`${archiveName}-`),
  )
  return pathname.startsWith(`/download/${name}/`) || (isNamed && !/\/@[^/]*$/.test(before))
}

/** Returns protocol and host, without the path and credentials. */
function sourceOf(resolved: string): string {
  return URL.canParse(resolved)
    ? `${new URL(resolved).protocol}//${new URL(resolved).host}`
    : resolved
}

function parse(text: string | undefined): Record<string, Package> | undefined {
  return Lock.safeParse(parseJson(text ?? "")).data?.packages
}
