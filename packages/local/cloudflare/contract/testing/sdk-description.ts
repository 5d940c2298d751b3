import { createHash } from "node:crypto"
import { globSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import ts from "typescript"

import { writeAtomically } from "../../../daemon/state-folder.ts"
import {
  ApiDescription,
  type Operation,
  type Schema,
  failureEnvelope,
  responseInfo,
  withoutParameterNames,
} from "./api-description.ts"
import { type SdkMethod, sdkMethods } from "./sdk-methods.ts"
import { createTypeSchemas } from "./type-schema.ts"

const modules = join(import.meta.dirname, "../../../../../node_modules")
const sdk = join(modules, "cloudflare")
const name = "sdk"

/** The SDK's resources that the local Cloudflare implements at least in part. */
const resources = [
  "accounts/accounts.ts",
  "accounts/tokens/tokens.ts",
  "bot-management/bot-management.ts",
  "d1/**/*.ts",
  "dns/records.ts",
  "kv/**/*.ts",
  "memberships/*.ts",
  "user/user.ts",
  "user/tokens/tokens.ts",
  "workers/**/*.ts",
  "zones/settings.ts",
  "zones/zones.ts",
]

/** Generated from the pinned npm package `cloudflare`, once per version. */
export function describeSdk(): ApiDescription {
  const generator = [
    "sdk-description.ts",
    "sdk-methods.ts",
    "type-schema.ts",
    "api-description.ts",
  ].map((file) => readFileSync(join(import.meta.dirname, file)))
  const version = readFileSync(join(sdk, "package.json"))
  const hash = createHash("sha256").update(Buffer.concat([version, ...generator]))
  const cache = join(modules, ".cache", "accounts")
  const file = join(cache, `cloudflare-sdk-${hash.digest("hex").slice(0, 16)}.json`)
  try {
    return ApiDescription.parse(JSON.parse(readFileSync(file, "utf8")))
  } catch {
    const description = generate()
    mkdirSync(cache, { recursive: true })
    writeAtomically(file, JSON.stringify(description))
    return description
  }
}

function generate(): ApiDescription {
  const files = globSync(resources, { cwd: join(sdk, "src/resources") })
    .toSorted()
    .map((file) => join(sdk, "src/resources", file))
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  })
  const checker = program.getTypeChecker()
  const { schemaOf, definitions } = createTypeSchemas(checker, name)
  const sources = files.flatMap((file) => program.getSourceFile(file) ?? [])
  const methods = sources.flatMap((source) => sdkMethods(source, checker))

  function operation(call: SdkMethod): Operation {
    return {
      method: call.method,
      path: withoutParameterNames(call.path),
      query: call.query ? schemaOf(call.query) : noQuery,
      request: call.body ? schemaOf(call.body) : null,
      response: response(call),
      failures: { "4XX": failureEnvelope },
    }
  }

  function response({ result, page, unwrapped }: SdkMethod): Schema | null {
    const schema = schemaOf(result)
    if (page !== undefined) return envelope(paged(page, schema), { result_info: pageInfo })
    if (unwrapped) return envelope(schema)
    // Scripts and KV values are returned as they are, everything else in the envelope.
    return schema["type"] === "string" || binary.test(checker.typeToString(result)) ? null : schema
  }

  return { name, operations: methods.map(operation), definitions }
}

const binary = /^Response$/
const noQuery = { type: "object", additionalProperties: false }

/** The shapes of the SDK's `core/pagination.ts`. */
function paged(page: string, item: Schema): Schema {
  const items = { type: "array", items: item }
  if (page !== "V4PagePagination") return items
  return { type: "object", properties: { items }, additionalProperties: false }
}

const count = { type: "integer" }
const pageInfo = {
  type: "object",
  properties: { page: count, per_page: count, count, total_count: count, total_pages: count },
  additionalProperties: false,
}

/** The SDK's types lack the envelope; its messages are `ResponseInfo` of `shared.ts`. */
function envelope(result: Schema, extraProperties: Schema = {}): Schema {
  return {
    type: "object",
    properties: {
      success: { const: true },
      errors: { type: "array", maxItems: 0 },
      messages: { type: "array", items: responseInfo },
      result,
      ...extraProperties,
    },
    required: ["success", "errors", "messages", "result"],
    additionalProperties: false,
  }
}
