import type { Child } from "hono/jsx"

import { providerName } from "../fields.ts"
import type { Page } from "../form.tsx"
import { List, When, searched } from "../list.tsx"
import { unwrap } from "../outcome.ts"
import { SendAgain } from "../send-again.tsx"
import type { Visit } from "../visit.ts"
import { wordFor } from "../words/words.ts"
import { deviceName } from "./devices.tsx"

/** Recovery codes: a member with this number or fewer is asked to create new ones. */
const few = 3

type Overview = NonNullable<Awaited<ReturnType<Visit["api"]["user"]["getOverview"]>>["data"]>
type Methods = Overview["methods"]
type RowProps = { title: string; to?: string; link?: string; children?: Child }

/** Shows a fact, with the link to the page that changes it. */
function Row({ title, to, link, children }: RowProps) {
  return (
    <>
      <span>
        <strong>{title}</strong>
        <small>{children}</small>
      </span>
      {to !== undefined && (
        <a class="button" href={to} aria-label={`${link}: ${title}`}>
          {link}
        </a>
      )}
    </>
  )
}

/** Lists what a member should do, the most urgent first; renders nothing if there is nothing to do. */
export function Attention({ visit, methods }: { visit: Visit; methods: Methods }) {
  const { words, session, settings } = visit
  const { secondFactor } = methods
  const path = "/account/second-factor"
  const isVerified = session?.user.emailVerified === true
  const needs = [
    !isVerified && (
      <>
        <Row title={words.codes.EMAIL_NOT_VERIFIED}>{words.attentionVerify}</Row>
        <SendAgain visit={visit} email={session?.user.email ?? ""} />
      </>
    ),
    secondFactor !== null && secondFactor.recoveryCodes < few && (
      <Row
        title={words.recoveryCodesLeft(secondFactor.recoveryCodes)}
        to={path}
        link={words.renewCodes}
      >
        {words.attentionCodes}
      </Row>
    ),
    isVerified && secondFactor === null && settings.secondFactor && methods.password && (
      <Row title={words.secondFactor} to={`${path}?app=yes`} link={words.setUpApp}>
        {words.attentionFactor}
      </Row>
    ),
  ].filter((need) => need !== false)
  if (needs.length === 0) return null
  return (
    <section class="attention">
      <h2>{words.attention}</h2>
      <List visit={visit} items={needs} row={(need) => need} />
    </section>
  )
}

/** Names the sign-in methods of an account. */
export function methodsIn(methods: Methods, { words, settings }: Visit) {
  const { password, emailCode, providers, passkeys } = methods
  return [
    ...(password ? [words.password] : []),
    ...(emailCode ? [words.emailCode] : []),
    ...providers.map(({ providerId }) => providerName(settings, providerId)),
    ...passkeys.map(({ name }) => `${words.passkey} ${name}`),
  ]
}

type Event = Overview["events"][number]
type SignIn = Pick<Event, "method" | "factor" | "device">

/** Names the sign-in method of an event; providers have their own names. */
function methodName({ method, factor }: Pick<Event, "method" | "factor">, visit: Visit) {
  const { words, settings } = visit
  const names: Record<string, string> = words.methods
  const parts = [
    method === null ? undefined : (names[method] ?? providerName(settings, method)),
    factor === null || factor === method ? undefined : wordFor(words.factors, factor),
  ]
  return parts.filter((part) => part !== undefined).join(", ")
}

/** Renders the method of a sign-in and its device. */
export function SignInFacts({ visit, device, ...how }: SignIn & { visit: Visit }) {
  const parts = [methodName(how, visit), device && deviceName(device, visit.words)]
  return <>{parts.filter(Boolean).join(", ")}</>
}

/** Renders the detail of an event as text for members; ids are left out. */
export function detailOf(
  { detail, action, ...how }: Omit<Event, "byYou" | "id" | "createdAt" | "device" | "how">,
  visit: Visit,
) {
  const { words } = visit
  if (how.method !== null) return methodName(how, visit)
  if (detail === null || /^[a-z_]+_[0-9a-z]{20,}$/.test(detail)) return ""
  if (/^\d{4}-/.test(detail)) return detail.slice(0, 10)
  if (action.endsWith("_identity")) return methodName({ method: detail, factor: null }, visit)
  return wordFor({ ...words.roles, ...words.suspensionReasons }, detail)
}

type ShownEvent = Omit<Event, "byYou">
type MergedEvent = ShownEvent & { count: number; firstAt: string }

/** Merges neighbouring events that differ only in their time. */
export function mergeEvents(events: ShownEvent[]): MergedEvent[] {
  const merged: MergedEvent[] = []
  for (const event of events) {
    const newer = merged.at(-1)
    if (newer !== undefined && kindOf(newer) === kindOf(event)) {
      newer.count += 1
      newer.firstAt = event.createdAt
    } else {
      merged.push({ ...event, count: 1, firstAt: event.createdAt })
    }
  }
  return merged
}

function kindOf({ action, detail, method, factor, how, device }: ShownEvent) {
  return JSON.stringify([action, detail, method, factor, how, device])
}

type EventProps = {
  visit: Visit
  event: MergedEvent
  /** Text for an action of the member's own. */
  you?: string
}

/** Renders an event: its action, actor, device and time. */
export function EventRow({ visit, event, you }: EventProps) {
  const { words } = visit
  const { action, device, how, createdAt, count, firstAt } = event
  const detail = detailOf(event, visit)
  return (
    <>
      <span class="said">
        {count > 1 && `${count} × `}
        {wordFor(words.actions, action)} {detail && <span class="tag">{detail}</span>}
        <small>
          {(how === "you" ? you : undefined) ?? wordFor(words.how, how)}
          {device && `, ${deviceName(device, words)}`}
        </small>
      </span>
      <span>
        {count > 1 && (
          <>
            <When visit={visit} at={firstAt} hasTime /> –{" "}
          </>
        )}
        <When visit={visit} at={createdAt} hasTime />
      </span>
    </>
  )
}

const security: Page = {
  path: "/account/security",
  audience: "member",
  isInMenu: true,
  title: (words) => words.security,
  show: async (visit) => {
    const { words, api, settings } = visit
    const { methods, sessions, events } = await unwrap(api.user.getOverview())
    const { password, emailCode, providers, passkeys, secondFactor, trustedBrowsers } = methods
    const { passwordChangedAt, secondFactorRequired } = methods
    const names = providers.map(({ providerId }) => providerName(settings, providerId)).join(", ")
    const linked = settings.providers.length + providers.length > 0
    const devices = sessions.map(({ name, device }) => name ?? deviceName(device, words))
    return (
      <>
        <p class="soft">{words.securityText}</p>
        <Attention visit={visit} methods={methods} />
        <h2>{words.ways}</h2>
        <ul class="rows">
          {(settings.passwords || password) && (
            <li>
              <Row title={words.password} to="/account/password" link={words.manage}>
                {password ? words.byPassword : words.off}
                {passwordChangedAt !== null && (
                  <>
                    . {words.passwordChanged} <When visit={visit} at={passwordChangedAt} />
                  </>
                )}
              </Row>
            </li>
          )}
          {emailCode && (
            <li>
              <Row title={words.emailCode}>{visit.session?.user.email}</Row>
            </li>
          )}
          {linked && (
            <li>
              <Row title={words.providers} to="/account/ways" link={words.manage}>
                {names || words.noneYet}
              </Row>
            </li>
          )}
          <li>
            <Row title={words.passkeys} to="/account/passkeys" link={words.manage}>
              {passkeys.map(({ name }) => name).join(", ") || words.noneYet}
            </Row>
          </li>
          <li>
            <Row title={words.secondFactor} to="/account/second-factor" link={words.manage}>
              {secondFactor === null ? (
                words.off
              ) : (
                <>
                  {words.factorSince} <When visit={visit} at={secondFactor.since} />.{" "}
                  {words.recoveryCodesLeft(secondFactor.recoveryCodes)}{" "}
                  {trustedBrowsers.length > 0 &&
                    `${words.trustedBrowsers}: ${trustedBrowsers.length}. `}
                  {secondFactorRequired && words.factorRequired}
                </>
              )}
            </Row>
          </li>
        </ul>
        <h2>{words.devices}</h2>
        <ul class="rows">
          <li>
            <Row
              title={words.signedInOn(sessions.length)}
              to="/account/devices"
              link={words.manage}
            >
              {devices.slice(0, 5).join(", ")}
            </Row>
          </li>
        </ul>
        <h2>{words.events}</h2>
        <List
          visit={visit}
          items={mergeEvents(events)}
          row={(event) => <EventRow visit={visit} event={event} />}
          none={words.noEvents}
        />
        <p>
          <a href="/account/activity">{words.allEvents}</a>
        </p>
      </>
    )
  },
}

const activity: Page = {
  path: "/account/activity",
  audience: "member",
  parent: "/account/security",
  title: (words) => words.events,
  show: async (visit) => {
    const { words, api } = visit
    const [events, profile] = await Promise.all([
      unwrap(api.user.listSecurityEvents(searched(visit, {}))),
      unwrap(api.user.getProfile()),
    ])
    // Accounts older than the log's sign-up events, or than two years, have only a creation time.
    const isSignUp = ({ action }: Event) => action === "sign_up"
    const hasOldSignUp = events.nextCursor === null && !events.items.some(isSignUp)
    return (
      <>
        <p class="soft">
          {words.eventsText} <a href="/account/password">{words.changeIt}</a>.
        </p>
        <List
          visit={visit}
          items={mergeEvents(events.items)}
          nextCursor={events.nextCursor}
          row={(event) => <EventRow visit={visit} event={event} />}
          none={words.noEvents}
        />
        {hasOldSignUp && (
          <ul class="rows">
            <li>
              <span class="said">{words.actions.sign_up}</span>
              <When visit={visit} at={profile.createdAt} hasTime />
            </li>
          </ul>
        )}
      </>
    )
  },
}

export const securityPages = [security, activity]
