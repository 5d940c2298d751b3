import { secretCommand, type SecretFlags } from "./secret-command.ts"

export const secretSetCommand = secretCommand("set")
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
