import { Command } from "commander"

import { print } from "../../output.ts"

export const secretListCommand = new Command("list")
  .description("every secret: where it is needed, who makes it, how long it is")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ json = false }: { json?: boolean }) => {
    const { declaredSecrets } = await import("../../../infra/secret-manifest.ts")
    const { describeManifest } = await import("../../secret/describe-secrets.ts")
    print(json ? JSON.stringify(declaredSecrets) : describeManifest())
  })
