import type { Holder } from "./process-record.ts"

/** Uses of secrets by Pulumi's engine itself, by program and variable: `SECURITY.md` explains them. */
const ofTheEngine = [
  // The keys of a plugin's own name, decrypted. The launcher drops them before it becomes Node.
  { program: /tools\/deploy\/pulumi-resource-accounts/, variables: ["PULUMI_CONFIG"] },
]

export const providersNode = /\/tools\/deploy\/main\.js/

/** The processes that had a secret in their environment, except by the engine itself. */
export function unexplained(holders: Holder[]): Holder[] {
  return holders.filter(
    ({ programs, certain, variables }) =>
      certain.some((program) => providersNode.test(program)) ||
      !ofTheEngine.some(
        (plugin) =>
          programs.some((program) => plugin.program.test(program)) &&
          plugin.variables.join() === variables.join(),
      ),
  )
}
