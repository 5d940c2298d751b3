import { setTimeout as delay } from "node:timers/promises"

import { isFailure, messageOf } from "../../base/failure.ts"
import {
  type Deployment,
  type Deployments,
  type Split,
  describeDeployment,
  describeSplit,
  sameSplit,
} from "./deployments.ts"
import { cutMessage } from "./provenance.ts"

/** Thrown when another client deployed during a run. That deployment stays live. */
class ExternalDeployment extends Error {
  override name = "ExternalDeployment"

  constructor(live: Deployment | undefined) {
    super(
      live === undefined
        ? "another client removed every deployment"
        : `another client has deployed since: ${describeDeployment(live)}`,
    )
  }
}

/** Matches Cloudflare's refusal of a version whose secrets have changed since, as wrangler does on rollback. */
export const secretsConflict = /secrets? ha(?:s|ve) changed/i

/** A request to create a deployment. */
type DeploymentRequest = {
  split: Split
  message: string
  force?: boolean
  /** Ids of the deployments that it may replace; its own is added. Has undefined if nothing was deployed. */
  onto: Set<string | undefined>
}

type Options = {
  deployments: Deployments
  /** The live deployment at the start. */
  start: Deployment | undefined
  message: string
  /** Called with the names of secrets that get former values. If undefined, such a deployment is refused. */
  onFormerSecrets?: ((names: string) => void) | undefined
}

const attempts = 3
/** Pauses before each read, in milliseconds: the list may lag behind an accepted deployment. */
const readings = [0, 500, 1500]

/** Makes the deployments of one run. It replaces only its own, and the live deployment at its start. */
export class DeploymentRun {
  readonly #deployments: Deployments
  readonly #message: string
  readonly #onFormerSecrets: Options["onFormerSecrets"]
  /** Ids of the deployments that this run may replace: its own, and the live deployment at its start. */
  readonly #replaceable: Set<string | undefined>
  /** Another client's deployment that this run replaced unknowingly; undefined when that is live again. */
  #owed: { lost: Deployment; onto: Set<string | undefined> } | undefined
  /** The deployment that was live when it was last read. */
  seen: Deployment | undefined

  constructor({ deployments, start, message, onFormerSecrets }: Options) {
    this.#deployments = deployments
    this.#message = message
    this.#onFormerSecrets = onFormerSecrets
    this.#replaceable = new Set([start?.id])
    this.seen = start
  }

  /**
   * Makes `split` live and reads it back. If another client deployed at the same time, restores that deployment.
   * @throws ExternalDeployment when another client deployed since
   */
  async deploy(split: Split): Promise<Deployment> {
    const request = { split, message: this.#message, onto: this.#replaceable }
    if (this.#onFormerSecrets === undefined) return await this.#create(request)
    const { created, secrets } = await this.#createOverSecrets(request)
    if (secrets !== undefined) this.#onFormerSecrets(secrets)
    return created
  }

  /** Deploys `split` even if secrets have changed since. Returns a sentence that names them, or "". */
  async restore(split: Split, message: string): Promise<string> {
    const request = { split, message, onto: this.#replaceable }
    const { secrets } = await this.#createOverSecrets(request)
    return secrets === undefined
      ? ""
      : ` Secrets have other values again, those of that version: ${secrets}.`
  }

  /** Returns the live deployment if it was made elsewhere during the run. */
  async external(): Promise<Deployment | undefined> {
    const [live] = await this.#list()
    return this.#replaceable.has(live?.id) ? undefined : live
  }

  /** @throws ExternalDeployment */
  async refuseExternal(): Promise<void> {
    const external = await this.external()
    if (external !== undefined) throw new ExternalDeployment(external)
  }

  /** Restores another client's simultaneous deployment if `deploy` failed to restore it. */
  async giveBack(): Promise<void> {
    if (this.#owed === undefined) return
    const { lost, onto } = this.#owed
    const message = cutMessage(`deployed again after a release at the same time: ${lost.message}`)
    try {
      await this.#createOverSecrets({ split: lost.split, message, onto })
    } catch (error) {
      if (error instanceof ExternalDeployment) throw error
      throw new Error(
        `this replaced a deployment that another client made at the same time (${describeDeployment(lost)}), ` +
          `which could not be deployed again: ${messageOf(error)}`,
        { cause: error },
      )
    }
    this.#owed = undefined
  }

  async #list(): Promise<Deployment[]> {
    const deployments = await this.#deployments.list()
    this.seen = deployments[0]
    return deployments
  }

  /** Tries without force first, because a refusal names the secrets that have changed. */
  async #createOverSecrets(request: DeploymentRequest) {
    try {
      return { created: await this.#create(request), secrets: undefined }
    } catch (error) {
      const { status, readable } = isFailure(error, "API_FAILED") ? error.facts : {}
      if (status !== 400 || readable !== true) throw error
      const message = messageOf(error)
      const created = await this.#create({ ...request, force: true })
      // Cloudflare's text, as wrangler reads it: "The following secrets have changed: ONE, TWO".
      const names = /secrets have changed:\s*([\w, -]+?)\s*(?:\[code|$)/.exec(message)?.[1]
      return { created, secrets: names ?? message }
    }
  }

  /** Cloudflare has no conditional deployments, so only the list shows afterwards what was replaced. */
  async #create(request: DeploymentRequest): Promise<Deployment> {
    const { split, message, onto, force = false } = request
    const earlier = await this.#list()
    const [before] = earlier
    if (!onto.has(before?.id)) throw new ExternalDeployment(before)
    for (let attempt = 1; ; attempt += 1) {
      const { id, failure } = await this.#deployments.post(split, message, { force }).then(
        (deploymentId) => ({ id: deploymentId, failure: undefined }),
        (error: unknown) => ({ id: undefined, failure: error }),
      )
      const isLost = isFailure(failure, "API_FAILED") && failure.facts.lost
      if (failure !== undefined && !isLost) throw failure
      // The response may be lost, so the id may be unknown.
      const isMine = (entry: Deployment) =>
        entry.id === id || (sameSplit(entry.split, split) && entry.message === message)
      const since = await this.#listSince(earlier, isMine)
      const live = this.seen
      const created = since.find(isMine)
      if (created !== undefined) {
        for (const mine of since.filter(isMine)) onto.add(mine.id)
        if (live !== undefined && !isMine(live)) throw new ExternalDeployment(live)
        const lost = since.find((entry) => !isMine(entry))
        if (lost === undefined) return created
        // This run's deployment replaced another client's simultaneous deployment.
        this.#owed = { lost, onto: new Set(onto) }
        await this.giveBack()
        throw new ExternalDeployment(lost)
      }
      if (live !== undefined && live.id !== before?.id) throw new ExternalDeployment(live)
      if (failure === undefined) {
        throw new Error(
          `${describeSplit(split)} was deployed, but live is ${describeSplit(live?.split ?? [])}`,
        )
      }
      // The request was lost without effect. A retry is safe: deploying a split twice changes nothing.
      if (attempt === attempts) throw failure
    }
  }

  /**
   * Reads until a newer deployment matches, and returns all newer deployments. They precede the first earlier
   * deployment that still exists: Cloudflare may have deleted others that are not live.
   */
  async #listSince(
    earlier: Deployment[],
    isMine: (entry: Deployment) => boolean,
  ): Promise<Deployment[]> {
    const earlierIds = new Set(earlier.map(({ id }) => id))
    let since: Deployment[] = []
    for (const pause of readings) {
      await delay(pause)
      const list = await this.#list()
      const index = list.findIndex(({ id }) => earlierIds.has(id))
      since = index === -1 ? list : list.slice(0, index)
      if (since.some(isMine)) break
    }
    return since
  }
}
