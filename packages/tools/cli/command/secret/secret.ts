import { Command } from "commander"

import { print } from "../../output.ts"
import { secretDoctorCommand } from "./doctor.ts"
import { secretRemoveCommand } from "./remove.ts"
import { secretRotateCommand } from "./rotate.ts"
import { secretCommand, type SecretFlags } from "./secret-command.ts"

const secretSetCommand = secretCommand("set")
  .description("seal a secret that a service gave you, from a pipe or a prompt that shows nothing")
  .option("--replace", "replace the value that is sealed")
  .action(
    async (
      name: string,
      _values: string[],
      { replace = false, ...flags }: SecretFlags & { replace?: boolean },
    ) => {
      const { setSecret } = await import("../../secret/write-secret.ts")
      await setSecret(name, { ...flags, replace })
    },
  )

type GenerateFlags = SecretFlags & { replace?: boolean; print?: boolean }

const secretGenerateCommand = secretCommand("generate")
  .description("seal a random secret of 256 bits, without showing it")
  .option("--replace", "replace the value that is sealed; another AUTH_SECRET signs everybody out")
  .option("--print", "print the value once, for a service of your own")
  .action(
    async (
      name: string,
      _values: string[],
      { replace = false, print: shown = false, ...flags }: GenerateFlags,
    ) => {
      const { generateSecret } = await import("../../secret/write-secret.ts")
      const value = await generateSecret(name, { ...flags, replace, print: shown })
      if (shown) print(value)
    },
  )

export const secretGroup = new Command("secret")
  .description("the secrets of staging and production, sealed by Pulumi in their files")
  .addCommand(secretSetCommand)
  .addCommand(secretGenerateCommand)
  .addCommand(secretRotateCommand)
  .addCommand(secretRemoveCommand)
  .addCommand(secretDoctorCommand)
