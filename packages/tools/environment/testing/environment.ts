import { Environment } from "../environment.ts"

/** A preview environment as a stack file describes it, with these keys changed or added. */
export function environmentOf(changes: Partial<Environment> = {}): Environment {
  return Environment.parse({
    environment: "preview",
    accountId: "0123456789abcdef0123456789abcdef",
    zone: "example.com",
    apiOrigin: "https://api.example.com",
    webOrigin: "https://app.example.com",
    ...changes,
  })
}
