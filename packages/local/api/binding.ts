import * as z from "zod"

import { BindingName, bindingKinds, databaseIdOf } from "../plane/binding.ts"
import type { Binding } from "../plane/plane.ts"
import type { State } from "../state/state.ts"
import { findDatabase } from "./database.ts"
import { ApiError, code, parse } from "./envelope.ts"
import { findVersion, latestVersion } from "./version.ts"
import type { Worker } from "./worker.ts"

/** The bindings of an upload that are validated. The Worker gets any other binding too, but its use fails. */
const accepted = {
  ...bindingKinds,
  inherit: z.strictObject({
    type: z.literal("inherit"),
    name: BindingName,
    old_name: z.string().optional(),
    version_id: z.string().optional(),
  }),
}

const Named = z.looseObject({ type: z.string(), name: BindingName })
const Typed = z.looseObject({ type: z.string(), name: z.string() })
export const Bindings = z.array(Typed)

/** Cloudflare's limits: 5 KB per variable, 128 variables. */
const variableLimit = { bytes: 5 * 1024, count: 128 }

/** Validates the bindings of an upload. Replaces inherited bindings with those in the version that they name. */
export function resolveBindings(
  state: State,
  worker: Pick<Worker, "id">,
  sentBindings: z.infer<typeof Bindings>,
): Binding[] {
  const bindings = sentBindings.map((binding) => inherit(state, worker, checked(binding)))
  const names = bindings.map((binding) => binding.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`binding ${twice} is declared twice`)
  if (bindings.length > variableLimit.count) {
    throw invalid(`${bindings.length} bindings; the limit is ${variableLimit.count}`)
  }
  for (const binding of bindings) checkValue(state, binding)
  return bindings
}

function checked(binding: z.infer<typeof Typed>): Binding {
  const schema = new Map<string, z.ZodType<Binding>>(Object.entries(accepted)).get(binding.type)
  return schema === undefined ? parse(Named, binding) : parse(schema, binding)
}

/** Resolves an inherited binding. `version_id` defaults to `latest`, the newest version. */
function inherit(state: State, worker: Pick<Worker, "id">, binding: Binding): Binding {
  if (binding.type !== "inherit") return binding
  const { name, old_name: source = name, version_id: versionId = "latest" } = binding
  const version =
    versionId === "latest" ? latestVersion(state, worker.id) : findVersion(state, String(versionId))
  const inherited = version?.bindings.find((candidate) => candidate.name === source)
  if (inherited !== undefined && version?.worker_id === worker.id) return { ...inherited, name }
  throw new ApiError(400, code.badInherit, `inherit binding '${binding.name}' is invalid`)
}

function checkValue(state: State, binding: Binding) {
  if (binding.type === "d1") checkDatabase(state, binding)
  const value = binding["text"] ?? binding["json"]
  if (value === undefined) return
  const bytes = Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value))
  if (bytes <= variableLimit.bytes) return
  throw invalid(`binding ${binding.name} has ${bytes} bytes; the limit is ${variableLimit.bytes}`)
}

function checkDatabase(state: State, binding: Binding) {
  const id = databaseIdOf(binding)
  if (id === undefined) {
    throw invalid(`binding ${binding.name} of type d1 must have a valid \`id\` specified`)
  }
  // Accept only an id: a name would mean another database after this one is recreated.
  if (findDatabase(state, id)?.id === id) return
  const message = `D1 binding '${binding.name}' references database '${id}' which was not found. Verify the database exists in your account and that the database_id in your configuration is correct.`
  throw new ApiError(400, code.noBoundDatabase, message)
}

function invalid(message: string): ApiError {
  return new ApiError(400, code.startup, message)
}

function withoutSecret(binding: Binding): Binding {
  if (binding.type === "secret_text") return { name: binding.name, type: binding.type }
  const { key_base64: _, key_jwk: __, ...visibleBinding } = binding
  return binding.type === "secret_key" ? visibleBinding : binding
}

/** Formats a binding like the routes that wrangler uses: with the database's id under both keys. */
export function withBothDatabaseIds(binding: Binding): Binding {
  if (binding.type !== "d1") return withoutSecret(binding)
  const id = databaseIdOf(binding)
  return { ...binding, id, database_id: id }
}

/** Formats a binding like the version routes: with the database's id under the newer key. */
export function withDatabaseId(binding: Binding): Binding {
  if (binding.type !== "d1") return withoutSecret(binding)
  const { id: _, ...rest } = binding
  return { ...rest, database_id: databaseIdOf(binding) }
}
