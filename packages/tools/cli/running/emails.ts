import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { paint, print } from "../output.ts"
import { askSandbox, findSandbox } from "../process/sandbox.ts"

const Emails = z.object({
  emails: z.array(
    z.object({
      id: z.number(),
      time: z.string(),
      from: z.string(),
      to: z.string(),
      subject: z.string(),
      text: z.string(),
    }),
  ),
})
type Email = z.infer<typeof Emails>["emails"][number]

/** Polling interval (ms). */
const pollInterval = 500

/** Prints the e-mails that the mail sandbox has received; with `follow`, new ones until a signal. */
export async function printEmails(options: {
  state: string
  json: boolean
  follow: boolean
}): Promise<void> {
  const { state, json, follow } = options
  const sandbox = await findSandbox("mail", state)
  if (!sandbox) {
    throw new Failure(
      "COMMAND_FAILED",
      `No mail sandbox is running on ${state}. Start it with \`npm start\`.`,
    )
  }
  const readAfter = async (id: number) =>
    Emails.parse(await askSandbox(sandbox, { path: `/local/emails?after=${id}` })).emails
  let emails = await readAfter(0)
  if (json && !follow) return print(JSON.stringify(emails))
  if (emails.length === 0 && !follow) return print("No e-mails.")
  for (let last = 0; ; emails = await readAfter(last)) {
    for (const email of emails) print(json ? JSON.stringify(email) : format(email))
    last = emails.at(-1)?.id ?? last
    if (!follow) return
    await sleep(pollInterval)
  }
}

function format({ time, to, subject, text }: Email): string {
  const heading = `${paint.dim(time)} ${to}`
  return [heading, paint.cyan(printableLines(subject)), printableLines(text), ""].join("\n")
}

/** A user chooses part of the text, so it must not send control characters to the terminal. */
function printableLines(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, "?")
}
