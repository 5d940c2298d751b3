import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { paint, print, say } from "../output.ts"
import { expectRunning, request } from "../process/local-cloudflare.ts"

const Link = z.object({ url: z.url(), expiresAt: z.iso.datetime() })

/** Prints a one-time link to the console page. */
export async function printConsoleLink({
  state,
  json,
}: {
  state: string
  json: boolean
}): Promise<void> {
  const response = await request(await expectRunning(state), "/local/console/link", {
    method: "POST",
  })
  if (!response.ok) {
    throw new Failure(
      "COMMAND_FAILED",
      `The local Cloudflare created no link: ${await response.text()}`,
    )
  }
  const link = Link.parse(await response.json())
  print(json ? JSON.stringify(link) : link.url)
  say(paint.dim(`Valid for one browser, until ${new Date(link.expiresAt).toLocaleTimeString()}.`))
}
