import { setTimeout as delay } from "node:timers/promises"

import {
  type Api,
  type ApiOptions as Options,
  createApi as create,
} from "@accounts-stack/d1-migrations/api"
import * as z from "zod"

import { isFailure } from "../base/failure.ts"
import { isLoopback } from "../base/loopback.ts"
import { cloudflareApi } from "../base/process-environment.ts"
import { userAgent } from "../base/user-agent.ts"

export type { Api }

export type Account = { api: Api; accountId: string }

export type WorkerPlace = Account & { scriptName: string }

export type DatabasePlace = Account & { databaseId: string }

type ApiOptions = Options & { baseUrl: string }

export function createApi(options: ApiOptions): Api {
  return create({ ...options, userAgent })
}

/** The provider's `baseUrl`: the token goes to Cloudflare or stays on this machine. */
export const BaseUrl = z
  .string()
  .refine(
    (text) => text === cloudflareApi || isLoopback(text),
    `baseUrl is ${cloudflareApi}, or http:// on 127.0.0.1 or [::1]`,
  )

/**
 * Whether Cloudflare itself says that there is no such thing: by the status, as
 * terraform-provider-cloudflare reads it, in an envelope of its own. The codes differ by route and are in
 * hardly any document; and a page of something in between says nothing of what there is.
 */
export function isNotFound(error: unknown): boolean {
  return (
    isFailure(error, "API_FAILED") && error.facts.status === 404 && error.facts.readable === true
  )
}

export async function undefinedIfNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Milliseconds, both as in wrangler's `fetchUploadedVersion`. */
const pause = 500
const usualPatience = 2000

/** Asks again for what Cloudflare may not show yet, because it is new. */
export async function retryUntilFound<T>(
  ask: () => Promise<T>,
  patience = usualPatience,
): Promise<T | undefined> {
  const deadline = Date.now() + patience
  for (;;) {
    const answer = await undefinedIfNotFound(ask())
    if (answer !== undefined || Date.now() + pause > deadline) return answer
    await delay(pause)
  }
}

/** Undefined for a text that is no JSON, as a page of an error is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
