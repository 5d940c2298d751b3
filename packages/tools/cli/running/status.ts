import { join } from "node:path"

import * as z from "zod"

import { root } from "../../base/root.ts"
import { project } from "../../environment/project/own-project.ts"
import { print, table } from "../output.ts"
import { expectRunning, request } from "../process/local-cloudflare.ts"
import { sandboxPages } from "../process/sandbox.ts"
import { webOriginHere } from "../process/web-port.ts"
import { firstPageOf } from "../start/deployment-result.ts"

const label = "environments/Pulumi.local.yaml"

const Status = z.looseObject({
  databases: z.array(z.looseObject({ name: z.string() })).default([]),
  workers: z.array(z.looseObject({ name: z.string() })).default([]),
  processes: z
    .array(z.object({ name: z.string(), pid: z.number(), residentBytes: z.number() }))
    .default([]),
})

/** @throws Failure if nothing is running */
export async function printStatus({ state, json }: { state: string; json: boolean }) {
  const running = await expectRunning(state)
  const response = await request(running, "/local/status")
  const status = Status.parse(await response.json())
  const { mail, payment, openid } = await sandboxPages(state)
  const { parseStackFile } = await import("../../environment/read.ts")
  const { config } = parseStackFile(join(root, label), label)
  const { "accounts:apiOrigin": api, "accounts:webOrigin": web } = config
  // The edge routes by host name, and no Worker has the host 127.0.0.1.
  const service = running.edge.replace("127.0.0.1", new URL(String(api)).hostname)
  const docs = new URL(project.paths.apiPage, service).href
  const frontEnd = api === web ? service : webOriginHere(String(web), state)
  const firstPage = firstPageOf(config)
  const signUp = firstPage === undefined ? undefined : new URL(firstPage, service).href
  const pages = {
    service,
    ...(signUp && { signUp }),
    frontEnd,
    docs,
    ...(mail && { mail }),
    ...(payment && { payment }),
    ...(openid && { openid }),
  }
  if (json) return print(JSON.stringify({ ...status, pages }))
  print(
    table([
      ["process", String(running.pid)],
      ["API", running.api],
      ["service", service],
      ...(signUp ? [["sign up", signUp] satisfies [string, string]] : []),
      ["API page", docs],
      ["e-mails", mail ?? notRunning],
      ["payments", payment ?? notRunning],
      ["sign-in", openid ?? notRunning],
      ["Workers", namesOf(status.workers)],
      ["databases", namesOf(status.databases)],
      ...status.processes.map(({ name, pid, residentBytes }): [string, string] => [
        `workerd ${pid}`,
        `${name}, ${Math.round(residentBytes / 2 ** 20)} MiB`,
      ]),
    ]),
  )
}

const notRunning = "not running: `npm start` runs it"

function namesOf(items: { name: string }[]): string {
  return items.map(({ name }) => name).join(", ") || "none"
}
