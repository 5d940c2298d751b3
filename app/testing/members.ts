import { nouns } from "./nouns.ts"

/** How many rows one statement writes: D1 gives it 30 s and holds its journal in memory. */
const rowsPerStatement = 10_000

const minute = 60 * 1000
const day = 24 * 60 * minute

/**
 * Statements that write the members of these numbers with what they leave behind in two years: a
 * password, a session, a sign-in, older entries of the audit log, rows of the features. None of them has expired.
 * @param now Unix time (ms)
 */
export function membersSql(from: number, until: number, now = Date.now()): string[] {
  const id = "printf('user_%07d', i)"
  // A member a minute, the last one eight days ago: 1,000,000 in two years.
  const joined = `${now - 8 * day} - i * ${minute}`
  const recent = `${now - day} - i % 80 * ${day} - i % 1000`
  const old = `${now - 100 * day} - i % 600 * ${day} - i % 1000`
  const inserts = [
    `user (id, email, email_verified, name, unproven_since, created_at, updated_at)
     select ${id}, printf('member-%07d@example.com', i), 1, 'Member ' || i,
       iif(i % 3 = 0, ${joined}, null), ${joined}, ${joined} from n`,
    `account (id, user_id, provider_id, account_id, password, created_at, updated_at)
     select 'account' || i, ${id}, 'credential', ${id}, hex(zeroblob(80)), ${joined}, ${joined} from n`,
    `session (id, user_id, token, ip_address, user_agent, expires_at, created_at, updated_at)
     select 'session' || i, ${id}, printf('%032d', i), '192.0.2.1',
       'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
       ${now + day} + i % 6 * ${day}, ${now}, ${now} from n`,
    `audit_entry (id, actor_id, subject_id, action, detail, created_at)
     select 'audit_sign_in' || i, ${id}, ${id}, 'sign_in', 'password', ${recent} from n`,
    `audit_entry (id, actor_id, subject_id, action, created_at)
     select 'audit_change' || i, ${id}, ${id}, 'change_password', ${old} from n`,
    `verification (id, identifier, value, expires_at, created_at, updated_at)
     select 'verification' || i, 'reset' || i, ${id}, ${now + 10 * minute}, ${now}, ${now} from n where i % 10 = 0`,
    `attempt (key, count, since) select 'attempt' || i, 1, ${now} from n where i % 10 = 0`,
    ...nouns.flatMap(({ members }) => members({ id, joined, recent, now })),
  ]
  return Array.from({ length: Math.ceil((until - from) / rowsPerStatement) }, (_, part) => {
    const first = from + part * rowsPerStatement
    const last = Math.min(until, first + rowsPerStatement) - 1
    return inserts.map((insert) => {
      const [columns, ...values] = insert.split(/\s+(?=select)/)
      return `insert into ${columns} with recursive n (i) as
        (select ${first} union all select i + 1 from n where i < ${last}) ${values.join(" ")}`
    })
  }).flat()
}
