import { spawn } from "node:child_process"

import * as z from "zod"

import { Failure, paint, print, say } from "../output.ts"
import { expectRunning } from "../process/local-cloudflare.ts"

const Link = z.object({ url: z.url(), expiresAt: z.iso.datetime() })

/** Prints a link that signs a browser in to the console page, once. */
export async function openConsole(options: {
  state: string
  json: boolean
  open: boolean
}): Promise<void> {
  const { state, json, open } = options
  const running = await expectRunning(state)
  const response = await fetch(new URL("/local/console/link", running.api), {
    method: "POST",
    headers: { authorization: `Bearer ${running.token}` },
  })
  if (!response.ok) throw new Failure(`The local Cloudflare made no link: ${await response.text()}`)
  const link = Link.parse(await response.json())
  print(json ? JSON.stringify(link) : link.url)
  say(paint.dim(`Good for one browser, until ${new Date(link.expiresAt).toLocaleTimeString()}.`))
  if (open) await openBrowser(link.url)
}

/** The program that opens what the desktop has for an address. */
const opener: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
}

async function openBrowser(url: string): Promise<void> {
  const [program, ...flags] = opener[process.platform] ?? ["xdg-open"]
  const child = spawn(program, [...flags, url], { stdio: "ignore", detached: true })
  await new Promise<void>((resolve) => {
    child.once("spawn", resolve)
    child.once("error", () => {
      say(paint.yellow(`There is no ${program} to open it with: open the link yourself.`))
      resolve()
    })
  })
  child.unref()
}
