import { account } from "./de/account.ts"
import { admin } from "./de/admin.ts"
import { entry } from "./de/entry.ts"
import { frame } from "./de/frame.ts"
import { outcome } from "./de/outcome.ts"
import type { Words } from "./en.ts"

export const de: Words = { ...frame, ...entry, ...account, ...admin, ...outcome }
