import { cpSync } from "node:fs"
import { join } from "node:path"

import { copyCheckout } from "../checkout.ts"
import type { openSecretsFolder } from "../secrets/secrets-folder.ts"

type SecretsFolder = Awaited<ReturnType<typeof openSecretsFolder>>

/** Puts hosts and an account in place of the shipped files' placeholders. */
export function fillInFolder(folder: SecretsFolder): void {
  for (const stack of ["staging", "production"]) {
    folder.edit(stack, (text) =>
      text
        .replaceAll(/example\.(?=net|com)/g, `acme-${stack}.`)
        .replace(/"0{32}"/, `"${stack === "staging" ? "1" : "2"}${"0".repeat(31)}"`),
    )
  }
}

/** Runs `./accounts plan` for staging in a clone with the files of a folder. */
export async function planStaging({ variables, environments }: SecretsFolder) {
  const environment = {
    ...variables,
    // The copy itself.
    ACCOUNTS_ROOT: "",
    CLOUDFLARE_API_TOKEN: "a-token-of-no-account",
  }
  await using checkout = copyCheckout({ environment })
  cpSync(environments, join(checkout.directory, "environments"), { recursive: true })
  return await checkout.run("plan", "-s", "staging")
}
