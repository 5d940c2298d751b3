import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

import type { LiveVersion } from "./routing-table.ts"

/**
 * Which version of a deployment answers: the one that the caller overrides to, else by the caller's
 * key, the same every time, else by chance. Undefined when no version has a share.
 */
export function chooseVersion({ script, versions, headers, random = Math.random }: Choice) {
  const wanted = overrides(single(headers["cloudflare-workers-version-overrides"])).get(script)
  const override = versions.find(({ versionId }) => versionId === wanted)
  if (override) return override.versionId

  const key = single(headers["cloudflare-workers-version-key"])
  return atPoint(versions, key === "" ? random() : pointOf(script, key))
}

type Choice = {
  script: string
  versions: LiveVersion[]
  headers: IncomingHttpHeaders
  /** From 0 up to 1. */
  random?: () => number
}

/**
 * In the order of ids, so that a share that grows keeps the keys it had, whatever order the
 * deployment lists its versions in.
 */
function atPoint(versions: LiveVersion[], point: number): string | undefined {
  const shares = versions
    .filter(({ percentage }) => percentage > 0)
    .toSorted((a, b) => (a.versionId < b.versionId ? -1 : 1))
  const total = shares.reduce((sum, { percentage }) => sum + percentage, 0)
  let passed = 0
  return shares.find(({ percentage }) => (passed += percentage) > point * total)?.versionId
}

/** A number from 0 up to 1, evenly spread over keys. */
function pointOf(script: string, key: string): number {
  return createHash("sha256").update(`${script}\0${key}`).digest().readUInt32BE() / 2 ** 32
}

/**
 * A dictionary of strings, RFC 9651: `my-worker="id", other="id"`. Parameters mean nothing here;
 * a header that is no such dictionary counts as empty.
 */
function overrides(header: string): Map<string, string> {
  const found = new Map<string, string>()
  const member = /[ \t]*([a-z*][a-z0-9_.*-]*)="((?:[^"\\]|\\["\\])*)"(?:;[^,"]*)?[ \t]*(?:,|$)/y
  while (member.lastIndex < header.length) {
    const [, script = "", versionId = ""] = member.exec(header) ?? []
    if (script === "") return new Map()
    found.set(script, versionId)
  }
  return found
}

function single(header: string | string[] | undefined): string {
  return [header ?? ""].flat().join(", ")
}
