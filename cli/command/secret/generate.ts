import { print } from "../../output.ts"
import { secretCommand, type SecretFlags } from "./secret-command.ts"

type Flags = SecretFlags & { replace?: boolean; print?: boolean }

export const secretGenerateCommand = secretCommand("generate")
  .description("seal a random secret of 256 bits, without showing it")
  .option("--replace", "replace the value that is sealed; another AUTH_SECRET signs everybody out")
  .option("--print", "print the value once, for a service of your own")
  .action(
    async (
      name: string,
      _values: string[],
      { replace = false, print: shown = false, ...flags }: Flags,
    ) => {
      const { generateSecret } = await import("../../secret/write-secret.ts")
      const value = await generateSecret(name, { ...flags, replace, print: shown })
      if (shown) print(value)
    },
  )
