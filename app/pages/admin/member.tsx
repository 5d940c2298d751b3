import { defineForm, Form, type Page } from "../form.tsx"
import { Fact, When } from "../list.tsx"
import { type Done, unwrap, goAfter, type Result, Show } from "../outcome.ts"
import type { Visit } from "../visit.ts"
import type { Words } from "../words/en.ts"
import { Access } from "./access.tsx"

function idOf({ path }: Visit) {
  return path.split("/").at(-1) ?? ""
}

/** Returns to the member's page after the operation. */
function after(answer: Promise<Result<unknown>>, { path }: Visit, done: Done) {
  return goAfter(answer, path, done)
}

type Api = Visit["api"]["admin"]
/** Names of the operations whose only input is the member's id. */
type Plain = {
  [Name in keyof Api]: { userId: string } extends Parameters<Api[Name]>[0] ? Name : never
}[keyof Api]

/** Maps each form's operation to the action in the log, whose words the confirmation uses. */
const dones = {
  revokePremium: "revoke_premium",
  makeUserAdmin: "change_role",
  endSessions: "end_sessions",
  sendReset: "send_reset",
  sendVerification: "send_verification",
  resetSecondFactor: "reset_second_factor",
  unsuspendUser: "unsuspend",
  cancelDeletion: "cancel_deletion",
} as const

/** Defines a form without fields that asks for a confirmation. */
function plainAct(act: Plain & keyof typeof dones, button: (words: Words) => string) {
  const done = dones[act]
  return defineForm({
    act,
    button,
    isSecondary: true,
    confirmation: ({ confirmations }) => confirmations[done],
    fields: {},
    send: (visit) => after(visit.api.admin[act]({ userId: idOf(visit) }), visit, done),
  })
}

const reasonField = {
  is: "choice",
  label: (words: Words) => words.suspensionReason,
  options: ({ suspensionReasons }: Words) => suspensionReasons,
} as const

const grantForm = defineForm({
  act: "grant",
  button: (words) => words.grant,
  isSecondary: true,
  fields: { until: { is: "date", label: (words) => words.grantUntil, isOptional: true } },
  send: (visit, { until: day }) => {
    const until = day === "" ? null : `${day}T23:59:59Z`
    return after(
      visit.api.admin.grantPremium({ userId: idOf(visit), until }),
      visit,
      "grant_premium",
    )
  },
})

const revokeForm = plainAct("revokePremium", (words) => words.revoke)

const adminForm = plainAct("makeUserAdmin", (words) => words.makeAdmin)

const roleForm = defineForm({
  act: "role",
  button: (words) => words.changeRole,
  isSecondary: true,
  confirmation: ({ confirmations }) => confirmations.change_role,
  fields: { role: { is: "choice", label: (words) => words.role, options: ({ roles }) => roles } },
  send: (visit, { role }) =>
    after(visit.api.admin.changeRole({ userId: idOf(visit), role }), visit, "change_role"),
})

const endForm = plainAct("endSessions", (words) => words.endSessions)

const resetForm = plainAct("sendReset", (words) => words.sendReset)

const verificationForm = plainAct("sendVerification", (words) => words.sendVerification)

const factorForm = plainAct("resetSecondFactor", (words) => words.resetFactor)

const recoverForm = defineForm({
  act: "recover",
  button: (words) => words.recover,
  isDestructive: true,
  confirmation: ({ confirmations }) => confirmations.recover_account,
  fields: {
    formerEmail: { is: "email", label: (words) => words.addressBack, isOptional: true },
  },
  send: async (visit, { formerEmail }) => {
    const address = formerEmail === "" ? {} : { formerEmail }
    return after(
      visit.api.admin.recoverAccount({ userId: idOf(visit), ...address }),
      visit,
      "recover_account",
    )
  },
})

const suspendForm = defineForm({
  act: "suspend",
  button: (words) => words.suspend,
  isDestructive: true,
  confirmation: ({ confirmations }) => confirmations.suspend,
  fields: { reason: reasonField },
  send: (visit, { reason }) =>
    after(visit.api.admin.suspendUser({ userId: idOf(visit), reason }), visit, "suspend"),
})

const unsuspendForm = plainAct("unsuspendUser", (words) => words.unsuspend)

const deleteForm = defineForm({
  act: "delete",
  button: (words) => words.scheduleDeletion,
  isDestructive: true,
  confirmation: ({ confirmations }) => confirmations.schedule_deletion,
  fields: { reason: reasonField },
  send: (visit, { reason }) =>
    after(
      visit.api.admin.scheduleDeletion({ userId: idOf(visit), reason }),
      visit,
      "schedule_deletion",
    ),
})

const keepForm = plainAct("cancelDeletion", (words) => words.cancelDeletion)

export const memberPage: Page = {
  path: "/admin/members/:id",
  audience: "admin",
  parent: "/admin",
  title: (words) => words.member,
  show: async (visit) => {
    const { words, api, session, query } = visit
    const userId = idOf(visit)
    const access = await unwrap(api.admin.getMemberAccess({ userId }))
    const { profile } = access
    const { id, name, email, emailVerified, role, plan, planUntil, createdAt } = profile
    const { suspendedAt, suspendedFor, deleteAt } = profile
    const about = `${name}, ${email}`
    const isOwner = session?.user.role === "owner"
    const stored = query.has("all") ? await unwrap(api.admin.readMember({ userId })) : undefined
    return new Show(
      <>
        <dl>
          <Fact name={words.name}>{name}</Fact>
          <Fact name={words.email}>
            {email} ({emailVerified ? words.verifiedAddress : words.unverifiedAddress})
          </Fact>
          <Fact name="Id">
            <code>{id}</code>
          </Fact>
          <Fact name={words.role}>{words.roles[role]}</Fact>
          <Fact name={words.plan}>
            {words.planNames[plan]}
            {plan === "premium" && ", "}
            {plan === "premium" && planUntil === null && words.openEnd}
            {planUntil !== null && (
              <>
                {words.until} <When visit={visit} at={planUntil} />
              </>
            )}
          </Fact>
          <Fact name={words.memberSince}>
            <When visit={visit} at={createdAt} />
          </Fact>
          {suspendedAt !== null && (
            <Fact name={words.suspendedFor}>
              {words.suspensionReasons[suspendedFor ?? "other"]},{" "}
              <When visit={visit} at={suspendedAt} />
            </Fact>
          )}
          {deleteAt !== null && (
            <Fact name={words.deletedOn}>
              <When visit={visit} at={deleteAt} hasTime />
            </Fact>
          )}
        </dl>
        <Access
          visit={visit}
          access={access}
          verification={<Form visit={visit} about={about} form={verificationForm} />}
        />
        <div class="acts">
          <h2>{words.plan}</h2>
          <Form visit={visit} about={about} form={grantForm} />
          {plan !== "free" && <Form visit={visit} about={about} form={revokeForm} />}
          {isOwner && <h2>{words.role}</h2>}
          {isOwner && <Form visit={visit} about={about} form={roleForm} values={{ role }} />}
          <h2>{words.actsOfAdmins}</h2>
          {role === "member" && !isOwner && <Form visit={visit} about={about} form={adminForm} />}
          <Form visit={visit} about={about} form={endForm} />
          {visit.settings.passwords && <Form visit={visit} about={about} form={resetForm} />}
          {isOwner && access.methods.secondFactor !== null && (
            <Form visit={visit} about={about} form={factorForm} />
          )}
          <Form
            visit={visit}
            about={about}
            form={recoverForm}
            without={isOwner ? [] : ["formerEmail"]}
          />
          <Form
            visit={visit}
            about={about}
            form={suspendedAt === null ? suspendForm : unsuspendForm}
          />
          <h2>{words.deletion}</h2>
          <Form visit={visit} about={about} form={deleteAt === null ? deleteForm : keepForm} />
        </div>
        <h2>{words.allData}</h2>
        {stored === undefined ? (
          <a class="button" href={visit.here({ all: "yes" })}>
            {words.show}
          </a>
        ) : (
          <pre tabindex={0}>{JSON.stringify(stored, null, 2)}</pre>
        )}
      </>,
      name,
    )
  },
  forms: [
    grantForm,
    revokeForm,
    adminForm,
    roleForm,
    endForm,
    resetForm,
    verificationForm,
    factorForm,
    recoverForm,
    suspendForm,
    unsuspendForm,
    deleteForm,
    keepForm,
  ],
}
