import { accountOperations } from "./account-operations.ts"
import { emailOperations } from "./email-operations.ts"
import { factorOperations } from "./factor-operations.ts"
import type { AuthOperation } from "./operation-fields.ts"
import { passkeyOperations } from "./passkey-operations.ts"
import { sessionOperations } from "./session-operations.ts"
import { signInOperations } from "./sign-in-operations.ts"

export const authOperations: AuthOperation[] = [
  ...signInOperations,
  ...sessionOperations,
  ...accountOperations,
  ...emailOperations,
  ...passkeyOperations,
  ...factorOperations,
]
