/* Generated from app/service/openapi/openapi.json by `npm run openapi`. */

export const calls = {
  user: {
    /** Get the signed-in user, or null */
    whoami: {"method":"GET","isOpen":true},
    /** Get your profile */
    getProfile: {"method":"GET"},
    /** Change your name, image or language */
    updateProfile: {},
    /** Get your plan and this month's usage */
    getPlanAndUsage: {"method":"GET"},
    /** Ask for another email address */
    changeEmail: {},
    /** Confirm another email address by the code that was sent to it */
    confirmEmail: {},
    /** List your sign-in methods */
    listWays: {"method":"GET"},
    /** Get your profile, sign-in methods, devices and newest events */
    getOverview: {"method":"GET"},
    /** Name a device of yours */
    renameSession: {},
    /** Rename a passkey */
    renamePasskey: {},
    /** Remove a passkey */
    removePasskey: {},
    /** Ask for a second factor, or for another app */
    beginTotp: {},
    /** Turn on a second factor by the first code of its app */
    confirmTotp: {},
    /** Make new recovery codes */
    renewRecoveryCodes: {},
    /** Turn off the second factor */
    turnOffSecondFactor: {},
    /** Stop trusting one browser, or all of them */
    forgetBrowsers: {},
    /** Export all data stored about you */
    exportData: {"method":"GET"},
    /** List what happened to your account, newest first */
    listSecurityEvents: {"method":"GET"},
  },
  service: {
    /** Get what this environment offers */
    settings: {"method":"GET","isOpen":true},
  },
  journal: {
    /** Write a journal entry */
    createEntry: {},
    /** Get one of your journal entries */
    getEntry: {"method":"GET"},
    /** List your journal entries, newest first */
    listEntries: {"method":"GET"},
    /** Get the journal prompt of the day */
    getTodayPrompt: {"method":"GET"},
  },
  compatibility: {
    /** Store a compatibility result */
    createResult: {},
    /** Get one of your compatibility results */
    getResult: {"method":"GET"},
    /** List your compatibility results, newest first */
    listResults: {"method":"GET"},
    /** Unlock the deep insights of a result that has been paid for */
    unlockDeepInsights: {},
  },
  payment: {
    /** Start a checkout for the deep insights of a result */
    createCheckout: {},
    /** Check the status of a payment with the payment provider */
    verifyPayment: {},
    /** List your payments, newest first */
    listPayments: {"method":"GET"},
  },
  consent: {
    /** Record consent to a version of a document */
    recordConsent: {},
    /** List your consents, newest first */
    listConsents: {"method":"GET"},
    /** Withdraw a consent */
    withdrawConsent: {},
  },
  token: {
    /** Get a token that shows another service who you are */
    createToken: {},
  },
  admin: {
    /** Make a member an admin */
    makeUserAdmin: {},
    /** Change a user's role */
    changeRole: {},
    /** Grant a user the premium plan */
    grantPremium: {},
    /** End a user's premium plan */
    revokePremium: {},
    /** List all users, newest first */
    listUsers: {"method":"GET"},
    /** Suspend a user's account */
    suspendUser: {},
    /** Let a suspended user in again */
    unsuspendUser: {},
    /** Delete a user's account in seven days */
    scheduleDeletion: {},
    /** Take back the deletion of a user's account */
    cancelDeletion: {},
    /** End one session of a user, or all */
    endSessions: {},
    /** Send a user the email that resets the password */
    sendReset: {},
    /** Send a user the email that verifies the address */
    sendVerification: {},
    /** Take the second factor off a user's account */
    resetSecondFactor: {},
    /** Give an account back to the owner of its address */
    recoverAccount: {},
    /** Invite an address to sign up */
    inviteUser: {},
    /** Take an invitation back */
    revokeInvitation: {},
    /** List the unused invitations, newest first */
    listInvitations: {"method":"GET"},
    /** Say whether a member can sign in, and why not */
    getMemberAccess: {"method":"GET"},
    /** Read all data stored about a user */
    readMember: {"method":"GET"},
    /** List the audit log, newest first */
    listAuditEntries: {"method":"GET"},
  },
  auth: {
    /** Sign up with e-mail and password */
    signUpEmail: {"path":"/api/auth/sign-up/email","isOpen":true},
    /** Sign in with e-mail and password */
    signInEmail: {"path":"/api/auth/sign-in/email","isOpen":true},
    /** Sign in with a code from an e-mail */
    signInCode: {"path":"/api/auth/sign-in/code","isOpen":true},
    /** Ask for a code to sign in with */
    signInCodeBegin: {"path":"/api/auth/sign-in/code/begin","isOpen":true},
    /** Start signing in with an identity provider */
    signInWithProvider: {"method":"GET","path":"/api/auth/sign-in/{provider}","isOpen":true,"redirects":true},
    /** Get the current session, or null */
    getSession: {"method":"GET","isOpen":true},
    /** Sign out */
    signOut: {"isOpen":true},
    /** List your sessions */
    listSessions: {"method":"GET"},
    /** Revoke all your other sessions, and all trust in browsers */
    revokeOtherSessions: {},
    /** Revoke all your sessions, and all trust in browsers */
    revokeSessions: {},
    /** Revoke a session */
    revokeSession: {},
    /** Change your password */
    changePassword: {},
    /** Choose a password, where the account has none */
    setPassword: {},
    /** List your password and identity providers */
    listAccounts: {"method":"GET"},
    /** Add an identity provider to your sign-in methods */
    linkIdentity: {"path":"/api/auth/link-social"},
    /** Remove one of your sign-in methods */
    unlinkAccount: {},
    /** Ask for a code by email, to show again that it is you */
    stepUpBegin: {"path":"/api/auth/step-up/begin"},
    /** Show again that it is you */
    stepUp: {},
    /** Delete your account and all its data */
    deleteUser: {},
    /** Send the verification e-mail again */
    sendVerificationEmail: {"isOpen":true},
    /** Verify an e-mail address in another browser than the one that signed up */
    verifyEmailWithPassword: {"isOpen":true},
    /** Send a password reset e-mail */
    requestPasswordReset: {"isOpen":true},
    /** Set a new password */
    resetPassword: {"isOpen":true},
    /** Ask for what a passkey has to answer */
    passkeyBegin: {"path":"/api/auth/passkey/begin","isOpen":true},
    /** Sign in with a passkey */
    signInPasskey: {"path":"/api/auth/sign-in/passkey","isOpen":true},
    /** Add a passkey */
    passkeyAdd: {"path":"/api/auth/passkey/add"},
    /** Go on with a sign-in that asks for a second factor */
    signInSecondFactor: {"path":"/api/auth/sign-in/second-factor","isOpen":true},
  },
  health: {
    /** Get the status and version of the service */
    health: {"method":"GET","path":"/api/health","isOpen":true},
  },
} as const
