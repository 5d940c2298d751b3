import {
  type Api,
  type ApiOptions as Options,
  createApi as create,
} from "@accounts-stack/d1-migrations/api"
import * as z from "zod"

import { isLoopback } from "../base/loopback.ts"
import { cloudflareApi } from "../base/process-environment.ts"
import { userAgent } from "../base/user-agent.ts"

export type { Api }

export type Account = { api: Api; accountId: string }

export type WorkerPlace = Account & { scriptName: string }

export type DatabasePlace = Account & { databaseId: string }

export type ApiOptions = Options & { baseUrl: string }

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
