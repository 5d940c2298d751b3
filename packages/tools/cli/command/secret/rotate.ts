import { Option } from "commander"

import { wholeNumber } from "../../command-options.ts"
import { print } from "../../output.ts"
import { secretCommand, type SecretFlags } from "./secret-command.ts"

const hours = wholeNumber({ from: 1, to: 720, message: "Hours are a number from 1 to 720." })

export const secretRotateCommand = secretCommand("rotate")
  .description(
    "replace AUTH_SECRET or FACTOR_SECRET and keep the one before for a while, so that nobody is signed out or loses an app",
  )
  .addOption(
    new Option("--in <hours>", "when the new one takes over; deploy it before")
      .default(24)
      .argParser(hours),
  )
  .option("--json", "print one JSON document on stdout")
  .action(
    async (
      name: string,
      _values: string[],
      { in: after, json = false, ...flags }: SecretFlags & { in: number; json?: boolean },
    ) => {
      const { rotateSecret } = await import("../../secret/rotate-secret.ts")
      const rotated = await rotateSecret(name, { ...flags, hours: after, now: new Date() })
      if (json) print(JSON.stringify(rotated))
    },
  )
