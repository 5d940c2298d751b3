import type { Examples } from "../openapi/examples.ts"
import { ada } from "../user/user.examples.ts"

const open = { suspendedAt: null, suspendedFor: null, deleteAt: null }
const someone = { ...ada, plan: "free", planUntil: null, ...open }
const suspended = { suspendedAt: "2026-11-26T09:12:44.021Z", suspendedFor: "security" }
const userId = ada.id
const until = "2099-01-01T00:00:00.000Z"
const parameters = {
  limit: 20,
  cursor: "MTc5MzYwNzMzMDAwMC51c2VyX2VqODBzeWFuc2NjenZyZWJoOGticXlkbg",
}

const entry = {
  id: "audit_entry_x1ah2d5jc6c7mb1c2p5mwbd9",
  actorId: "user_g8bdy9d7457yf8r623xgvbq8",
  subjectId: userId,
  action: "change_role",
  detail: "admin",
  createdAt: "2026-11-21T20:45:12.660Z",
}

const event = {
  id: "audit_entry_2r7q0m8v4k1c9x5z3b6n7t0s",
  action: "sign_in",
  detail: "password",
  byYou: true,
  createdAt: "2026-11-21T20:45:12.660Z",
}

const invitation = {
  id: "invitation_t2m9x4c7v1k8q5z0b3n6r7s2",
  email: "grace@example.com",
  invitedBy: entry.actorId,
  createdAt: "2026-11-26T09:12:44.021Z",
  expiresAt: "2026-12-03T09:12:44.021Z",
}

export const administrationExamples: Examples = {
  makeUserAdmin: { body: { userId }, answer: { ...someone, role: "admin" } },
  changeRole: { body: { userId, role: "owner" }, answer: { ...someone, role: "owner" } },
  grantPremium: {
    body: { userId, until },
    answer: { ...someone, plan: "premium", planUntil: until },
  },
  revokePremium: { body: { userId }, answer: someone },
  suspendUser: { body: { userId, reason: "security" }, answer: { ...someone, ...suspended } },
  scheduleDeletion: {
    body: { userId, reason: "request" },
    answer: {
      ...someone,
      ...suspended,
      suspendedFor: "request",
      deleteAt: "2026-12-03T09:12:44.021Z",
    },
  },
  cancelDeletion: { body: { userId }, answer: { ...someone, ...suspended } },
  unsuspendUser: { body: { userId }, answer: someone },
  endSessions: {
    body: { userId, sessionId: "session_f1r4xmcp0d2k7q9s3v5w8y6z" },
    answer: someone,
  },
  inviteUser: { body: { email: invitation.email }, answer: invitation },
  revokeInvitation: { body: { invitationId: invitation.id }, answer: invitation },
  listInvitations: { parameters, answer: { items: [invitation], nextCursor: null } },
  resetSecondFactor: { body: { userId }, answer: someone },
  sendReset: { body: { userId }, answer: { sent: true } },
  listUsers: {
    parameters: { ...parameters, email: someone.email, formerEmail: someone.email, id: userId },
    answer: { items: [someone], nextCursor: null },
  },
  listSecurityEvents: { parameters, answer: { items: [event], nextCursor: null } },
  listAuditEntries: {
    parameters: {
      ...parameters,
      actorId: entry.actorId,
      subjectId: userId,
      action: entry.action,
    },
    answer: { items: [entry], nextCursor: null },
  },
}
