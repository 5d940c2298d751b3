import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { Failure, paint, print } from "../output.ts"
import { askEnd, findEnd } from "../process/sandbox.ts"

const Letters = z.object({
  letters: z.array(
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
type Letter = z.infer<typeof Letters>["letters"][number]

/** Milliseconds between two looks. */
const pollInterval = 500

/** Prints the letters that the local service has sent; with `follow`, also those to come. */
export async function mail(options: {
  state: string
  json: boolean
  follow: boolean
}): Promise<void> {
  const { state, json, follow } = options
  const outbox = await findEnd("mail", state)
  if (!outbox) throw new Failure(`No local outbox runs on ${state}. \`npm start\` brings it up.`)
  const after = async (id: number) =>
    Letters.parse(await askEnd(outbox, { path: `/local/letters?after=${id}` })).letters
  let letters = await after(0)
  if (json && !follow) return print(JSON.stringify(letters))
  if (letters.length === 0 && !follow) return print("No letters.")
  for (let last = 0; ; letters = await after(last)) {
    for (const letter of letters) print(json ? JSON.stringify(letter) : shown(letter))
    last = letters.at(-1)?.id ?? last
    if (!follow) return
    await sleep(pollInterval)
  }
}

function shown({ time, to, subject, text }: Letter) {
  return [`${paint.dim(time)} ${to}`, paint.cyan(printable(subject)), printable(text), ""].join(
    "\n",
  )
}

/** Whoever signs up chooses a part of what is printed, and must not get to steer the terminal. */
function printable(text: string) {
  return text.replaceAll(/[^\P{Cc}\n]/gu, "?")
}
