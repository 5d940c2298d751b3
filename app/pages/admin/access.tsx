import { deviceOf } from "../../service/auth/device.ts"
import { deviceName } from "../account/devices.tsx"
import { EventRow } from "../account/security.tsx"
import { providerName } from "../fields.ts"
import { Fact, List, When } from "../list.tsx"
import { SendAgain } from "../send-again.tsx"
import type { Visit } from "../visit.ts"

type Member = NonNullable<Awaited<ReturnType<Visit["api"]["admin"]["readMember"]>>["data"]>
type AccessProps = {
  visit: Visit
  profile: NonNullable<Member["profile"]>
  member: Omit<Member, "profile">
  /** The newest entries about the member, the newest first. */
  entries: Entries
}
type Entries = NonNullable<
  Awaited<ReturnType<Visit["api"]["admin"]["listAuditEntries"]>>["data"]
>["items"]

/** Events that are shown; the log has all of them. */
const shownEvents = 8
/** What admins have read, which says nothing of why a member cannot sign in. */
const looks = new Set<string>(["read_member", "list_audit_entries"])
/** Milliseconds for which wrong passwords and codes lock somebody out, at most. */
const lockedFor = 15 * 60 * 1000

/** Why a member cannot sign in, as far as what is stored says it. */
function reasonsOf({ visit: { words, settings }, profile, member, entries }: AccessProps) {
  const { signInMethods, passkeys } = member
  const since = Date.now() - lockedFor
  const isLocked = entries.some(
    ({ action, createdAt }) => action.endsWith("_locked") && Date.parse(createdAt) > since,
  )
  const reasons = words.cannotSignIn
  return [
    profile.deleteAt !== null && reasons.deleted,
    profile.suspendedAt !== null && reasons.suspended,
    settings.verifyEmail && !profile.emailVerified && reasons.unverified,
    signInMethods.length + passkeys.length === 0 && !settings.emailCode && reasons.noMethod,
    isLocked && reasons.locked,
  ].filter((reason) => reason !== false)
}

/** What an admin is asked first: can they sign in, by what, and when did they. */
export function Access(props: AccessProps) {
  const { visit, profile, member, entries } = props
  const { words } = visit
  const { signInMethods, passkeys, sessions, trustedBrowsers } = member
  const reasons = reasonsOf(props)
  const methods = [
    ...signInMethods.map(({ providerId }) =>
      providerId === "credential" ? words.password : providerName(providerId),
    ),
    ...passkeys.map(({ name }) => `${words.passkey} ${name}`),
  ]
  const last = entries.find(({ action }) => action === "sign_in")
  const events = entries.filter(({ action }) => !looks.has(action))
  const open = sessions.filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now())
  return (
    <>
      <h2>{words.access}</h2>
      {reasons.length === 0 ? (
        <p class="good">{words.canSignIn}</p>
      ) : (
        <ul class="note">
          {reasons.map((reason) => (
            <li>{reason}</li>
          ))}
        </ul>
      )}
      {!profile.emailVerified && <SendAgain visit={visit} email={profile.email} />}
      <dl>
        <Fact name={words.ways}>{methods.join(", ") || words.noneYet}</Fact>
        <Fact name={words.secondFactor}>
          {profile.secondFactorSince === null ? (
            words.off
          ) : (
            <>
              {words.factorSince} <When visit={visit} at={profile.secondFactorSince} />
            </>
          )}
        </Fact>
        <Fact name={words.lastSignIn}>
          {last === undefined ? "–" : <When visit={visit} at={last.createdAt} hasTime />}
        </Fact>
        <Fact name={words.devices}>
          {open
            .map(({ name, userAgent }) => name ?? deviceName(deviceOf(userAgent ?? ""), words))
            .join(", ") || "–"}
        </Fact>
        <Fact name={words.trustedBrowsers}>{trustedBrowsers.length}</Fact>
      </dl>
      <h2>{words.events}</h2>
      <List
        visit={visit}
        items={events.slice(0, shownEvents)}
        row={(event) => <EventRow visit={visit} event={event} you={words.byMember} />}
      />
      <p>
        <a href={`/admin/audit?subjectId=${profile.id}`}>{words.allEvents}</a>
      </p>
    </>
  )
}
