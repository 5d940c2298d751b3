import { account } from "./en/account.ts"
import { admin } from "./en/admin.ts"
import { entry } from "./en/entry.ts"
import { frame } from "./en/frame.ts"
import { outcome } from "./en/outcome.ts"

/** Every text of the pages, by its part. A word that another language lacks does not compile. */
export const en = { ...frame, ...entry, ...account, ...admin, ...outcome }

export type Words = typeof en
