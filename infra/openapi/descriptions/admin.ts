import type { Descriptions } from "../operation.ts"

export const admin: Descriptions = {
  procedures: {
    makeUserAdmin: {
      summary: "Make a member an admin",
      description: "An admin or owner keeps their role.",
    },
    changeRole: {
      summary: "Change a user's role",
      description: "Owners only. The last owner cannot change their role.",
    },
    grantPremium: { summary: "Grant a user the premium plan" },
    revokePremium: { summary: "End a user's premium plan" },
    listUsers: {
      summary: "List all users, newest first",
      description:
        "Ordered by name with `search`, and by address with `email`. With `state` or `role`, a request looks at 1,000 users at most: a page with few items can have a next page.",
    },
    suspendUser: {
      summary: "Suspend a user's account",
      description:
        "Ends every session and every reset under way; until it is unsuspended, no sign-in method opens another session. What `createToken` gave out lasts as long as it says. The user gets an email.",
    },
    unsuspendUser: {
      summary: "Let a suspended user in again",
      description:
        "The user can sign in again, and gets an email. A scheduled deletion is cancelled.",
    },
    scheduleDeletion: {
      summary: "Delete a user's account in seven days",
      description:
        "Suspends it until then, as suspendUser does, and tells the user by email. What the law wants of payments and consents is kept, as when members delete their own account.",
    },
    cancelDeletion: {
      summary: "Take back the deletion of a user's account",
      description:
        "It stays suspended until it is unsuspended. The user gets an email. A deleted account cannot be restored.",
    },
    endSessions: {
      summary: "End one session of a user, or all",
      description:
        "`readMember` lists them; with all of them end trust in browsers, and every reset, code and sign-in under way. What is left is the user's own: passwords and providers sign in again. The user gets an email.",
    },
    sendReset: {
      summary: "Send a user the email that resets the password",
      description:
        "As if the user had asked for it: but counted with what admins send: four at once, and then one in ten minutes.",
    },
    sendVerification: {
      summary: "Send a user the email that verifies the address",
      description:
        "As if the user had asked for it: but counted with what admins send: four at once, and then one in ten minutes. An address that is verified gets none.",
    },
    resetSecondFactor: {
      summary: "Take the second factor off a user's account",
      description:
        "For a member who has lost the app and the recovery codes; make sure that it is them first. Owners only, and not on themselves. Ends every session and trust in browsers. Passkeys stay, unless the account has no app. The user gets an email.",
    },
    recoverAccount: {
      summary: "Give an account back to the owner of its address",
      description:
        "For an account that someone else has gained access to; make sure that you talk to its owner first. Removes every authenticator: the password, identities, passkeys, the app and its codes. Ends all access, and sends the address the email that resets the password or, if passwords are off, an email about the recovery. With `formerEmail` an owner gives the account an address back that it had in the last thirty days, which is free.",
    },
    inviteUser: {
      summary: "Invite an address to sign up",
      description:
        "Sends it an email whose link, `/sign-up?invitation=`, is valid for seven days, once; another invitation of the address replaces it, and it opens nothing once its admin is suspended or no longer an admin. Admins send an address four emails at once, and then one in ten minutes. The invited user signs up by signUpEmail with the token, or with an identity provider that names the address.",
    },
    revokeInvitation: {
      summary: "Take an invitation back",
      description: "Its link opens no account any more.",
    },
    listInvitations: { summary: "List the unused invitations, newest first" },
    getMemberAccess: {
      summary: "Say whether a member can sign in, and why not",
      description: "What support asks first. Every call is recorded in the audit log.",
    },
    readMember: {
      summary: "Read all data stored about a user",
      description: "For moderation. Every call is recorded in the audit log.",
    },
    listAuditEntries: { summary: "List the audit log, newest first" },
  },
  fields: {
    "listUsers.state":
      "`deletion`: about to be deleted; `active`: none of the others, where `unverified` counts if addresses are verified",
    "listUsers.id":
      "Of the user, or of a record of theirs, such as a payment; `email` and `formerEmail` are ignored then",
    "listUsers.email": "How the address begins, or all of it",
    "sendVerification.answer.sent": "False: the address is verified",
    "readMember.answer.profile": "Null on every page but the first",
    "getMemberAccess.answer.events": "The newest, without what admins have looked at",
    "endSessions.body.sessionId": "Left out: all",
    "grantPremium.body.until": "Null: no end date",
    "readMember.answer.nextCursor": "Cursor of the next page; null on the last page",
    "listUsers.search":
      "How the name, its last word or the address begins, all of a former address, or an id: the first of each, without a cursor; `email`, `formerEmail` and `id` are ignored then",
    "listUsers.formerEmail":
      "All of an address that accounts had in the last thirty days; `email` is ignored then",
    "recoverAccount.body.formerEmail": "Owners only",
    "listUsers.answer.items.lastSignInAt": "Of the first twenty sign-ins of a day",
    invitedBy: "Id of the admin",
    "getMemberAccess.answer.verdict.canSignIn": "False where a reason other than `locked` is there",
    "getMemberAccess.answer.verdict.reasons":
      "`deleted`: about to be; `unverified`: and this environment asks for it; `no_method`: none that this environment offers; `no_factor`: the second factor is on, and nothing is left to show it; `locked`: browsers that they have not signed in with",
    "getMemberAccess.answer.locks":
      "Of browsers that they have not signed in with: each known one has its own count",
    "listAuditEntries.about": "Actor or subject: their id, or the whole address",
    "listAuditEntries.group": "Of actions; ignored with `action`",
    "listAuditEntries.since": "A time, or the beginning of a day in UTC",
    "listAuditEntries.until": "A time, or the beginning of a day in UTC: entries before it",
    "listAuditEntries.actorId": "Id, or the whole address",
    "listAuditEntries.answer.items.actorId": "Null if the actor was not signed in",
    "listAuditEntries.subjectId": "Id, or the whole address",
    "listAuditEntries.answer.items.actor": "As they are now; null if the account no longer exists",
    "listAuditEntries.answer.items.subject":
      "As they are now; null if the account no longer exists",
  },
}
