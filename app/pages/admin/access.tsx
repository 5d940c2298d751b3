import type { Child } from "hono/jsx"

import { deviceName } from "../account/devices.tsx"
import { EventRow, mergeEvents, methodsIn, SignInFacts } from "../account/security.tsx"
import { Fact, List, When } from "../list.tsx"
import type { Visit } from "../visit.ts"
import { wordFor } from "../words/words.ts"

type Answer = Awaited<ReturnType<Visit["api"]["admin"]["getMemberAccess"]>>
type AccessProps = {
  visit: Visit
  access: NonNullable<Answer["data"]>
  /** The form that sends a verification email to an unverified address. */
  verification: Child
}

/** Shows whether a member can sign in, by which methods, and when they last did. */
export function Access({ visit, access, verification }: AccessProps) {
  const { words } = visit
  const { profile, verdict, methods, sessions, locks, lastSignIn, events } = access
  const { secondFactor, trustedBrowsers } = methods
  return (
    <>
      <h2>{words.access}</h2>
      {verdict.canSignIn && <p class="good">{words.canSignIn}</p>}
      {verdict.reasons.length > 0 && (
        <ul class="note">
          {verdict.reasons.map((reason) => (
            <li>
              {wordFor(words.cannotSignIn, reason)}{" "}
              {reason === "locked" &&
                locks.map(({ until }) => (
                  <>
                    {words.until} <When visit={visit} at={until} hasTime />{" "}
                  </>
                ))}
            </li>
          ))}
        </ul>
      )}
      {!profile.emailVerified && verification}
      <dl>
        <Fact name={words.lastSignIn}>
          {lastSignIn === null ? (
            words.noSignIn
          ) : (
            <>
              <When visit={visit} at={lastSignIn.at} hasTime />
              <br />
              <SignInFacts visit={visit} {...lastSignIn} />
            </>
          )}
        </Fact>
        <Fact name={words.ways}>{methodsIn(methods, visit).join(", ") || words.noneYet}</Fact>
        <Fact name={words.secondFactor}>
          {secondFactor === null ? (
            words.off
          ) : (
            <>
              {words.factorSince} <When visit={visit} at={secondFactor.since} />.{" "}
              {words.recoveryCodesLeft(secondFactor.recoveryCodes)}
            </>
          )}
        </Fact>
        <Fact name={words.devices}>
          {sessions.map(({ name, device }) => name ?? deviceName(device, words)).join(", ") ||
            words.noDevices}
        </Fact>
        <Fact name={words.trustedBrowsers}>{trustedBrowsers.length}</Fact>
      </dl>
      <h2>{words.events}</h2>
      <List
        visit={visit}
        items={mergeEvents(events)}
        row={(event) => <EventRow visit={visit} event={event} you={words.byMember} />}
        none={words.noActivity}
      />
      <p>
        <a href={`/admin/audit?about=${profile.id}`}>{words.allEvents}</a>
      </p>
    </>
  )
}
