import type { AuditAction } from "../service/admin/audit-entry.table.ts"

/** The actions that this version writes a letter about. */
export const noticed = [
  "link_identity",
  "unlink_identity",
  "passkey_added",
  "passkey_removed",
  "second_factor_on",
  "second_factor_off",
  "second_factor_locked",
  "recovery_code_used",
  "recovery_codes_renewed",
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
  "reset_second_factor",
] as const satisfies AuditAction[]

export type Noticed = (typeof noticed)[number]
