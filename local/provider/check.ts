import { statSync } from "node:fs"

import { contentPath } from "./module-content.ts"
import { childPath, isValues, unknownValue, type Value, type Values } from "./property-value.ts"
import { type Fields, type Property, settable } from "./property.ts"

export type CheckFailure = { property: string; reason: string }

export function check(fields: Fields, inputs: Values): CheckFailure[] {
  return [...checkFields(fields, inputs, ""), ...checkContent(inputs)]
}

export function checkFields(fields: Fields, inputs: Values, path: string): CheckFailure[] {
  const failures: CheckFailure[] = []
  for (const name of Object.keys(inputs)) {
    const property = fields[name]
    if (inputs[name] === undefined || (property && settable(property))) continue
    failures.push({
      property: childPath(path, name),
      reason: property
        ? "is set by Cloudflare; remove it"
        : `is unknown; known properties: ${settableNames(fields).join(", ")}`,
    })
  }
  for (const [name, property] of Object.entries(fields)) {
    const value = inputs[name]
    const place = childPath(path, name)
    if (value !== undefined && settable(property)) {
      failures.push(...checkValue(property, value, place))
    }
    if (value === undefined && property.presence === "required") {
      failures.push({ property: place, reason: "is required; add it" })
    }
  }
  return failures
}

function checkValue(property: Property, value: Value, path: string): CheckFailure[] {
  if (value === unknownValue) return []
  if (property.kind === "object" && isValues(value)) {
    return checkFields(property.fields, value, path)
  }
  if (property.kind === "map" && isValues(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : checkValue(property.item, item, childPath(path, key)),
    )
  }
  if ((property.kind === "list" || property.kind === "set") && Array.isArray(value)) {
    return value.flatMap((item, index) => checkValue(property.item, item, childPath(path, index)))
  }
  if (!fits(property.kind, value)) {
    return [{ property: path, reason: `must be ${expected[property.kind]}` }]
  }
  return checkChoice(property, value, path)
}

function fits(kind: Property["kind"], value: Value): boolean {
  if (kind === "json") return typeof value === "string" && isJson(value)
  return kind === "any" || typeof value === kind
}

const expected = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  json: "a string that holds JSON",
  list: "a list",
  set: "a list",
  map: "an object",
  object: "an object",
  any: "a value",
} as const

function checkChoice({ oneOf }: Property, value: Value, path: string): CheckFailure[] {
  if (!oneOf || typeof value !== "string" || oneOf.includes(value.toLowerCase())) return []
  return [{ property: path, reason: `must be one of ${oneOf.join(", ")}, not "${value}"` }]
}

/** Every module needs exactly one source of content, and its file must exist. */
function checkContent({ modules, assets }: Values): CheckFailure[] {
  const failures: CheckFailure[] = []
  if (isValues(assets) && assets.directory !== undefined) {
    failures.push({
      property: "assets.directory",
      reason: "is not supported by the stand-in; pass `assets.jwt`, or bundle the files as modules",
    })
  }
  if (!Array.isArray(modules)) return failures
  for (const [index, module] of modules.entries()) {
    if (!isValues(module)) continue
    const path = childPath("modules", index)
    const sources = [module.contentFile, module.contentBase64].filter((it) => it !== undefined)
    if (sources.length !== 1) {
      failures.push({ property: path, reason: "needs either contentFile or contentBase64" })
    }
    if (typeof module.contentFile !== "string" || isFile(module.contentFile)) continue
    failures.push({
      property: `${path}.contentFile`,
      reason: `file ${contentPath(module.contentFile)} does not exist; build it first, or correct the path`,
    })
  }
  return failures
}

function isFile(file: string): boolean {
  return statSync(contentPath(file), { throwIfNoEntry: false })?.isFile() ?? false
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function settableNames(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => {
    const property = fields[name]
    return property !== undefined && settable(property)
  })
}
