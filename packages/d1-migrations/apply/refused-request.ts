const permission = "Give the token the permission D1:Edit for this account, and run again."

const advices = new Map([
  [401, permission],
  [403, permission],
  [404, "See whether the account and the database still exist, and run again."],
  [413, "The request is larger than the API takes: split the file in two, and run again."],
  [429, "Too many requests reach Cloudflare at the moment: wait, and run again."],
])

/** What to do about an answer that says nothing about the SQL. */
export function adviceFor(status: number | undefined): string {
  return advices.get(status ?? 0) ?? "No file is at fault: run again when the reason is gone."
}
