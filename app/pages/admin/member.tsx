import { Field, Form } from "../form.tsx"
import { given, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"
import type { Visit } from "../visit.ts"
import { When } from "../when.tsx"

function idOf({ path }: Visit) {
  return path.split("/").at(-1) ?? ""
}

const roles = ["member", "admin", "owner"] as const
const suspensionReasons = ["abuse", "security", "payment", "request", "other"] as const

export const memberPage: Page = {
  path: "/admin/members/:id",
  audience: "admin",
  title: (words) => words.member,
  show: async (visit) => {
    const { words, api, session } = visit
    const {
      profile,
      nextCursor: _,
      ...lists
    } = await given(api.admin.readMember({ userId: idOf(visit) }))
    if (profile === null) return <p>{words.codes.NOT_FOUND}</p>
    const { id, name, email, emailVerified, role, plan, planUntil, createdAt } = profile
    const { suspendedAt, suspendedFor } = profile
    const isOwner = session?.user.role === "owner"
    return (
      <>
        <dl>
          <dt>{words.name}</dt>
          <dd>{name}</dd>
          <dt>{words.email}</dt>
          <dd>
            {email} ({emailVerified ? words.verifiedAddress : words.unverifiedAddress})
          </dd>
          <dt>Id</dt>
          <dd>
            <a href={`/admin/audit?subjectId=${id}`}>{id}</a>
          </dd>
          <dt>{words.role}</dt>
          <dd>{words.roles[role]}</dd>
          <dt>{words.plan}</dt>
          <dd>
            {words.planNames[plan]}
            {plan === "premium" && ", "}
            {plan === "premium" && planUntil === null && words.openEnd}
            {planUntil !== null && (
              <>
                {words.until} <When visit={visit} at={planUntil} />
              </>
            )}
          </dd>
          <dt>{words.memberSince}</dt>
          <dd>
            <When visit={visit} at={createdAt} />
          </dd>
          {suspendedAt !== null && (
            <>
              <dt>{words.suspendedFor}</dt>
              <dd>
                {words.suspensionReasons[suspendedFor ?? "other"]},{" "}
                <When visit={visit} at={suspendedAt} />
              </dd>
            </>
          )}
        </dl>
        <Form visit={visit} act="grant" button={words.grant}>
          <Field
            visit={visit}
            act="grant"
            name="until"
            type="date"
            label={words.grantUntil}
            isOptional
          />
        </Form>
        {plan !== "free" && <Form visit={visit} act="revoke" button={words.revoke} isGrave />}
        {role === "member" && !isOwner && (
          <Form visit={visit} act="admin" button={words.makeAdmin} isGrave />
        )}
        {isOwner && (
          <Form visit={visit} act="role" button={words.changeRole} isGrave>
            <div class="field">
              <label for="role">{words.role}</label>
              <select id="role" name="role">
                {roles.map((one) => (
                  <option value={one} {...(one === role && { selected: true })}>
                    {words.roles[one]}
                  </option>
                ))}
              </select>
            </div>
          </Form>
        )}
        <Form visit={visit} act="end" button={words.endSessions} isGrave />
        {visit.settings.passwords && (
          <Form visit={visit} act="reset" button={words.sendReset} isGrave />
        )}
        {suspendedAt !== null ? (
          <Form visit={visit} act="unsuspend" button={words.unsuspend} isGrave />
        ) : (
          <Form visit={visit} act="suspend" button={words.suspend} isGrave>
            <div class="field">
              <label for="reason">{words.suspensionReason}</label>
              <select id="reason" name="reason">
                {suspensionReasons.map((one) => (
                  <option value={one}>{words.suspensionReasons[one]}</option>
                ))}
              </select>
            </div>
          </Form>
        )}
        <details>
          <summary>{words.allData}</summary>
          <pre tabindex={0}>{JSON.stringify(lists, null, 2)}</pre>
        </details>
      </>
    )
  },
  acts: {
    grant: (visit) => {
      const day = visit.field("until")
      const until = day === "" ? null : `${day}T23:59:59Z`
      const granted = visit.api.admin.grantPremium({ userId: idOf(visit), until })
      return goAfter(granted, visit.path, "changed")
    },
    revoke: (visit) =>
      goAfter(visit.api.admin.revokePremium({ userId: idOf(visit) }), visit.path, "changed"),
    admin: (visit) =>
      goAfter(visit.api.admin.makeUserAdmin({ userId: idOf(visit) }), visit.path, "changed"),
    end: (visit) =>
      goAfter(visit.api.admin.endSessions({ userId: idOf(visit) }), visit.path, "changed"),
    reset: (visit) =>
      goAfter(visit.api.admin.sendReset({ userId: idOf(visit) }), visit.path, "letter"),
    suspend: async (visit) => {
      const reason = suspensionReasons.find((one) => one === visit.field("reason"))
      if (reason === undefined) return { code: "other" }
      const suspended = visit.api.admin.suspendUser({ userId: idOf(visit), reason })
      return goAfter(suspended, visit.path, "changed")
    },
    unsuspend: (visit) =>
      goAfter(visit.api.admin.unsuspendUser({ userId: idOf(visit) }), visit.path, "changed"),
    role: async (visit) => {
      const role = roles.find((one) => one === visit.field("role"))
      if (role === undefined) return { code: "other" }
      const changed = visit.api.admin.changeRole({ userId: idOf(visit), role })
      return goAfter(changed, visit.path, "changed")
    },
  },
}
