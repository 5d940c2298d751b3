import type { Binding } from "../plane/plane.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { State } from "../state/state.ts"
import { findVersion } from "../workers/version.store.ts"
import type { Worker } from "../workers/worker.store.ts"
import { type Deployment, listDeployments } from "./deployment.store.ts"

/**
 * A version that had traffic does not get it back over a secret that a live version has otherwise.
 * Status, code and text are those of wrangler's rollback.test.ts; which versions and secrets count
 * is assumed: going back only, and secrets with another value or in one of the two alone.
 * @throws ApiError 10220, which wrangler's `rollback` turns into a question
 */
export function refuseChangedSecrets(
  state: State,
  worker: Worker,
  wanted: Deployment["versions"],
): void {
  const [live, ...earlier] = listDeployments(state, worker.id).map(activeIn)
  const wasActive = new Set(earlier.flat())
  const changed = wanted
    .filter(({ percentage }) => percentage > 0)
    .filter(({ version_id: id }) => wasActive.has(id) && !live?.includes(id))
    .flatMap(({ version_id }) => differentFrom(version_id))
  const names = [...new Set(changed)].toSorted()
  if (names.length === 0) return
  throw new ApiError(
    400,
    code.secretChanged,
    `A secret has changed since this version was active. If you are sure this is ok, add a ?force=true query parameter to allow the rollback. The following secrets have changed: ${names.join(", ")}`,
  )

  function differentFrom(id: string): string[] {
    const target = findVersion(state, id)
    return (live ?? []).flatMap((liveId) => {
      const newer = findVersion(state, liveId)
      if (target === undefined || newer === undefined || newer.number < target.number) return []
      return changedNames(secretsOf(target.bindings), secretsOf(newer.bindings))
    })
  }
}

function activeIn({ versions }: Deployment): string[] {
  return versions.filter(({ percentage }) => percentage > 0).map(({ version_id }) => version_id)
}

function secretsOf(bindings: Binding[]): Map<string, unknown> {
  const secrets = bindings.filter(({ type }) => type === "secret_text")
  return new Map(secrets.map(({ name, text }) => [name, text]))
}

function changedNames(one: Map<string, unknown>, other: Map<string, unknown>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => one.get(name) !== other.get(name),
  )
}
