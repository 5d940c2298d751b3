/* Generated from app/service/openapi/openapi.json by `npm run openapi`. */

export const calls = {
  user: {
    /** Get the signed-in user, or null */
    whoami: {"method":"GET"},
    /** Get your profile */
    getProfile: {"method":"GET","needsSession":true},
    /** Change your name, image or language */
    updateProfile: {"needsSession":true},
    /** Get your plan and this month's usage */
    getPlanAndUsage: {"method":"GET","needsSession":true},
    /** Ask for another e-mail address */
    changeEmail: {"needsSession":true},
    /** Confirm another e-mail address by the code of its letter */
    confirmEmail: {"needsSession":true},
    /** List all that lets you in */
    listWays: {"method":"GET","needsSession":true},
    /** Name a device of yours */
    renameSession: {"needsSession":true},
    /** List your passkeys, the oldest first */
    listPasskeys: {"method":"GET","needsSession":true},
    /** Rename a passkey */
    renamePasskey: {"needsSession":true},
    /** Remove a passkey */
    removePasskey: {"needsSession":true},
    /** Export all data stored about you */
    exportData: {"method":"GET","needsSession":true},
    /** List what happened to your account, newest first */
    listSecurityEvents: {"method":"GET","needsSession":true},
  },
  service: {
    /** Get what this environment offers */
    settings: {"method":"GET"},
  },
  journal: {
    /** Write a journal entry */
    createEntry: {"needsSession":true},
    /** Get one of your journal entries */
    getEntry: {"method":"GET","needsSession":true},
    /** List your journal entries, newest first */
    listEntries: {"method":"GET","needsSession":true},
    /** Get the journal prompt of the day */
    getTodayPrompt: {"method":"GET","needsSession":true},
  },
  compatibility: {
    /** Store a compatibility result */
    createResult: {"needsSession":true},
    /** Get one of your compatibility results */
    getResult: {"method":"GET","needsSession":true},
    /** List your compatibility results, newest first */
    listResults: {"method":"GET","needsSession":true},
    /** Unlock the deep insights of a result that has been paid for */
    unlockDeepInsights: {"needsSession":true},
  },
  payment: {
    /** Start a checkout for the deep insights of a result */
    createCheckout: {"needsSession":true},
    /** Check the status of a payment with the payment provider */
    verifyPayment: {"needsSession":true},
    /** List your payments, newest first */
    listPayments: {"method":"GET","needsSession":true},
  },
  consent: {
    /** Record consent to a version of a document */
    recordConsent: {"needsSession":true},
    /** List your consents, newest first */
    listConsents: {"method":"GET","needsSession":true},
    /** Withdraw a consent */
    withdrawConsent: {"needsSession":true},
  },
  token: {
    /** Get a token that shows another service who you are */
    createToken: {"needsSession":true},
  },
  admin: {
    /** Make a member an admin */
    makeUserAdmin: {"needsSession":true},
    /** Change a user's role */
    changeRole: {"needsSession":true},
    /** Grant a user the premium plan */
    grantPremium: {"needsSession":true},
    /** End a user's premium plan */
    revokePremium: {"needsSession":true},
    /** List all users, newest first */
    listUsers: {"method":"GET","needsSession":true},
    /** Suspend a user's account */
    suspendUser: {"needsSession":true},
    /** Let a suspended user in again */
    unsuspendUser: {"needsSession":true},
    /** Delete a user's account in seven days */
    scheduleDeletion: {"needsSession":true},
    /** Take back the deletion of a user's account */
    cancelDeletion: {"needsSession":true},
    /** End one session of a user, or all */
    endSessions: {"needsSession":true},
    /** Send a user the letter that resets the password */
    sendReset: {"needsSession":true},
    /** Invite an address to sign up */
    inviteUser: {"needsSession":true},
    /** Take an invitation back */
    revokeInvitation: {"needsSession":true},
    /** List the invitations that nobody has used, newest first */
    listInvitations: {"method":"GET","needsSession":true},
    /** Read all data stored about a user */
    readMember: {"method":"GET","needsSession":true},
    /** List the audit log, newest first */
    listAuditEntries: {"method":"GET","needsSession":true},
  },
  auth: {
    /** Sign up with e-mail and password */
    signUpEmail: {"path":"/api/auth/sign-up/email"},
    /** Sign in with e-mail and password */
    signInEmail: {"path":"/api/auth/sign-in/email"},
    /** Start signing in with an identity provider */
    signInWithProvider: {"method":"GET","path":"/api/auth/sign-in/{provider}","redirects":true},
    /** Get the current session, or null */
    getSession: {"method":"GET","path":"/api/auth/get-session"},
    /** Sign out */
    signOut: {"path":"/api/auth/sign-out"},
    /** List your sessions */
    listSessions: {"method":"GET","path":"/api/auth/list-sessions","needsSession":true},
    /** Revoke all your other sessions */
    revokeOtherSessions: {"path":"/api/auth/revoke-other-sessions","needsSession":true},
    /** Revoke all your sessions */
    revokeSessions: {"path":"/api/auth/revoke-sessions","needsSession":true},
    /** Revoke a session */
    revokeSession: {"path":"/api/auth/revoke-session","needsSession":true},
    /** Change your password */
    changePassword: {"path":"/api/auth/change-password","needsSession":true},
    /** Choose a password, where the account has none */
    setPassword: {"path":"/api/auth/set-password","needsSession":true},
    /** List your ways to sign in */
    listAccounts: {"method":"GET","path":"/api/auth/list-accounts","needsSession":true},
    /** Add an identity provider to your ways to sign in */
    linkIdentity: {"path":"/api/auth/link-social","needsSession":true},
    /** Remove one of your ways to sign in */
    unlinkAccount: {"path":"/api/auth/unlink-account","needsSession":true},
    /** Show again that it is you */
    stepUp: {"path":"/api/auth/step-up","needsSession":true},
    /** Delete your account and all its data */
    deleteUser: {"path":"/api/auth/delete-user","needsSession":true},
    /** Send the verification e-mail again */
    sendVerificationEmail: {"path":"/api/auth/send-verification-email"},
    /** Verify an e-mail address in another browser than the one that signed up */
    verifyEmailWithPassword: {"path":"/api/auth/verify-email-with-password"},
    /** Send a password reset e-mail */
    requestPasswordReset: {"path":"/api/auth/request-password-reset"},
    /** Set a new password */
    resetPassword: {"path":"/api/auth/reset-password"},
    /** Ask for what a passkey has to answer */
    passkeyBegin: {"path":"/api/auth/passkey/begin"},
    /** Sign in with a passkey */
    signInPasskey: {"path":"/api/auth/sign-in/passkey"},
    /** Add a passkey */
    passkeyAdd: {"path":"/api/auth/passkey/add","needsSession":true},
  },
  health: {
    /** Get the status and version of the service */
    health: {"method":"GET","path":"/api/health"},
  },
} as const
