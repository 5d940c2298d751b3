/* Generated from app/service/openapi/openapi.json by `npm run openapi`. */

export const calls = {
  user: {
    /** Get the signed-in user, or null */
    whoami: {"method":"GET","path":"/api/v1/whoami","needsSession":false,"redirects":false},
    /** Get your profile */
    getProfile: {"method":"GET","path":"/api/v1/getProfile","needsSession":true,"redirects":false},
    /** Change your name or image */
    updateProfile: {"method":"POST","path":"/api/v1/updateProfile","needsSession":true,"redirects":false},
    /** Get your plan and this month's usage */
    getPlanAndUsage: {"method":"GET","path":"/api/v1/getPlanAndUsage","needsSession":true,"redirects":false},
    /** Export all data stored about you */
    exportData: {"method":"GET","path":"/api/v1/exportData","needsSession":true,"redirects":false},
    /** List what happened to your account, newest first */
    listSecurityEvents: {"method":"GET","path":"/api/v1/listSecurityEvents","needsSession":true,"redirects":false},
  },
  service: {
    /** Get what this environment offers */
    settings: {"method":"GET"},
  },
  journal: {
    /** Write a journal entry */
    createEntry: {"method":"POST","path":"/api/v1/createEntry","needsSession":true,"redirects":false},
    /** Get one of your journal entries */
    getEntry: {"method":"GET","path":"/api/v1/getEntry","needsSession":true,"redirects":false},
    /** List your journal entries, newest first */
    listEntries: {"method":"GET","path":"/api/v1/listEntries","needsSession":true,"redirects":false},
    /** Get the journal prompt of the day */
    getTodayPrompt: {"method":"GET","path":"/api/v1/getTodayPrompt","needsSession":true,"redirects":false},
  },
  compatibility: {
    /** Store a compatibility result */
    createResult: {"method":"POST","path":"/api/v1/createResult","needsSession":true,"redirects":false},
    /** Get one of your compatibility results */
    getResult: {"method":"GET","path":"/api/v1/getResult","needsSession":true,"redirects":false},
    /** List your compatibility results, newest first */
    listResults: {"method":"GET","path":"/api/v1/listResults","needsSession":true,"redirects":false},
    /** Unlock the deep insights of a result that has been paid for */
    unlockDeepInsights: {"method":"POST","path":"/api/v1/unlockDeepInsights","needsSession":true,"redirects":false},
  },
  payment: {
    /** Start a checkout for the deep insights of a result */
    createCheckout: {"method":"POST","path":"/api/v1/createCheckout","needsSession":true,"redirects":false},
    /** Check the status of a payment with the payment provider */
    verifyPayment: {"method":"POST","path":"/api/v1/verifyPayment","needsSession":true,"redirects":false},
  },
  consent: {
    /** Record consent to a version of a document */
    recordConsent: {"method":"POST","path":"/api/v1/recordConsent","needsSession":true,"redirects":false},
    /** List your consents, newest first */
    listConsents: {"method":"GET","path":"/api/v1/listConsents","needsSession":true,"redirects":false},
    /** Withdraw a consent */
    withdrawConsent: {"method":"POST","path":"/api/v1/withdrawConsent","needsSession":true,"redirects":false},
  },
  token: {
    /** Get a token that shows another service who you are */
    createToken: {"method":"POST","path":"/api/v1/createToken","needsSession":true,"redirects":false},
  },
  admin: {
    /** Make a member an admin */
    makeUserAdmin: {"method":"POST","path":"/api/v1/makeUserAdmin","needsSession":true,"redirects":false},
    /** Change a user's role */
    changeRole: {"method":"POST","path":"/api/v1/changeRole","needsSession":true,"redirects":false},
    /** Grant a user the premium plan */
    grantPremium: {"method":"POST","path":"/api/v1/grantPremium","needsSession":true,"redirects":false},
    /** End a user's premium plan */
    revokePremium: {"method":"POST","path":"/api/v1/revokePremium","needsSession":true,"redirects":false},
    /** List all users, newest first */
    listUsers: {"method":"GET","path":"/api/v1/listUsers","needsSession":true,"redirects":false},
    /** Suspend a user's account */
    suspendUser: {"method":"POST","path":"/api/v1/suspendUser","needsSession":true,"redirects":false},
    /** Let a suspended user in again */
    unsuspendUser: {"method":"POST","path":"/api/v1/unsuspendUser","needsSession":true,"redirects":false},
    /** End one session of a user, or all */
    endSessions: {"method":"POST","path":"/api/v1/endSessions","needsSession":true,"redirects":false},
    /** Send a user the letter that resets the password */
    sendReset: {"method":"POST","path":"/api/v1/sendReset","needsSession":true,"redirects":false},
    /** Invite an address to sign up */
    inviteUser: {"method":"POST","path":"/api/v1/inviteUser","needsSession":true,"redirects":false},
    /** Take an invitation back */
    revokeInvitation: {"method":"POST","path":"/api/v1/revokeInvitation","needsSession":true,"redirects":false},
    /** List the invitations that nobody has used, newest first */
    listInvitations: {"method":"GET","path":"/api/v1/listInvitations","needsSession":true,"redirects":false},
    /** Read all data stored about a user */
    readMember: {"method":"GET","path":"/api/v1/readMember","needsSession":true,"redirects":false},
    /** List the audit log, newest first */
    listAuditEntries: {"method":"GET","path":"/api/v1/listAuditEntries","needsSession":true,"redirects":false},
  },
  auth: {
    /** Sign up with e-mail and password */
    signUpEmail: {"method":"POST","path":"/api/auth/sign-up/email","needsSession":false,"redirects":false},
    /** Sign in with e-mail and password */
    signInEmail: {"method":"POST","path":"/api/auth/sign-in/email","needsSession":false,"redirects":false},
    /** Start signing in with an identity provider */
    signInWithProvider: {"method":"GET","path":"/api/auth/sign-in/{provider}","needsSession":false,"redirects":true},
    /** Get the current session, or null */
    getSession: {"method":"GET","path":"/api/auth/get-session","needsSession":false,"redirects":false},
    /** Sign out */
    signOut: {"method":"POST","path":"/api/auth/sign-out","needsSession":false,"redirects":false},
    /** List your sessions */
    listSessions: {"method":"GET","path":"/api/auth/list-sessions","needsSession":true,"redirects":false},
    /** Revoke all your other sessions */
    revokeOtherSessions: {"method":"POST","path":"/api/auth/revoke-other-sessions","needsSession":true,"redirects":false},
    /** Revoke all your sessions */
    revokeSessions: {"method":"POST","path":"/api/auth/revoke-sessions","needsSession":true,"redirects":false},
    /** Revoke a session */
    revokeSession: {"method":"POST","path":"/api/auth/revoke-session","needsSession":true,"redirects":false},
    /** Change your password */
    changePassword: {"method":"POST","path":"/api/auth/change-password","needsSession":true,"redirects":false},
    /** List your ways to sign in */
    listAccounts: {"method":"GET","path":"/api/auth/list-accounts","needsSession":true,"redirects":false},
    /** Add an identity provider to your ways to sign in */
    linkIdentity: {"method":"POST","path":"/api/auth/link-social","needsSession":true,"redirects":false},
    /** Remove one of your ways to sign in */
    unlinkAccount: {"method":"POST","path":"/api/auth/unlink-account","needsSession":true,"redirects":false},
    /** Delete your account and all its data */
    deleteUser: {"method":"POST","path":"/api/auth/delete-user","needsSession":true,"redirects":false},
    /** Send the verification e-mail again */
    sendVerificationEmail: {"method":"POST","path":"/api/auth/send-verification-email","needsSession":false,"redirects":false},
    /** Verify an e-mail address in another browser than the one that signed up */
    verifyEmailWithPassword: {"method":"POST","path":"/api/auth/verify-email-with-password","needsSession":false,"redirects":false},
    /** Send a password reset e-mail */
    requestPasswordReset: {"method":"POST","path":"/api/auth/request-password-reset","needsSession":false,"redirects":false},
    /** Set a new password */
    resetPassword: {"method":"POST","path":"/api/auth/reset-password","needsSession":false,"redirects":false},
  },
  health: {
    /** Get the status and version of the service */
    health: {"method":"GET","path":"/api/health","needsSession":false,"redirects":false},
  },
} as const
