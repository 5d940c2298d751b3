import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

import type { LiveVersion } from "./routing-table.ts"

/**
 * Chooses the version that answers: the one in the caller's override header, else always the same one
 * for the same version key, else a random one by percentage. Undefined when no version has a share.
 */
export function chooseVersion({ script, versions, headers, random = Math.random }: Choice) {
  const wanted = parseOverrides(joinHeader(headers["cloudflare-workers-version-overrides"])).get(
    script,
  )
  const override = versions.find(({ versionId }) => versionId === wanted)
  if (override) return override.versionId

  const key = joinHeader(headers["cloudflare-workers-version-key"])
  return versionAt(versions, key === "" ? random() : pointOf(script, key))
}

type Choice = {
  script: string
  versions: LiveVersion[]
  headers: IncomingHttpHeaders
  /** Returns a number in [0, 1). */
  random?: () => number
}

/**
 * Sorts versions by id, so that a growing share keeps its keys in whatever order the deployment lists
 * them.
 */
function versionAt(versions: LiveVersion[], point: number): string | undefined {
  const shares = versions
    .filter(({ percentage }) => percentage > 0)
    .toSorted((a, b) => (a.versionId < b.versionId ? -1 : 1))
  const total = shares.reduce((sum, { percentage }) => sum + percentage, 0)
  let passed = 0
  return shares.find(({ percentage }) => (passed += percentage) > point * total)?.versionId
}

/** A number in [0, 1), evenly distributed over keys. */
function pointOf(script: string, key: string): number {
  return createHash("sha256").update(`${script}\0${key}`).digest().readUInt32BE() / 2 ** 32
}

/**
 * Parses a dictionary of strings (RFC 9651): `my-worker="id", other="id"`. Ignores parameters; a
 * malformed header counts as empty.
 */
function parseOverrides(header: string): Map<string, string> {
  const found = new Map<string, string>()
  const member = /[ \t]*([a-z*][a-z0-9_.*-]*)="((?:[^"\\]|\\["\\])*)"(?:;[^,"]*)?[ \t]*(?:,|$)/y
  while (member.lastIndex < header.length) {
    const [, script = "", versionId = ""] = member.exec(header) ?? []
    if (script === "") return new Map()
    found.set(script, versionId)
  }
  return found
}

function joinHeader(header: string | string[] | undefined): string {
  return [header ?? ""].flat().join(", ")
}
