import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { findRunning, joinOrStart, type Definition, type LocalProcess } from "./local-process.ts"

const Endpoint = z.object({ pid: z.number(), url: z.string() })
type Endpoint = z.infer<typeof Endpoint>

const names = ["mail", "payment", "openid", "checks"] as const
type Name = (typeof names)[number]

/** A local program that replaces the mail sender, the payment or the OpenID provider, or a check. */
export type Sandbox = LocalProcess<Endpoint>

const definitions: Record<Name, Definition<Endpoint>> = {
  mail: definitionOf("mail"),
  payment: definitionOf("payment"),
  openid: definitionOf("openid"),
  checks: definitionOf("checks"),
}

function definitionOf(name: Name): Definition<Endpoint> {
  return {
    title: `${name} sandbox`,
    entry: `sandbox/${name}/main.js`,
    folder: name,
    Endpoint,
    statusUrl: ({ url }) => new URL("/local/status", url),
  }
}

/** @param options.anyPort listens on a free port instead of the sandbox's usual port */
export function bringUpSandbox(
  name: Name,
  options: { state: string; anyPort: boolean; onLog: (line: string) => void },
): Promise<Sandbox> {
  const { state, anyPort, onLog } = options
  return joinOrStart(definitions[name], { state, flags: anyPort ? ["--port", "0"] : [], onLog })
}

export function findSandbox(name: Name, state: string): Promise<Sandbox | undefined> {
  return findRunning(definitions[name], state)
}

/** Finds the running sandboxes of a state directory. */
export function findSandboxes(state: string): Promise<Partial<Record<Name, Sandbox>>> {
  return ofEach((name) => findSandbox(name, state))
}

/** Returns the URLs of the running sandboxes' pages; with `config`, only of sandboxes that the stack file uses. */
export async function sandboxPages(
  state: string,
  config?: Record<string, unknown>,
): Promise<Partial<Record<Name, string>>> {
  const sandboxes = await findSandboxes(state)
  return await ofEach(async (name) =>
    sandboxes[name] && (config === undefined || usesSandbox(name, config))
      ? await sandboxPage(sandboxes[name])
      : undefined,
  )
}

/** Calls `find` for each name. The order is fixed, because `up` compares the result as text. */
async function ofEach<Found>(find: (name: Name) => Promise<Found | undefined>) {
  const answers = await Promise.all(names.map((name) => find(name)))
  const sandboxes: Partial<Record<Name, Found>> = {}
  for (const [index, name] of names.entries()) {
    const sandbox = answers[index]
    if (sandbox !== undefined) sandboxes[name] = sandbox
  }
  return sandboxes
}

/** The service's client id at the OpenID sandbox, as the committed stack file has it. */
export const openidClientId = "accounts"

/** Setting and URL of each sandbox in the committed stack file of `local`. Any other URL is not a sandbox. */
const committed = {
  mail: { key: "accounts:mailUrl", url: "http://127.0.0.1:8791" },
  payment: { key: "accounts:paymentUrl", url: "http://127.0.0.1:8792" },
  openid: { key: "accounts:identityProviders", url: "http://127.0.0.1:8793" },
  checks: { key: "accounts:checksUrl", url: "http://127.0.0.1:8794" },
} satisfies Record<Name, { key: string; url: string }>

/**
 * Lists the sandboxes that `npm start` starts: `checks` only if the stack file uses it.
 */
export function sandboxesOf(config: Record<string, unknown>): Name[] {
  return names.filter((name) => name !== "checks" || usesSandbox(name, config))
}

function usesSandbox(name: Name, config: Record<string, unknown>): boolean {
  const { key, url } = committed[name]
  return textOf(config[key]).includes(url)
}

/** Returns the settings of a stack file that use sandboxes, with the addresses of the running sandboxes. */
export async function sandboxSettings(
  state: string,
  config: Record<string, unknown>,
): Promise<Record<string, string>> {
  const sandboxes = await findSandboxes(state)
  const used = names.filter((name) => sandboxes[name] && usesSandbox(name, config))
  const settings = used.map((name) => {
    const { key, url } = committed[name]
    return [key, textOf(config[key]).replaceAll(url, sandboxes[name]?.url ?? url)]
  })
  const pages = await sandboxPages(state, config)
  const pageVariables = used.length === 0 ? {} : { "accounts:localPages": JSON.stringify(pages) }
  return { ...Object.fromEntries(settings), ...pageVariables }
}

/** Formats a value of a stack file as Pulumi passes it. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "")
}

/** Calls a route under `/local` with the sandbox's token: GET, or PUT if there is a body. */
export async function askSandbox(
  { url, token }: Sandbox,
  { path, body }: { path: string; body?: unknown },
): Promise<unknown> {
  const response = await fetch(new URL(path, url), {
    method: body === undefined ? "GET" : "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) {
    throw new Failure("COMMAND_FAILED", `${url}${path} answered ${response.status}: ${text}`)
  }
  return text === "" ? undefined : JSON.parse(text)
}

/**
 * Returns the URL of the sandbox's page, with a secret that replaces the token; undefined if it has no page.
 */
async function sandboxPage(sandbox: Sandbox): Promise<string | undefined> {
  const { page } = z
    .object({ page: z.string().optional() })
    .parse(await askSandbox(sandbox, { path: "/local/status" }))
  return page && sandbox.url + page
}
