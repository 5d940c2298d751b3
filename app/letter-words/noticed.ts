import type { AuditAction } from "../service/admin/audit-entry.table.ts"

/** The actions that this version writes a letter about. */
export const noticed = [
  "link_identity",
  "unlink_identity",
  "passkey_added",
  "passkey_removed",
  "change_password",
  "set_password",
  "change_email",
  "reset_password",
  "change_role",
  "suspend",
  "unsuspend",
  "schedule_deletion",
  "cancel_deletion",
  "delete_account",
  "end_sessions",
] as const satisfies AuditAction[]

export type Noticed = (typeof noticed)[number]
