import { existsSync, readFileSync, statSync } from "node:fs"

import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type Scalar,
  visit,
} from "yaml"
import * as z from "zod"

import { messageOf, Failure } from "../base/failure.ts"
import { type Found, type Path, sealedKeys } from "./rules/rule.ts"
import type { Locate } from "./rules/rules.ts"

/** Replaces an encrypted value while a stack file is checked without its key. */
const placeholder = "sealed-until-the-engine-opens-it-0000"

export const Encrypted = z.strictObject({ secure: z.string().min(1) })

/** The keys of a Pulumi stack file. */
export const StackFile = z.strictObject({
  encryptionsalt: z
    .string()
    .optional()
    .meta({ description: "Salt of the passphrase secrets provider" }),
  encryptedkey: z.string().optional(),
  secretsprovider: z
    .string()
    .optional()
    .meta({ description: "What encrypts this stack's secrets" }),
  environment: z
    .union([
      z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
      z.record(z.string(), z.unknown()),
    ])
    .optional()
    .meta({ description: "Environments of Pulumi ESC whose values join the configuration" }),
  config: z.record(z.string(), z.unknown()),
})

const Config = StackFile.pick({ config: true }).loose()

/** A stack file as text, before its values are interpreted. */
export type StackSource = {
  /** Problems other than invalid values in `config`. */
  broken: Found[]
  file: z.infer<typeof StackFile>
  /** Ciphertexts by path, such as `accounts:secrets.AUTH_SECRET`. */
  seals: Record<string, string>
  unsealed: Path[]
  locate: Locate
}

/** @param change edits the text before it is parsed, such as to insert a branch name into a template */
export function readSource(
  path: string,
  change: (text: string) => string = (text) => text,
): StackSource {
  if (!existsSync(path)) return brokenSource([{ path: [], reason: "does not exist" }])
  if (statSync(path).isDirectory()) return brokenSource([{ path: [], reason: "is a folder" }])
  const lines = new LineCounter()
  const text = change(readFileSync(path, "utf8"))
  const document = parseDocument(text, { prettyErrors: true, lineCounter: lines })
  const locate: Locate = (at) => {
    const offset = offsetOf(document.contents, at)
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const [malformed] = document.errors
  if (malformed) {
    const reason = `is no YAML: ${malformed.message.split("\n")[0] ?? ""}`
    const { line, col } = lines.linePos(malformed.pos[0])
    return { ...brokenSource([{ path: [], reason }]), locate: () => ({ line, column: col }) }
  }
  const parsed = valueOf(document)
  if ("reason" in parsed) return { ...brokenSource([{ path: [], reason: parsed.reason }]), locate }
  const { data, error } = StackFile.safeParse(parsed.value)
  // A problem at the top level does not prevent reading the rest.
  const file = data ?? { config: Config.safeParse(parsed.value).data?.config ?? {} }
  const broken = [...(error?.issues.flatMap(describeTop) ?? []), ...hiddenIn(text, document, lines)]
  const seals = sealsIn(file.config, [])
  return { broken, file, seals, unsealed: unsealedIn(file), locate }
}

/** Converts a document to its value. An alias may be undefined, circular or too large to expand. */
function valueOf(document: Document): { value: unknown } | { reason: string } {
  try {
    const value: unknown = document.toJS()
    return isTree(value, []) ? { value } : { reason: "has an alias to what holds it" }
  } catch (error) {
    return { reason: `is no YAML: ${messageOf(error)}` }
  }
}

function isTree(value: unknown, above: unknown[]): boolean {
  if (value === null || typeof value !== "object") return true
  if (above.includes(value)) return false
  return Object.values(value).every((inner) => isTree(inner, [...above, value]))
}

function brokenSource(broken: Found[]): StackSource {
  return { broken, file: { config: {} }, seals: {}, unsealed: [], locate: () => undefined }
}

function describeTop(issue: z.core.$ZodIssue): Found[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [key], reason: "is no key of a stack file" }))
  }
  const [key] = issue.path.map(String)
  return [{ path: key === undefined ? [] : [key], reason: `is not valid: ${issue.message}` }]
}

/** Replaces each encrypted value with the placeholder. */
export function replaceEncrypted(value: unknown): unknown {
  if (Encrypted.safeParse(value).success) return placeholder
  if (Array.isArray(value)) return value.map(replaceEncrypted)
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, replaceEncrypted(inner)]),
    )
  }
  return value
}

/**
 * Normalizes base64. The engine accepts several spellings of the same bytes, because it ignores some bits
 * of the last character before `=`.
 */
function spelledOnce(seal: string): string {
  const parts = seal.split(":")
  return parts
    .map((part) => (/^v\d$/.test(part) ? part : Buffer.from(part, "base64").toString("base64")))
    .join(":")
}

function sealsIn(value: unknown, path: string[]): Record<string, string> {
  const { data } = Encrypted.safeParse(value)
  if (data) return { [path.join(".")]: spelledOnce(data.secure) }
  if (value === null || typeof value !== "object") return {}
  const inner = Object.entries(value).map(([key, child]) => sealsIn(child, [...path, key]))
  return Object.assign({}, ...inner)
}

/**
 * Matches invisible characters except the tab. The engine ends a line, and so a comment, at some of them.
 */
const invisible = /[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\t]/u

/** Finds invisible characters, and YAML that the engine reads differently. */
function hiddenIn(text: string, document: Document, lines: LineCounter): Found[] {
  const characters = text
    .slice(1)
    .split(/\r?\n/)
    .flatMap((line, index) => {
      const [match] = invisible.exec(line) ?? []
      const code = match?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")
      return code === undefined
        ? []
        : [`holds the invisible character U+${code} on line ${index + 1}`]
    })
  const nodes: string[] = []
  if (document.directives?.yaml.explicit) nodes.push("has a directive %YAML")
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === "__proto__") nodes.push("has a key __proto__")
    },
    Value(_, node) {
      const { line } = lines.linePos(node.range?.[0] ?? 0)
      if (node.tag !== undefined) nodes.push(`has a tag on line ${line}`)
      if (isScalar(node) && isNumberOfItsOwn(node)) {
        nodes.push(
          `has a number on line ${line} that the engine may read as another: ${node.source}`,
        )
      }
    },
  })
  return [...characters, ...nodes].map((reason) => ({ path: [], reason }))
}

/** Whether the engine may read another number: 010 is ten in YAML 1.2, but eight to the engine. */
function isNumberOfItsOwn({ value, source = "" }: Scalar): boolean {
  if (typeof value !== "number") return false
  const isJson = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(source)
  return !isJson || Math.abs(value) > Number.MAX_SAFE_INTEGER
}

function unsealedIn({ config, encryptionsalt, encryptedkey }: StackSource["file"]): Path[] {
  // Pulumi's other secrets providers have other ciphertext formats.
  const isKnown = encryptionsalt !== undefined || encryptedkey !== undefined
  const isSealed = (value: unknown) => {
    const { data } = Encrypted.safeParse(value)
    return data !== undefined && (!isKnown || ciphertext.test(data.secure))
  }
  const paths = [...sealedKeys].flatMap((key) => {
    const values = z.record(z.string(), z.unknown()).safeParse(config[key]).data ?? {}
    return Object.entries(values)
      .filter(([, value]) => !isSealed(value))
      .map(([name]): Path => [key, name])
  })
  const clearEntries = Object.entries(config).filter(([key, value]) => isSecretInClear(key, value))
  return [...paths, ...clearEntries.map(([key]): Path => [key])]
}

/** Version, nonce and ciphertext: sdk/go/common/resource/config/crypt.go of Pulumi. */
const ciphertext = /^v1:[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$/

/** Names of secrets in the settings of other providers, such as `aws:secretKey`. */
const secretName =
  /(?:secret|token|password|passphrase|credentials|(?:secret|private|api|access)_?key)$/i

/** Whether another namespace's setting is a secret in plain text. */
function isSecretInClear(key: string, value: unknown): boolean {
  return !/^(?:accounts|cloudflare):/.test(key) && secretName.test(key) && typeof value === "string"
}

/** Returns the offset of a key or entry; if it is missing, the offset of its nearest parent. */
function offsetOf(contents: ParsedNode | null, path: Path): number {
  let node: Node | null | undefined = childOf(contents, "config")?.value ?? contents
  let offset = childOf(contents, "config")?.offset ?? 0
  const [top = ""] = path
  const atTop = childOf(node, top) ? undefined : childOf(contents, top)
  if (atTop) return atTop.offset
  for (const part of path) {
    const child = childOf(node, part)
    if (child === undefined) break
    offset = child.offset
    node = child.value
  }
  return offset
}

function childOf(
  node: Node | null | undefined,
  part: string | number,
): { offset: number; value: Node | null } | undefined {
  if (isSeq<Node>(node)) {
    const item = node.items[Number(part)]
    return item && { offset: item.range?.[0] ?? 0, value: item }
  }
  if (!isMap<Node, Node | null>(node)) return undefined
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
  return pair && { offset: pair.key.range?.[0] ?? 0, value: pair.value }
}

/**
 * Returns the text of a file; undefined if it does not exist.
 * @throws Failure COMMAND_FAILED if the path is a folder
 */
export function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (statSync(path).isDirectory()) throw new Failure("COMMAND_FAILED", `${path} is a folder.`)
  return readFileSync(path, "utf8")
}
