import { sql } from "drizzle-orm"
import { index, sqliteTable } from "drizzle-orm/sqlite-core"

import { listed, text, timestamp } from "../database/columns.ts"

/** Actions that send a notice, for which this version has texts. */
export const noticed = [
  "change_role",
  "suspend",
  "unsuspend",
  "schedule_deletion",
  "cancel_deletion",
  "end_sessions",
  "reset_second_factor",
  "recover_account",
  "change_email",
  "change_password",
  "set_password",
  "reset_password",
  "link_identity",
  "unlink_identity",
  "passkey_added",
  "passkey_removed",
  "second_factor_on",
  "second_factor_off",
  "second_factor_locked",
  "recovery_code_used",
  "recovery_codes_renewed",
  "delete_account",
] as const satisfies string[]

/** Groups by which admins filter the log. Every action is in exactly one. */
export const actionGroups = {
  access: [
    "sign_up",
    "sign_in",
    "sign_in_refused",
    "sign_in_locked",
    "sign_out",
    "revoke_sessions",
    "second_factor_refused",
    "second_factor_locked",
    "recovery_code_used",
  ],
  account: [
    "verify_email",
    "change_email",
    "change_password",
    "set_password",
    "reset_password",
    "link_identity",
    "unlink_identity",
    "passkey_added",
    "passkey_removed",
    "second_factor_on",
    "second_factor_off",
    "recovery_codes_renewed",
    "delete_account",
  ],
  admin: [
    "read_member",
    "list_users",
    "list_audit_entries",
    "grant_premium",
    "revoke_premium",
    "send_reset",
    "send_verification",
    "invite",
    "revoke_invitation",
    "change_role",
    "suspend",
    "unsuspend",
    "schedule_deletion",
    "cancel_deletion",
    "end_sessions",
    "reset_second_factor",
    "recover_account",
  ],
  payment: ["settle_payment", "payment_unmatched", "reverse_payment"],
} as const satisfies Record<string, string[]>

export const auditActions = [
  ...actionGroups.access,
  ...actionGroups.account,
  ...actionGroups.admin,
  ...actionGroups.payment,
] as const

export type AuditAction = (typeof auditActions)[number]

/**
 * An action on an account, or a view of it. Entries outlive the accounts and keep their ids, so the ids are no foreign
 * keys.
 */
export const auditEntry = sqliteTable(
  "audit_entry",
  {
    id: text("id", 64).primaryKey(),
    /** Null if the actor was not signed in. */
    actorId: text("actor_id", 64),
    subjectId: text("subject_id", 64),
    action: listed("action", auditActions).notNull(),
    /** The new role, the end of the plan, the provider, the payment, a reason, the session or the invitation; never personal data. */
    detail: text("detail", 400),
    createdAt: timestamp("created_at").notNull(),
    /** Time since which the subject's notice is pending. Null once the mail service has accepted it. */
    letterDue: timestamp("letter_due"),
    /** Packed device (`packDevice`), if the subject may see it. Null for actions of admins and of older versions. */
    device: text("letter_device", 40),
  },
  (table) => [
    index("audit_entry_letter_due")
      .on(table.letterDue)
      .where(sql`letter_due is not null`),
    index("audit_entry_list").on(table.createdAt, table.id),
    index("audit_entry_list_by_action").on(table.action, table.createdAt, table.id),
    index("audit_entry_list_by_actor").on(table.actorId, table.createdAt, table.id),
    index("audit_entry_list_by_subject").on(table.subjectId, table.createdAt, table.id),
    index("audit_entry_last_sign_in")
      .on(table.subjectId, table.createdAt)
      .where(sql`action = 'sign_in'`),
  ],
)
