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

/** The provider's `baseUrl`. It must be Cloudflare or this machine, because it gets the token. */
export const BaseUrl = z
  .string()
  .refine(
    (text) => text === cloudflareApi || isLoopback(text),
    `baseUrl is ${cloudflareApi}, or http:// on 127.0.0.1 or [::1]`,
  )

/**
 * Whether Cloudflare itself says that an object does not exist: by the status, as terraform-provider-cloudflare
 * reads it, in Cloudflare's envelope. Error codes differ by route and are hardly documented, and the page of a
 * proxy proves nothing.
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

/** Retries the read of a new object, which Cloudflare may not return yet. */
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

/** Returns undefined for a text that is not JSON, such as an error page. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
