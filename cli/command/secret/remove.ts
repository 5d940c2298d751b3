import { expectNameAlone, secretCommand, type SecretFlags } from "./secret-command.ts"

export const secretRemoveCommand = secretCommand("remove")
  .description("remove a secret, such as AUTH_SECRET_PREVIOUS when its sessions have ended")
  .option("--sign-out", "remove AUTH_SECRET_PREVIOUS before that, which ends its sessions")
  .action(
    async (
      name: string,
      values: string[],
      { signOut = false, ...flags }: SecretFlags & { signOut?: boolean },
    ) => {
      expectNameAlone(name, values)
      const { removeSecret } = await import("../../secret/rotate-secret.ts")
      await removeSecret(name, { ...flags, signOut, now: new Date() })
    },
  )
