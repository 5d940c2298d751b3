/** SQL for the current time in milliseconds, as the service stores times. */
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

// True if no owner can act: only the operator can then appoint another one. Without `role <> 'member'` SQLite would
// not use the index on roles.
const noOwner =
  "NOT EXISTS (SELECT 1 FROM user WHERE role <> 'member' AND role = 'owner' AND suspended_at IS NULL)"

const passwords = "FROM account WHERE user_id = user.id AND provider_id = 'credential'"
const ownPasskeys = "FROM passkey WHERE user_id = user.id"

/**
 * Statements that `./accounts` sends to a database. Addresses are passed as SQL literals. The audit entry always comes
 * first.
 */
export const operatorStatements = {
  owner: {
    /** Idempotent. */
    grant: ({ email, unverified }: { email: string; unverified: boolean }) => {
      const verified = unverified ? "" : " AND email_verified = 1"
      const grantable = `email = ${email}${verified} AND ${noOwner}`
      return [
        `INSERT INTO audit_entry (id, actor_id, subject_id, action, detail, created_at)
SELECT 'audit_entry_' || lower(hex(randomblob(12))), NULL, id, 'change_role', 'owner', ${now}
FROM user WHERE ${grantable}`,
        `UPDATE user SET role = 'owner', updated_at = ${now}
WHERE ${grantable}`,
      ]
    },
    standing: (email: string) =>
      `SELECT role = 'owner' AS owns, email_verified AS verified, NOT (${noOwner}) AS owned
FROM user WHERE email = ${email}`,
  },
  signOut: {
    access: (email: string) =>
      `SELECT (SELECT count(*) FROM session WHERE user_id = user.id) AS sessions,
(SELECT count(*) ${passwords}) AS passwords,
(SELECT count(*) ${ownPasskeys}) AS passkeys,
(SELECT group_concat(provider_id, ', ') FROM account
  WHERE user_id = user.id AND provider_id <> 'credential') AS providers
FROM user WHERE email = ${email}`,
    /** Idempotent: the audit entry is written only if there is something to end. */
    end: (email: string) => {
      const id = `(SELECT id FROM user WHERE email = ${email})`
      return [
        `INSERT INTO audit_entry (id, actor_id, subject_id, action, detail, created_at)
SELECT 'audit_entry_' || lower(hex(randomblob(12))), NULL, id, 'revoke_sessions', 'operator', ${now}
FROM user WHERE email = ${email}
AND (EXISTS (SELECT 1 FROM session WHERE user_id = user.id) OR EXISTS (SELECT 1 ${passwords})
  OR EXISTS (SELECT 1 ${ownPasskeys}))`,
        `DELETE FROM session WHERE user_id = ${id}`,
        `DELETE FROM account WHERE user_id = ${id} AND provider_id = 'credential'`,
        // An attacker with the session may have added a passkey, or trust in a browser.
        `DELETE FROM passkey WHERE user_id = ${id}`,
        `DELETE FROM trusted_browser WHERE user_id = ${id}`,
        // Deletes links that could set a password.
        `DELETE FROM verification WHERE value = ${id}`,
      ]
    },
  },
  secondFactor: {
    standing: (email: string) =>
      `SELECT second_factor_since IS NOT NULL AS isOn FROM user WHERE email = ${email}`,
    /** Idempotent. */
    takeOff: (email: string) => {
      const id = `(SELECT id FROM user WHERE email = ${email} AND second_factor_since IS NOT NULL)`
      return [
        `INSERT INTO audit_entry (id, actor_id, subject_id, action, detail, created_at)
SELECT 'audit_entry_' || lower(hex(randomblob(12))), NULL, id, 'reset_second_factor', 'operator', ${now}
FROM user WHERE id = ${id}`,
        `DELETE FROM session WHERE user_id = ${id}`,
        `DELETE FROM verification WHERE value = ${id}`,
        `DELETE FROM trusted_browser WHERE user_id = ${id}`,
        `DELETE FROM recovery_code WHERE user_id = ${id}`,
        `DELETE FROM second_factor WHERE user_id = ${id}`,
        // Must be last, because the other statements depend on this column.
        `UPDATE user SET second_factor_since = NULL, updated_at = ${now} WHERE id = ${id}`,
      ]
    },
  },
  ways: {
    /**
     * Returns one row of counts, over accounts that are in use or have a verified owner. Reads every account and every
     * sign-in method.
     */
    count: ({ providers, passkeys }: { providers: string[]; passkeys: boolean }) => {
      const offered = providers.length === 0 ? "NULL" : providers.join(", ")
      const isKey = passkeys
        ? "EXISTS (SELECT 1 FROM passkey WHERE passkey.user_id = user.id)"
        : "0"
      const withoutFactor = (role: string) =>
        `coalesce(sum(NOT passkey AND NOT factor AND role = '${role}'), 0)`
      return `SELECT count(*) AS accounts,
coalesce(sum(password AND NOT provider AND NOT passkey), 0) AS passwordAlone,
coalesce(sum(password AND NOT provider AND NOT passkey AND role = 'owner'), 0) AS ownersWithPasswordAlone,
coalesce(sum(provider), 0) AS withProvider,
coalesce(sum(passkey), 0) AS withPasskey,
coalesce(sum(NOT password AND NOT provider AND NOT passkey), 0) AS neither,
${withoutFactor("owner")} AS ownersWithoutFactor,
${withoutFactor("admin")} AS adminsWithoutFactor,
${withoutFactor("member")} AS membersWithoutFactor
FROM (SELECT user.role AS role,
  second_factor_since IS NOT NULL AS factor,
  ${isKey} AS passkey,
  coalesce(max(provider_id = 'credential'), 0) AS password,
  coalesce(max(provider_id IN (${offered})), 0) AS provider
  FROM user LEFT JOIN account ON account.user_id = user.id
  WHERE (email_verified = 1 OR unproven_since IS NULL) AND email NOT LIKE '%@accounts.invalid'
  GROUP BY user.id)`
    },
  },
  anyUser: "SELECT id FROM user LIMIT 1",
}
