import { createHash, randomUUID } from "node:crypto"
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { writeAtomically } from "../../../daemon/state-folder.ts"
import type { Body, Exchange, Part, Plain } from "./exchange.ts"

const prefix = "/client/v4/"

/** The routes of the local Cloudflare; every parameter of a path is `{}`, as in a description. */
export const Routes = z.array(z.strictObject({ method: z.string(), path: z.string() }))
export type Routes = z.infer<typeof Routes>

export function routesFile(directory: string): string {
  return join(directory, "routes.json")
}

type Fetch<Bindings> = (request: Request, bindings: Bindings) => Response | Promise<Response>

export type Recorder = {
  /** Records each exchange before returning its response, so that not even a kill loses one. */
  recorded<Bindings>(fetch: Fetch<Bindings>): Fetch<Bindings>
  close(): void
}

/**
 * Records every exchange under `/client/v4` to this process's own file in `directory`, and `routes`
 * beside it, to find those that no test requests. Bodies include secrets.
 * @param contradicts whether a response is meant to differ from the descriptions
 */
export function openRecorder(
  directory: string,
  routes: Routes,
  contradicts: (response: Response) => boolean,
): Recorder {
  const answeredRoutes = routes.flatMap(({ method, path }) =>
    method === "ALL" || !path.startsWith(prefix)
      ? []
      : [{ method, path: `/${path.slice(prefix.length).replaceAll(/:[^/]+/g, "{}")}` }],
  )
  // A route is listed once for each of its handlers.
  const once = new Map(answeredRoutes.map((route) => [`${route.method} ${route.path}`, route]))
  writeAtomically(routesFile(directory), JSON.stringify([...once.values()]))
  const descriptor = openSync(join(directory, `${process.pid}-${randomUUID()}.ndjson`), "ax", 0o600)
  let open = true
  return {
    recorded: (fetch) => async (request, bindings) => {
      const { pathname, searchParams } = new URL(request.url)
      if (!pathname.startsWith(prefix) || isPreflight(request)) return fetch(request, bindings)
      const time = new Date().toISOString()
      const sentBody = bodyOf(request.clone()).catch(() => null)
      const response = await fetch(request, bindings)
      const exchange: Exchange = {
        time,
        userAgent: request.headers.get("user-agent") ?? "",
        method: request.method,
        path: pathname,
        query: [...searchParams],
        request: await sentBody,
        status: response.status,
        response: await bodyOf(response.clone()),
      }
      if (open && !contradicts(response)) {
        writeSync(descriptor, `${JSON.stringify(exchange, withoutTail)}\n`)
      }
      return response
    },
    close() {
      open = false
      closeSync(descriptor)
    },
  }
}

/**
 * Keeps the beginning of what a string of megabytes has, such as a module of an upload. Base64 stays
 * Base64, and the descriptions limit no shorter string.
 */
function withoutTail(_key: string, value: unknown): unknown {
  return typeof value === "string" && value.length > maximumLength
    ? value.slice(0, maximumLength)
    : value
}

/** Characters; a multiple of 4. */
const maximumLength = 4096

/** A browser's preflight is not a call, and no description has it. */
function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method")
}

async function bodyOf(message: Request | Response): Promise<Body | null> {
  if (message.body === null) return null
  const type = message.headers.get("content-type") ?? ""
  if (!type.startsWith("multipart/form-data")) {
    const bytes = Buffer.from(await message.arrayBuffer())
    return bytes.length === 0 ? null : plain(type, bytes)
  }
  const parts: Part[] = []
  for (const [name, value] of await message.formData()) {
    if (typeof value === "string") {
      parts.push({ name, content: plain("", Buffer.from(value)) })
    } else {
      const content = plain(value.type, Buffer.from(await value.arrayBuffer()))
      parts.push({ name, filename: value.name, content })
    }
  }
  return { type: "multipart/form-data", parts }
}

/** Clients also send JSON without a type, or as `text/plain`. */
function plain(type: string, bytes: Buffer): Plain {
  const text = bytes.toString("utf8")
  const json = /json/.test(type) || /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  if (json !== undefined) return { type, json }
  return { type, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
