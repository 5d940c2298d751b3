import * as z from "zod"

import { Failure } from "../output.ts"
import { findRunning, joinOrStart, type Definition, type LocalProcess } from "./local-process.ts"

const Endpoint = z.object({ pid: z.number(), url: z.string() })
type Endpoint = z.infer<typeof Endpoint>

type Name = "mail" | "payment"

/** What MAIL_URL or PAYMENT_URL names on this machine. */
export type LocalEnd = LocalProcess<Endpoint>

const definitions: Record<Name, Definition<Endpoint>> = {
  mail: definitionOf("mail", "local outbox"),
  payment: definitionOf("payment", "local payment provider"),
}

function definitionOf(folder: Name, title: string): Definition<Endpoint> {
  return {
    title,
    entry: `sandbox/${folder}/main.js`,
    folder,
    Endpoint,
    statusUrl: ({ url }) => new URL("/local/status", url),
  }
}

/** Joins or starts an end; on any free port where the service's own port is not the usual one. */
export function bringUpEnd(
  name: Name,
  options: { state: string; anyPort: boolean; onLog: (line: string) => void },
): Promise<LocalEnd> {
  const { state, anyPort, onLog } = options
  return joinOrStart(definitions[name], { state, flags: anyPort ? ["--port", "0"] : [], onLog })
}

export function findEnd(name: Name, state: string): Promise<LocalEnd | undefined> {
  return findRunning(definitions[name], state)
}

/** Values of a stack file that lead to the ends of a state directory, as far as they run. */
export async function endsOf(state: string): Promise<Record<string, string>> {
  const [mail, payment] = await Promise.all([findEnd("mail", state), findEnd("payment", state)])
  return {
    ...(mail && { "accounts:mailUrl": `${mail.url}/send` }),
    ...(payment && { "accounts:paymentUrl": payment.url }),
  }
}

/** Asks an end as its owner. */
export async function askEnd(
  { url, token }: LocalEnd,
  { path, body }: { path: string; body?: unknown },
): Promise<unknown> {
  const response = await fetch(new URL(path, url), {
    method: body === undefined ? "GET" : "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Failure(`${url}${path} answered ${response.status}: ${text}`)
  return text === "" ? undefined : JSON.parse(text)
}

/** Where people read and press: an address that is as good as the end's token. */
export async function pageOf(end: LocalEnd): Promise<string> {
  const { page } = z
    .object({ page: z.string() })
    .parse(await askEnd(end, { path: "/local/status" }))
  return end.url + page
}
