import { secretCommand, type SecretFlags } from "./secret-command.ts"

type RemoveFlags = { signOut?: boolean; dryRun?: boolean }

export const secretRemoveCommand = secretCommand("remove")
  .description("remove a secret, such as AUTH_SECRET_PREVIOUS when its sessions have ended")
  .option("--sign-out", "remove AUTH_SECRET_PREVIOUS before that, which ends its sessions")
  .option("--dry-run", "say what would be removed, and remove nothing")
  .action(
    async (
      name: string,
      _values: string[],
      { signOut = false, dryRun = false, ...flags }: SecretFlags & RemoveFlags,
    ) => {
      const { removeSecret } = await import("../../secret/rotate-secret.ts")
      await removeSecret(name, { ...flags, signOut, dryRun, now: new Date() })
    },
  )
