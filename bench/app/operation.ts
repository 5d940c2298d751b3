export const operations = [
  "health",
  "get-session",
  "getProfile",
  "listEntries",
  "sign-in",
  "sign-up",
] as const
export type Operation = (typeof operations)[number]
