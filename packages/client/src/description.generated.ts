/* Generated from app/service/openapi/openapi.json by `npm run openapi`. */

export interface paths {
    "/api/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the signed-in user, or null */
        get: operations["whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/getProfile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your profile */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/updateProfile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change your name, image or language */
        post: operations["updateProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/getPlanAndUsage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your plan and this month's usage */
        get: operations["getPlanAndUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/changeEmail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for another email address
         * @description Sends a code of eight digits to the new address, for confirmEmail in the same session, within ten minutes. The answer does not reveal whether the address has an account; the owner of that account gets an email about it. A member asks for ten codes in a day.
         */
        post: operations["changeEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/confirmEmail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm another email address by the code that was sent to it
         * @description In the session that asked for it by changeEmail, which is still proven by a step-up. The address is verified then; all other sessions, and every reset and code under way, end. The former address gets an email.
         */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listWays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sign-in methods
         * @description Also what the environment does not offer now.
         */
        get: operations["listWays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/getOverview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your profile, sign-in methods, devices and newest events
         * @description What a page about an account shows first, by one read.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/renameSession": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Name a device of yours
         * @description Lists of sessions show the name beside what the browser says of itself.
         */
        post: operations["renameSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/renamePasskey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rename a passkey */
        post: operations["renamePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/removePasskey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a passkey
         * @description Not the last way to sign in, nor the only second factor of an account that must have one. Asks for a step-up. Ends all other sessions. Then call listWays, whose acceptedPasskeys tell the browser; a device that does not hear it still offers what opens nothing any more.
         */
        post: operations["removePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/beginTotp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a second factor, or for another app
         * @description Asks for a step-up, and takes a verified address. An app that shows codes (TOTP, RFC 6238) gets the secret; nothing changes before confirmTotp has its first code, in the same session, within ten minutes.
         */
        post: operations["beginTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/confirmTotp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn on a second factor by the first code of its app
         * @description From now on, each sign-in asks for a code, except with a passkey. A previous app no longer works. Ends all other sessions; the member gets an email.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/renewRecoveryCodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make new recovery codes
         * @description Asks for a step-up. All previous codes stop working. The member gets an email.
         */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/turnOffSecondFactor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn off the second factor
         * @description Asks for a step-up. The app and the recovery codes are worthless then; passkeys stay. Not where the account must have one. Ends all other sessions, and trust in browsers; the member gets an email.
         */
        post: operations["turnOffSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forgetBrowsers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop trusting one browser, or all of them
         * @description listWays lists them. Their next sign-in asks for the second factor.
         */
        post: operations["forgetBrowsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exportData": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all data stored about you
         * @description In pages of up to 200 of each kind, fewer of large ones; later pages go on with one kind, until it is complete, and then with the next. Without passwords and tokens, and without what has not been paid for.
         */
        get: operations["exportData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listSecurityEvents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what happened to your account, newest first */
        get: operations["listSecurityEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what this environment offers
         * @description The same for every caller; it changes only with a release.
         */
        get: operations["settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/createEntry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write a journal entry */
        post: operations["createEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/getEntry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one of your journal entries */
        get: operations["getEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listEntries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your journal entries, newest first */
        get: operations["listEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/getTodayPrompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the journal prompt of the day */
        get: operations["getTodayPrompt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/createResult": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store a compatibility result */
        post: operations["createResult"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/getResult": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one of your compatibility results */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listResults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your compatibility results, newest first */
        get: operations["listResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/unlockDeepInsights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unlock the deep insights of a result that has been paid for */
        post: operations["unlockDeepInsights"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/createCheckout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a checkout for the deep insights of a result
         * @description Returns the open checkout of the result if there is one.
         */
        post: operations["createCheckout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/verifyPayment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the status of a payment with the payment provider
         * @description For the page that the provider redirects back to, which may open before the webhook arrives.
         */
        post: operations["verifyPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listPayments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your payments, newest first
         * @description Includes payments that were never paid. Only verifyPayment asks the provider for what it has not told yet.
         */
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordConsent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record consent to a version of a document
         * @description Recording a consent that is still in force changes nothing.
         */
        post: operations["recordConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listConsents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your consents, newest first */
        get: operations["listConsents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/withdrawConsent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Withdraw a consent */
        post: operations["withdrawConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/createToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a token that shows another service who you are
         * @description A JWT of some minutes, which the other service verifies with getTokenKeys; docs/tokens.md of the repository says how. Only for audiences of the environment; without any, every answer is NOT_FOUND.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/makeUserAdmin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a member an admin
         * @description An admin or owner keeps their role.
         */
        post: operations["makeUserAdmin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/changeRole": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change a user's role
         * @description Owners only. The last owner cannot change their role.
         */
        post: operations["changeRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/grantPremium": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Grant a user the premium plan */
        post: operations["grantPremium"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/revokePremium": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a user's premium plan */
        post: operations["revokePremium"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listUsers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all users, newest first
         * @description Ordered by name with `search`, and by address with `email`. With `state` or `role`, a request looks at 1,000 users at most: a page with few items can have a next page.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suspendUser": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a user's account
         * @description Ends every session and every reset under way; until it is unsuspended, no sign-in method opens another session. What `createToken` gave out lasts as long as it says. The user gets an email.
         */
        post: operations["suspendUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/unsuspendUser": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a suspended user in again
         * @description The user can sign in again, and gets an email. A scheduled deletion is cancelled.
         */
        post: operations["unsuspendUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scheduleDeletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a user's account in seven days
         * @description Suspends it until then, as suspendUser does, and tells the user by email. What the law wants of payments and consents is kept, as when members delete their own account.
         */
        post: operations["scheduleDeletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cancelDeletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back the deletion of a user's account
         * @description It stays suspended until it is unsuspended. The user gets an email. A deleted account cannot be restored.
         */
        post: operations["cancelDeletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/endSessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End one session of a user, or all
         * @description `readMember` lists them; with all of them end trust in browsers, and every reset, code and sign-in under way. What is left is the user's own: passwords and providers sign in again. The user gets an email.
         */
        post: operations["endSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sendReset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a user the email that resets the password
         * @description As if the user had asked for it: but counted with what admins send: four at once, and then one in ten minutes.
         */
        post: operations["sendReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sendVerification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a user the email that verifies the address
         * @description As if the user had asked for it: but counted with what admins send: four at once, and then one in ten minutes. An address that is verified gets none.
         */
        post: operations["sendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resetSecondFactor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the second factor off a user's account
         * @description For a member who has lost the app and the recovery codes; make sure that it is them first. Owners only, and not on themselves. Ends every session and trust in browsers. Passkeys stay, unless the account has no app. The user gets an email.
         */
        post: operations["resetSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recoverAccount": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an account back to the owner of its address
         * @description For an account that someone else has gained access to; make sure that you talk to its owner first. Removes every authenticator: the password, identities, passkeys, the app and its codes. Ends all access, and sends the address the email that resets the password or, if passwords are off, an email about the recovery. With `formerEmail` an owner gives the account an address back that it had in the last thirty days, which is free.
         */
        post: operations["recoverAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inviteUser": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite an address to sign up
         * @description Sends it an email whose link, `/sign-up?invitation=`, is valid for seven days, once; another invitation of the address replaces it, and it opens nothing once its admin is suspended or no longer an admin. Admins send an address four emails at once, and then one in ten minutes. The invited user signs up by signUpEmail with the token, or with an identity provider that names the address.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/revokeInvitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an invitation back
         * @description Its link opens no account any more.
         */
        post: operations["revokeInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listInvitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the unused invitations, newest first */
        get: operations["listInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/getMemberAccess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say whether a member can sign in, and why not
         * @description What support asks first. Every call is recorded in the audit log.
         */
        get: operations["getMemberAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readMember": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all data stored about a user
         * @description For moderation. Every call is recorded in the audit log.
         */
        get: operations["readMember"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listAuditEntries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the audit log, newest first */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-up/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign up with e-mail and password
         * @description Signs the user in, unless email addresses must be verified: then token is null, a verification email is sent, and an address that already has an account gets the same response as a new one. Several sign-ups with an address that is not verified yet do not end each other: the link that is opened first counts. With an invitation, whose email has proven the address, the user is verified and signed in.
         */
        post: operations["signUpEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with e-mail and password
         * @description Where addresses must be verified, one that is not yet gets the answer to a wrong password: anyone may have signed up with it. After ten wrong passwords within 15 minutes, the correct one is rejected too, except in a browser that has signed in with the address before. That an account is suspended, and why (`data.reason`), or asks for a second factor, is told with the right password alone; 403 SECOND_FACTOR_REQUIRED is not the end: signInSecondFactor goes on.
         */
        post: operations["signInEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a code from an e-mail
         * @description In the browser that asked for it by signInCodeBegin: elsewhere it is nothing. Five tries a code. It works once, and verifies the address: what others have set on an account that was not verified goes. That an account is suspended, or asks for a second factor, is told with the right code alone.
         */
        post: operations["signInCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/code/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a code to sign in with
         * @description Sends eight digits to the address, if it has an account, for signInCode in the same browser, within ten minutes; each ends the one before. The answer is the same for every address. An address gets four of these emails at once, and then one in ten minutes; a browser that has signed in with it has as many of its own.
         */
        post: operations["signInCodeBegin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start signing in with an identity provider
         * @description Navigate the browser to this URL; do not fetch it. If the provider cannot be reached, it redirects to errorCallbackURL with ?error=provider_unavailable.
         */
        get: operations["signInWithProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/callback/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/get-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current session, or null
         * @description Once a day, extends the session and its cookie to a week from now.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/list-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/revoke-other-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke all your other sessions, and all trust in browsers */
        post: operations["revokeOtherSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/revoke-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke all your sessions, and all trust in browsers */
        post: operations["revokeSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/revoke-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a session */
        post: operations["revokeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Asks for a step-up where the account has a second factor or a passkey.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/set-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose a password, where the account has none
         * @description Asks for a step-up. Ends every reset under way.
         */
        post: operations["setPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/list-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your password and identity providers
         * @description The password is `credential`; the others are identity providers.
         */
        get: operations["listAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/link-social": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an identity provider to your sign-in methods
         * @description Asks for a step-up. Navigate the browser to the URL of the answer; it ends at callbackURL, or at errorCallbackURL with ?error= and a code of returnFromProvider.
         */
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/unlink-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove one of your sign-in methods
         * @description Not the last one. Asks for a step-up. Ends all other sessions. The provider opens the account again only once you have added it.
         */
        post: operations["unlinkAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/step-up/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a code by email, to show again that it is you
         * @description If `data.ways` of STEP_UP_REQUIRED has `email`, as for an account that only identity providers open. Sends eight digits to the account's address, for stepUp in the same session within ten minutes; ten codes in a day.
         */
        post: operations["stepUpBegin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/step-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show again that it is you
         * @description Changes of who can sign in to an account, and actions on the account of another user, ask for it: 403 STEP_UP_REQUIRED, unless all that the account has was shown in the last ten minutes, as at a sign-in, in this browser: the cookie `session_binding`, which a sign-in and this set beside the session's, says that. `data.ways` says which proofs are accepted: only a factor where the account has one, an app or a passkey, or where the session has shown one. `sign-in` is another sign-in, which takes the place of the session: with a provider it counts if it was begun with prompt=login and the provider says when it asked (auth_time). `email` is a code that stepUpBegin sends.
         */
        post: operations["stepUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/delete-user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete your account and all its data
         * @description Asks for a step-up. The password is one by itself, where the account has neither a second factor nor a passkey.
         */
        post: operations["deleteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/send-verification-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the verification e-mail again
         * @description The response does not reveal whether the address has an account. An address gets four emails at once, and then one in ten minutes.
         */
        post: operations["sendVerificationEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email-with-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an e-mail address in another browser than the one that signed up
         * @description Takes the token that the link left on the page, and either the password chosen at sign-up or a new one, for those who did not sign up or do not remember it. A new one replaces whatever was set on the address before: password, name, image and sessions. Does not sign in.
         */
        post: operations["verifyEmailWithPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/request-password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a password reset e-mail
         * @description The response does not reveal whether the address has an account. An address gets four emails at once, and then one in ten minutes; a browser that has signed in with it has as many of its own.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password
         * @description The token works once, and no other one after it. Verifies the address, and revokes all sessions of the account.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/passkey/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for what a passkey has to answer
         * @description Give the answer to navigator.credentials, and the toJSON() of what that returns to signInPasskey, stepUp or passkeyAdd, within five minutes, from the same browser. To add one takes a session with a step-up, so that no device makes one that is refused.
         */
        post: operations["passkeyBegin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description The authenticator verifies its owner each time, so it stands for password and second factor. One code for all that is wrong with it.
         */
        post: operations["signInPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/passkey/add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a passkey
         * @description Asks for a step-up, and takes a verified address. At most 20; an authenticator that cannot verify its owner is refused.
         */
        post: operations["passkeyAdd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a sign-in that asks for a second factor
         * @description After signInEmail has answered 403 SECOND_FACTOR_REQUIRED, or returnFromProvider led to ?error=second_factor_required, in the same browser and within ten minutes. Takes a code of the app, once, or a recovery code, which is spent then. Five tries; an account rejects codes of an app for a day after twenty wrong ones, except in browsers that have signed in before, and still accepts recovery codes. A passkey signs in by itself: signInPasskey.
         */
        post: operations["signInSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the status and version of the service */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/processWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @description For programs; never changes */
            code: string;
            /** @description For people; may change */
            message: string;
            /** @description Whether a typed operation declares this error */
            defined?: boolean;
            status?: number;
            data?: {
                /** @description What the account has for a step-up, or a sign-in that goes on */
                ways?: ("totp" | "recovery" | "passkey" | "password" | "sign-in" | "email")[];
                /**
                 * @description Why the account is suspended
                 * @enum {unknown}
                 */
                reason?: "abuse" | "security" | "payment" | "request" | "other";
                /** @description Argument of PublicKeyCredential.signalUnknownCredential, after which the device no longer offers the passkey */
                unknownCredential?: {
                    rpId: string;
                    credentialId: string;
                };
                issues?: {
                    path: (string | number)[];
                    message: string;
                    minimum?: number;
                    maximum?: number;
                }[];
            };
        };
    };
    responses: {
        /** @description BAD_REQUEST: The input is invalid */
        BAD_REQUEST: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST";
                };
            };
        };
        /** @description TOO_MANY_REQUESTS: Too many attempts; try again later */
        TOO_MANY_REQUESTS: {
            headers: {
                /** @description Seconds after which the request may be sent again */
                "retry-after"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "TOO_MANY_REQUESTS";
                };
            };
        };
        /** @description INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file */
        INVALID_ORIGIN: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_ORIGIN";
                };
            };
        };
        /** @description INTERNAL_SERVER_ERROR: Internal server error */
        INTERNAL_SERVER_ERROR: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INTERNAL_SERVER_ERROR";
                };
            };
        };
        /** @description UNAVAILABLE: The database cannot be reached; try again later. SERVICE_MISCONFIGURED: The service is misconfigured; its log lists every problem */
        "UNAVAILABLE.SERVICE_MISCONFIGURED": {
            headers: {
                /** @description Seconds after which the request may be sent again */
                "retry-after"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNAVAILABLE" | "SERVICE_MISCONFIGURED";
                };
            };
        };
        /** @description UNAUTHORIZED: Sign in first */
        UNAUTHORIZED: {
            headers: {
                /** @description Clears the cookie of a session that has ended */
                "set-cookie"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNAUTHORIZED";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again */
        SESSION_CHANGED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file */
        "SECOND_FACTOR_MISSING.INVALID_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "INVALID_ORIGIN";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description PAYLOAD_TOO_LARGE: The request body is too large */
        PAYLOAD_TOO_LARGE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PAYLOAD_TOO_LARGE";
                };
            };
        };
        /** @description UNSUPPORTED_MEDIA_TYPE: The request body must be application/json */
        UNSUPPORTED_MEDIA_TYPE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNSUPPORTED_MEDIA_TYPE";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. VERIFICATION_EMAIL_NOT_ENABLED: Verification email isn't enabled */
        "BAD_REQUEST.VERIFICATION_EMAIL_NOT_ENABLED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "VERIFICATION_EMAIL_NOT_ENABLED";
                };
            };
        };
        /** @description TOO_MANY_REQUESTS: Too many attempts; try again later. TOO_MANY_ATTEMPTS: Too many wrong passwords or codes; try again later, or reset the password */
        "TOO_MANY_REQUESTS.TOO_MANY_ATTEMPTS": {
            headers: {
                /** @description Seconds after which the request may be sent again */
                "retry-after"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "TOO_MANY_REQUESTS" | "TOO_MANY_ATTEMPTS";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. EMAIL_NOT_VERIFIED: Verify the address of your account first. RESERVED_ADDRESS: This e-mail address is reserved. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.EMAIL_NOT_VERIFIED.RESERVED_ADDRESS.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "STEP_UP_REQUIRED" | "EMAIL_NOT_VERIFIED" | "RESERVED_ADDRESS" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. INVALID_CODE: Invalid code, or one that is too old */
        "BAD_REQUEST.INVALID_CODE": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "INVALID_CODE";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. EMAIL_TAKEN: This e-mail address has an account */
        "SESSION_CHANGED.EMAIL_TAKEN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "EMAIL_TAKEN";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "STEP_UP_REQUIRED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description NOT_FOUND: Session not found */
        NOT_FOUND: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description NOT_FOUND: Passkey not found */
        "NOT_FOUND.2": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. SECOND_FACTOR_MANDATORY: This account must have a second factor: put another one in its place. LAST_WAY: It is the last way to sign in; add another one first */
        "SESSION_CHANGED.SECOND_FACTOR_MANDATORY.LAST_WAY": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "SECOND_FACTOR_MANDATORY" | "LAST_WAY";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. SECOND_FACTOR_NOT_OFFERED: No second factor can be turned on here. EMAIL_NOT_VERIFIED: Verify the address of your account first. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.SECOND_FACTOR_NOT_OFFERED.EMAIL_NOT_VERIFIED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "STEP_UP_REQUIRED" | "SECOND_FACTOR_NOT_OFFERED" | "EMAIL_NOT_VERIFIED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. SECOND_FACTOR_OFF: There is no second factor: turn one on first */
        "SESSION_CHANGED.SECOND_FACTOR_OFF": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "SECOND_FACTOR_OFF";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. SECOND_FACTOR_OFF: There is no second factor: turn one on first. SECOND_FACTOR_MANDATORY: This account must have a second factor: put another one in its place */
        "SESSION_CHANGED.SECOND_FACTOR_OFF.SECOND_FACTOR_MANDATORY": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "SECOND_FACTOR_OFF" | "SECOND_FACTOR_MANDATORY";
                };
            };
        };
        /** @description PLAN_LIMIT_REACHED: The monthly limit of your plan has been reached */
        PLAN_LIMIT_REACHED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PLAN_LIMIT_REACHED";
                };
            };
        };
        /** @description NOT_FOUND: Journal entry not found */
        "NOT_FOUND.3": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description NOT_FOUND: Compatibility result not found */
        "NOT_FOUND.4": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description PAYMENT_REQUIRED: This payment does not cover this result */
        PAYMENT_REQUIRED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PAYMENT_REQUIRED";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. PAYMENT_PROCESSING: A payment for these insights is on its way. ALREADY_UNLOCKED: These deep insights have already been paid for */
        "SESSION_CHANGED.PAYMENT_PROCESSING.ALREADY_UNLOCKED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "PAYMENT_PROCESSING" | "ALREADY_UNLOCKED";
                };
            };
        };
        /** @description PAYMENT_NOT_CONFIGURED: Payments are not configured here. PAYMENT_UNAVAILABLE: The payment provider cannot be reached. UNAVAILABLE: The database cannot be reached; try again later. SERVICE_MISCONFIGURED: The service is misconfigured; its log lists every problem */
        "PAYMENT_NOT_CONFIGURED.PAYMENT_UNAVAILABLE.UNAVAILABLE.SERVICE_MISCONFIGURED": {
            headers: {
                /** @description Seconds after which the request may be sent again */
                "retry-after"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PAYMENT_NOT_CONFIGURED" | "PAYMENT_UNAVAILABLE" | "UNAVAILABLE" | "SERVICE_MISCONFIGURED";
                };
            };
        };
        /** @description NOT_FOUND: Payment not found */
        "NOT_FOUND.5": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. TOO_MANY_CONSENTS: At most 100 consents */
        "SESSION_CHANGED.TOO_MANY_CONSENTS": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "TOO_MANY_CONSENTS";
                };
            };
        };
        /** @description NOT_FOUND: Consent not found */
        "NOT_FOUND.6": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description NOT_FOUND: No tokens for this audience */
        "NOT_FOUND.7": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. MEMBER_NOT_VERIFIED: The address of this account is not verified: its owner must open the link of the verification email first */
        "SESSION_CHANGED.MEMBER_NOT_VERIFIED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "MEMBER_NOT_VERIFIED";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. FORBIDDEN: Requires the role admin or owner. MISSING_OR_NULL_ORIGIN: Missing or null Origin. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file */
        "SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "FORBIDDEN" | "MISSING_OR_NULL_ORIGIN" | "STEP_UP_REQUIRED" | "INVALID_ORIGIN";
                };
            };
        };
        /** @description NOT_FOUND: User not found */
        "NOT_FOUND.8": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. LAST_OWNER: The last owner cannot leave or change role; make another owner first. MEMBER_NOT_VERIFIED: The address of this account is not verified: its owner must open the link of the verification email first */
        "SESSION_CHANGED.LAST_OWNER.MEMBER_NOT_VERIFIED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "LAST_OWNER" | "MEMBER_NOT_VERIFIED";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. FORBIDDEN: Requires the role admin or owner. MISSING_OR_NULL_ORIGIN: Missing or null Origin. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file */
        "SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.INVALID_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "FORBIDDEN" | "MISSING_OR_NULL_ORIGIN" | "INVALID_ORIGIN";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. RESET_PASSWORD_DISABLED: Reset password isn't enabled */
        "BAD_REQUEST.RESET_PASSWORD_DISABLED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "RESET_PASSWORD_DISABLED";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. FORBIDDEN: Requires the role admin or owner. MISSING_OR_NULL_ORIGIN: Missing or null Origin. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. PASSWORD_OFF: Passwords are turned off here. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file */
        "SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.PASSWORD_OFF.INVALID_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "FORBIDDEN" | "MISSING_OR_NULL_ORIGIN" | "STEP_UP_REQUIRED" | "PASSWORD_OFF" | "INVALID_ORIGIN";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. FORMER_ADDRESS_GONE: The account has not had this address in the last thirty days, or another one has it */
        "SESSION_CHANGED.FORMER_ADDRESS_GONE": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "FORMER_ADDRESS_GONE";
                };
            };
        };
        /** @description SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. FORBIDDEN: Requires the role admin or owner. MISSING_OR_NULL_ORIGIN: Missing or null Origin. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. SIGN_UP_CLOSED: Sign-up is closed here. RESERVED_ADDRESS: This e-mail address is reserved. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file */
        "SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.SIGN_UP_CLOSED.RESERVED_ADDRESS.INVALID_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_MISSING" | "FORBIDDEN" | "MISSING_OR_NULL_ORIGIN" | "STEP_UP_REQUIRED" | "SIGN_UP_CLOSED" | "RESERVED_ADDRESS" | "INVALID_ORIGIN";
                };
            };
        };
        /** @description USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: User already exists. Use another email. */
        USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL";
                };
            };
        };
        /** @description NOT_FOUND: Invitation not found */
        "NOT_FOUND.9": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. PASSWORD_BREACHED: This password is known from a leak; choose another one */
        "BAD_REQUEST.PASSWORD_BREACHED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "PASSWORD_BREACHED";
                };
            };
        };
        /** @description SIGN_UP_CLOSED: Sign-up is closed here. INVITATION_REQUIRED: Sign-up takes an invitation of this address. PASSWORD_OFF: Passwords are turned off here. RESERVED_ADDRESS: This e-mail address is reserved. TURNSTILE_REFUSED: Turnstile has not let this browser through. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "SIGN_UP_CLOSED.INVITATION_REQUIRED.PASSWORD_OFF.RESERVED_ADDRESS.TURNSTILE_REFUSED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SIGN_UP_CLOSED" | "INVITATION_REQUIRED" | "PASSWORD_OFF" | "RESERVED_ADDRESS" | "TURNSTILE_REFUSED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description TURNSTILE_UNAVAILABLE: Turnstile cannot be asked; try again later. UNAVAILABLE: The database cannot be reached; try again later. SERVICE_MISCONFIGURED: The service is misconfigured; its log lists every problem */
        "TURNSTILE_UNAVAILABLE.UNAVAILABLE.SERVICE_MISCONFIGURED": {
            headers: {
                /** @description Seconds after which the request may be sent again */
                "retry-after"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "TURNSTILE_UNAVAILABLE" | "UNAVAILABLE" | "SERVICE_MISCONFIGURED";
                };
            };
        };
        /** @description INVALID_EMAIL_OR_PASSWORD: Invalid email or password, or an address that is not verified yet */
        INVALID_EMAIL_OR_PASSWORD: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_EMAIL_OR_PASSWORD";
                };
            };
        };
        /** @description TOO_MANY_ATTEMPTS: Too many wrong passwords or codes; try again later, or reset the password. TOO_MANY_REQUESTS: Too many attempts; try again later */
        "TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS": {
            headers: {
                /** @description Seconds after which the request may be sent again */
                "retry-after"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "TOO_MANY_ATTEMPTS" | "TOO_MANY_REQUESTS";
                };
            };
        };
        /** @description ACCOUNT_SUSPENDED: This account is suspended. SECOND_FACTOR_REQUIRED: Go on with signInSecondFactor, or a passkey: data.ways says what the account has. PASSWORD_OFF: Passwords are turned off here. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "ACCOUNT_SUSPENDED.SECOND_FACTOR_REQUIRED.PASSWORD_OFF.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                /** @description The sign-in that waits for the second factor */
                "set-cookie"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "ACCOUNT_SUSPENDED" | "SECOND_FACTOR_REQUIRED" | "PASSWORD_OFF" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description ACCOUNT_SUSPENDED: This account is suspended. SECOND_FACTOR_REQUIRED: Go on with signInSecondFactor, or a passkey: data.ways says what the account has. EMAIL_CODE_OFF: Codes by email are turned off here. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "ACCOUNT_SUSPENDED.SECOND_FACTOR_REQUIRED.EMAIL_CODE_OFF.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                /** @description The sign-in that waits for the second factor */
                "set-cookie"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "ACCOUNT_SUSPENDED" | "SECOND_FACTOR_REQUIRED" | "EMAIL_CODE_OFF" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description EMAIL_CODE_OFF: Codes by email are turned off here. RESERVED_ADDRESS: This e-mail address is reserved. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "EMAIL_CODE_OFF.RESERVED_ADDRESS.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "EMAIL_CODE_OFF" | "RESERVED_ADDRESS" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description PROVIDER_NOT_FOUND: Provider not found */
        PROVIDER_NOT_FOUND: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PROVIDER_NOT_FOUND";
                };
            };
        };
        /** @description INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description UNAUTHORIZED: Unauthorized */
        "UNAUTHORIZED.2": {
            headers: {
                /** @description Clears the cookie of a session that has ended */
                "set-cookie"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNAUTHORIZED";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. INVALID_PASSWORD: Invalid password. CREDENTIAL_ACCOUNT_NOT_FOUND: Credential account not found. PASSWORD_BREACHED: This password is known from a leak; choose another one */
        "BAD_REQUEST.INVALID_PASSWORD.CREDENTIAL_ACCOUNT_NOT_FOUND.PASSWORD_BREACHED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "INVALID_PASSWORD" | "CREDENTIAL_ACCOUNT_NOT_FOUND" | "PASSWORD_BREACHED";
                };
            };
        };
        /** @description STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. PASSWORD_OFF: Passwords are turned off here. SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "STEP_UP_REQUIRED.PASSWORD_OFF.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "STEP_UP_REQUIRED" | "PASSWORD_OFF" | "SECOND_FACTOR_MISSING" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description PASSWORD_EXISTS: There is a password: change it. SESSION_CHANGED: Another account is signed in now: look before you send it again */
        "PASSWORD_EXISTS.SESSION_CHANGED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSWORD_EXISTS" | "SESSION_CHANGED";
                };
            };
        };
        /** @description PASSWORD_OFF: Passwords are turned off here. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "PASSWORD_OFF.STEP_UP_REQUIRED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSWORD_OFF" | "STEP_UP_REQUIRED" | "SECOND_FACTOR_MISSING" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "STEP_UP_REQUIRED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "STEP_UP_REQUIRED" | "SECOND_FACTOR_MISSING" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. ACCOUNT_NOT_FOUND: Account not found. FAILED_TO_UNLINK_LAST_ACCOUNT: You can't unlink your last account */
        "BAD_REQUEST.ACCOUNT_NOT_FOUND.FAILED_TO_UNLINK_LAST_ACCOUNT": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "ACCOUNT_NOT_FOUND" | "FAILED_TO_UNLINK_LAST_ACCOUNT";
                };
            };
        };
        /** @description STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "STEP_UP_REQUIRED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. INVALID_PASSWORD: Invalid password. INVALID_CODE: Invalid code, or one that is too old */
        "BAD_REQUEST.INVALID_PASSWORD.INVALID_CODE": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "INVALID_PASSWORD" | "INVALID_CODE";
                };
            };
        };
        /** @description PASSKEY_REFUSED: This passkey opens nothing here, or its answer came late or twice: begin again. UNAUTHORIZED: Unauthorized */
        "PASSKEY_REFUSED.UNAUTHORIZED": {
            headers: {
                /** @description Clears the cookie of a session that has ended */
                "set-cookie"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSKEY_REFUSED" | "UNAUTHORIZED";
                };
            };
        };
        /** @description PASSKEYS_OFF: Passkeys are turned off here. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "PASSKEYS_OFF.STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSKEYS_OFF" | "STEP_UP_REQUIRED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. INVALID_PASSWORD: Invalid password */
        "BAD_REQUEST.INVALID_PASSWORD": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "INVALID_PASSWORD";
                };
            };
        };
        /** @description LAST_OWNER: The last owner cannot leave or change role; make another owner first. SESSION_CHANGED: Another account is signed in now: look before you send it again */
        "LAST_OWNER.SESSION_CHANGED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "LAST_OWNER" | "SESSION_CHANGED";
                };
            };
        };
        /** @description TURNSTILE_REFUSED: Turnstile has not let this browser through. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "TURNSTILE_REFUSED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "TURNSTILE_REFUSED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description INVALID_TOKEN: Invalid token. TOKEN_EXPIRED: Token expired. PASSWORD_REQUIRED: This browser did not sign up: send the token with a password. UNAUTHORIZED: Open the link where you are signed in to the account */
        "INVALID_TOKEN.TOKEN_EXPIRED.PASSWORD_REQUIRED.UNAUTHORIZED": {
            headers: {
                /** @description Clears the cookie of a session that has ended */
                "set-cookie"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_TOKEN" | "TOKEN_EXPIRED" | "PASSWORD_REQUIRED" | "UNAUTHORIZED";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. INVALID_PASSWORD: Invalid password. PASSWORD_BREACHED: This password is known from a leak; choose another one */
        "BAD_REQUEST.INVALID_PASSWORD.PASSWORD_BREACHED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "INVALID_PASSWORD" | "PASSWORD_BREACHED";
                };
            };
        };
        /** @description INVALID_TOKEN: Invalid token. TOKEN_EXPIRED: Token expired */
        "INVALID_TOKEN.TOKEN_EXPIRED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_TOKEN" | "TOKEN_EXPIRED";
                };
            };
        };
        /** @description PASSWORD_OFF: Passwords are turned off here. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "PASSWORD_OFF.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSWORD_OFF" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description PASSWORD_OFF: Passwords are turned off here. TURNSTILE_REFUSED: Turnstile has not let this browser through. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "PASSWORD_OFF.TURNSTILE_REFUSED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSWORD_OFF" | "TURNSTILE_REFUSED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description PASSWORD_OFF: Passwords are turned off here. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file */
        "PASSWORD_OFF.INVALID_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSWORD_OFF" | "INVALID_ORIGIN";
                };
            };
        };
        /** @description BAD_REQUEST: The input is invalid. INVALID_TOKEN: Invalid token. PASSWORD_BREACHED: This password is known from a leak; choose another one */
        "BAD_REQUEST.INVALID_TOKEN.PASSWORD_BREACHED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BAD_REQUEST" | "INVALID_TOKEN" | "PASSWORD_BREACHED";
                };
            };
        };
        /** @description PASSKEYS_OFF: Passkeys are turned off here. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. EMAIL_NOT_VERIFIED: Verify the address of your account first. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "PASSKEYS_OFF.STEP_UP_REQUIRED.EMAIL_NOT_VERIFIED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSKEYS_OFF" | "STEP_UP_REQUIRED" | "EMAIL_NOT_VERIFIED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description SESSION_CHANGED: Another account is signed in now: look before you send it again. TOO_MANY_PASSKEYS: You have 20 passkeys; remove one first */
        "SESSION_CHANGED.TOO_MANY_PASSKEYS": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_CHANGED" | "TOO_MANY_PASSKEYS";
                };
            };
        };
        /** @description PASSKEY_REFUSED: This passkey opens nothing here, or its answer came late or twice: begin again */
        PASSKEY_REFUSED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSKEY_REFUSED";
                };
            };
        };
        /** @description PASSKEYS_OFF: Passkeys are turned off here. ACCOUNT_SUSPENDED: This account is suspended. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "PASSKEYS_OFF.ACCOUNT_SUSPENDED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSKEYS_OFF" | "ACCOUNT_SUSPENDED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description PASSKEYS_OFF: Passkeys are turned off here. STEP_UP_REQUIRED: Show again that it is you, in a way of data.ways: stepUp, or sign in again. EMAIL_NOT_VERIFIED: Verify the address of your account first. SECOND_FACTOR_MISSING: This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "PASSKEYS_OFF.STEP_UP_REQUIRED.EMAIL_NOT_VERIFIED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "PASSKEYS_OFF" | "STEP_UP_REQUIRED" | "EMAIL_NOT_VERIFIED" | "SECOND_FACTOR_MISSING" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description TOO_MANY_PASSKEYS: You have 20 passkeys; remove one first. SESSION_CHANGED: Another account is signed in now: look before you send it again */
        "TOO_MANY_PASSKEYS.SESSION_CHANGED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "TOO_MANY_PASSKEYS" | "SESSION_CHANGED";
                };
            };
        };
        /** @description STEP_EXPIRED: This sign-in was not begun in this browser, is finished, had five wrong codes or is older than ten minutes: begin again */
        STEP_EXPIRED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "STEP_EXPIRED";
                };
            };
        };
        /** @description ACCOUNT_SUSPENDED: This account is suspended. INVALID_ORIGIN: Invalid origin: add it to accounts:trustedOrigins of the stack file. MISSING_OR_NULL_ORIGIN: Missing or null Origin */
        "ACCOUNT_SUSPENDED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "ACCOUNT_SUSPENDED" | "INVALID_ORIGIN" | "MISSING_OR_NULL_ORIGIN";
                };
            };
        };
        /** @description SERVICE_MISCONFIGURED: The service is misconfigured; its log lists every problem */
        SERVICE_MISCONFIGURED: {
            headers: {
                /** @description Seconds after which the request may be sent again */
                "retry-after"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SERVICE_MISCONFIGURED";
                };
            };
        };
        /** @description NOT_FOUND: No such path */
        "NOT_FOUND.10": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description INVALID_SIGNATURE: The signature does not match the body or is too old */
        INVALID_SIGNATURE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_SIGNATURE";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    whoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                        } | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            403: components["responses"]["INVALID_ORIGIN"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @description Of emails; null: that of the browser that asks for one, or else the operator's */
                        language: ("en" | "de") | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    image?: string | null;
                    /** @description Of emails; null: that of the browser that asks for one, or else the operator's */
                    language?: ("en" | "de") | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @description Of emails; null: that of the browser that asks for one, or else the operator's */
                        language: ("en" | "de") | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getPlanAndUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        usage: {
                            /** @enum {string} */
                            metric: "journal_entries" | "compatibility_results";
                            used: number;
                            limit: number;
                        }[];
                        /** Format: date-time */
                        resetsAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    changeEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    newEmail: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        sent: true;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.VERIFICATION_EMAIL_NOT_ENABLED"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.EMAIL_NOT_VERIFIED.RESERVED_ADDRESS.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS.TOO_MANY_ATTEMPTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @description As it was sent to changeEmail
                     */
                    newEmail: string;
                    code: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_CODE"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED.EMAIL_TAKEN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS.TOO_MANY_ATTEMPTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listWays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        password: boolean;
                        /** @description Null: not known, or no password */
                        passwordChangedAt: string | null;
                        /** @description Whether you may remove it, and why not; null: no password */
                        passwordRemoval: ("allowed" | "last_method" | "required_factor") | null;
                        /** @description Whether a code that is sent to your address lets you in */
                        emailCode: boolean;
                        providers: {
                            providerId: string;
                            /** @description Your id at the provider */
                            accountId: string;
                            /** Format: date-time */
                            createdAt: string;
                            /**
                             * @description Whether you may remove it, and why not
                             * @enum {string}
                             */
                            removal: "allowed" | "last_method" | "required_factor";
                        }[];
                        /** @description The oldest first */
                        passkeys: {
                            id: string;
                            name: string;
                            /** @description Whether a copy of it outlives the device */
                            backedUp: boolean;
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Of the last sign-in or step-up */
                            usedAt: string | null;
                            /**
                             * @description Whether you may remove it, and why not
                             * @enum {string}
                             */
                            removal: "allowed" | "last_method" | "required_factor";
                        }[];
                        /** @description Null: a sign-in asks for none */
                        secondFactor: {
                            /** Format: date-time */
                            since: string;
                            /** @description Whether an app shows codes */
                            totp: boolean;
                            /** @description How many are left */
                            recoveryCodes: number;
                        } | null;
                        /** @description Whether your account must have one */
                        secondFactorRequired: boolean;
                        trustedBrowsers: {
                            id: string;
                            userAgent: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                        }[];
                        /** @description What PublicKeyCredential.signalAllAcceptedCredentials takes, for devices to offer no removed passkey; null: passkeys are off */
                        acceptedPasskeys: {
                            rpId: string;
                            userId: string;
                            allAcceptedCredentialIds: string[];
                        } | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        profile: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Of emails; null: that of the browser that asks for one, or else the operator's */
                            language: ("en" | "de") | null;
                        };
                        methods: {
                            password: boolean;
                            /** @description Null: not known, or no password */
                            passwordChangedAt: string | null;
                            /** @description Whether you may remove it, and why not; null: no password */
                            passwordRemoval: ("allowed" | "last_method" | "required_factor") | null;
                            /** @description Whether a code that is sent to your address lets you in */
                            emailCode: boolean;
                            providers: {
                                providerId: string;
                                /** @description Your id at the provider */
                                accountId: string;
                                /** Format: date-time */
                                createdAt: string;
                                /**
                                 * @description Whether you may remove it, and why not
                                 * @enum {string}
                                 */
                                removal: "allowed" | "last_method" | "required_factor";
                            }[];
                            /** @description The oldest first */
                            passkeys: {
                                id: string;
                                name: string;
                                /** @description Whether a copy of it outlives the device */
                                backedUp: boolean;
                                /** Format: date-time */
                                createdAt: string;
                                /** @description Of the last sign-in or step-up */
                                usedAt: string | null;
                                /**
                                 * @description Whether you may remove it, and why not
                                 * @enum {string}
                                 */
                                removal: "allowed" | "last_method" | "required_factor";
                            }[];
                            /** @description Null: a sign-in asks for none */
                            secondFactor: {
                                /** Format: date-time */
                                since: string;
                                /** @description Whether an app shows codes */
                                totp: boolean;
                                /** @description How many are left */
                                recoveryCodes: number;
                            } | null;
                            /** @description Whether your account must have one */
                            secondFactorRequired: boolean;
                            trustedBrowsers: {
                                id: string;
                                userAgent: string;
                                /** Format: date-time */
                                createdAt: string;
                                /** Format: date-time */
                                expiresAt: string;
                            }[];
                        };
                        /** @description The newest first */
                        sessions: {
                            id: string;
                            name: string | null;
                            /** @description What the user agent says; null if it names nothing known */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            };
                            /** Format: date-time */
                            createdAt: string;
                            isCurrent: boolean;
                        }[];
                        /** @description The newest first */
                        events: {
                            id: string;
                            /** @enum {string} */
                            action: "sign_up" | "sign_in" | "sign_in_refused" | "sign_in_locked" | "sign_out" | "revoke_sessions" | "second_factor_refused" | "second_factor_locked" | "recovery_code_used" | "verify_email" | "change_email" | "change_password" | "set_password" | "reset_password" | "link_identity" | "unlink_identity" | "passkey_added" | "passkey_removed" | "second_factor_on" | "second_factor_off" | "recovery_codes_renewed" | "delete_account" | "read_member" | "list_users" | "list_audit_entries" | "grant_premium" | "revoke_premium" | "send_reset" | "send_verification" | "invite" | "revoke_invitation" | "change_role" | "suspend" | "unsuspend" | "schedule_deletion" | "cancel_deletion" | "end_sessions" | "reset_second_factor" | "recover_account" | "settle_payment" | "payment_unmatched" | "reverse_payment";
                            detail: string | null;
                            /** @description Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider */
                            method: string | null;
                            /** @description Of a sign-in: the second factor that it was shown */
                            factor: string | null;
                            /** @description Where it was done; null if that is not known, or if an admin did it */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            } | null;
                            /**
                             * @description `link`: with the link of an email; `stranger`: by someone who was not signed in; `operator`: by the operator of the service, or the service itself
                             * @enum {string}
                             */
                            how: "you" | "link" | "stranger" | "admin" | "operator";
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Whether you were signed in when you did it */
                            byYou: boolean;
                        }[];
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    renameSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    sessionId: string;
                    /** @description Null: none */
                    name: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    passkeyId: string;
                    name: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @description Whether a copy of it outlives the device */
                        backedUp: boolean;
                        /** Format: date-time */
                        createdAt: string;
                        /** @description Of the last sign-in or step-up */
                        usedAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND.2"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    passkeyId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND.2"];
            409: components["responses"]["SESSION_CHANGED.SECOND_FACTOR_MANDATORY.LAST_WAY"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In base32, for who types it */
                        secret: string;
                        /** @description The same as otpauth://, for a QR code */
                        uri: string;
                        /** @description For confirmTotp */
                        enrolment: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.SECOND_FACTOR_NOT_OFFERED.EMAIL_NOT_VERIFIED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    enrolment: string;
                    code: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Shown this once. Each works once in place of a code; previous ones no longer work */
                        recoveryCodes: string[];
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_CODE"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.SECOND_FACTOR_NOT_OFFERED.EMAIL_NOT_VERIFIED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Shown this once. Each works once in place of a code; previous ones no longer work */
                        recoveryCodes: string[];
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED.SECOND_FACTOR_OFF"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    turnOffSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        off: true;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED.SECOND_FACTOR_OFF.SECOND_FACTOR_MANDATORY"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    forgetBrowsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Left out: all */
                    browserId?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many */
                        forgotten: number;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    exportData: {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null on every page but the first */
                        profile: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            suspendedAt: string | null;
                            suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                            deleteAt: string | null;
                            language: ("en" | "de") | null;
                            secondFactorSince: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        } | null;
                        sessions: {
                            id: string;
                            ipAddress: string | null;
                            userAgent: string | null;
                            name: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                        }[];
                        signInMethods: {
                            id: string;
                            /** @description credential: a password */
                            providerId: string;
                            /** @description Your id at the provider */
                            accountId: string;
                            scope: string | null;
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                        removedSignInMethods: {
                            providerId: string;
                            /** @description Who the provider is */
                            issuer: string | null;
                            /** Format: date-time */
                            removedAt: string;
                        }[];
                        secondFactors: {
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Null until a code of the app has shown that it works */
                            confirmedAt: string | null;
                        }[];
                        trustedBrowsers: {
                            userAgent: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                        }[];
                        passkeys: {
                            id: string;
                            name: string;
                            /** Format: date-time */
                            createdAt: string;
                            usedAt: string | null;
                        }[];
                        formerAddresses: {
                            email: string;
                            /**
                             * Format: date-time
                             * @description When it is forgotten
                             */
                            until: string;
                        }[];
                        usage: {
                            /** @enum {string} */
                            metric: "journal_entries" | "compatibility_results";
                            /** @description Calendar month (UTC) */
                            period: string;
                            count: number;
                        }[];
                        journalEntries: {
                            id: string;
                            /** @enum {string} */
                            mood: "awful" | "low" | "neutral" | "good" | "great";
                            text: string;
                            promptId: string | null;
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                        compatibilityResults: {
                            id: string;
                            partnerName: string;
                            schemaVersion: number;
                            /** @description Whether the deep insights have been paid for */
                            unlocked: boolean;
                            /** @description The payment that unlocked them */
                            paymentId: string | null;
                            /** @description Of that payment, else of the newest one for this result: pending and processing are not sold again. Null before any. */
                            paymentStatus: ("pending" | "paid" | "failed" | "processing" | "disputed" | "refunded") | null;
                            /** Format: date-time */
                            createdAt: string;
                            lite: {
                                score: number;
                                summary: string;
                                traits: {
                                    name: string;
                                    score: number;
                                }[];
                            };
                            /** @description Null until they have been paid for */
                            deepInsights: {
                                sections: {
                                    title: string;
                                    body: string;
                                }[];
                            } | null;
                        }[];
                        payments: {
                            id: string;
                            resultId: string;
                            /** @enum {string} */
                            status: "pending" | "paid" | "failed" | "processing" | "disputed" | "refunded";
                            /** @description In the currency's smallest unit */
                            amount: number;
                            currency: string;
                            /** Format: date-time */
                            createdAt: string;
                            paidAt: string | null;
                        }[];
                        consents: {
                            id: string;
                            /** @enum {string} */
                            purpose: "terms" | "privacy" | "marketing" | "analytics";
                            version: string;
                            /** Format: date-time */
                            grantedAt: string;
                            withdrawnAt: string | null;
                        }[];
                        securityEvents: {
                            id: string;
                            /** @enum {string} */
                            action: "sign_up" | "sign_in" | "sign_in_refused" | "sign_in_locked" | "sign_out" | "revoke_sessions" | "second_factor_refused" | "second_factor_locked" | "recovery_code_used" | "verify_email" | "change_email" | "change_password" | "set_password" | "reset_password" | "link_identity" | "unlink_identity" | "passkey_added" | "passkey_removed" | "second_factor_on" | "second_factor_off" | "recovery_codes_renewed" | "delete_account" | "read_member" | "list_users" | "list_audit_entries" | "grant_premium" | "revoke_premium" | "send_reset" | "send_verification" | "invite" | "revoke_invitation" | "change_role" | "suspend" | "unsuspend" | "schedule_deletion" | "cancel_deletion" | "end_sessions" | "reset_second_factor" | "recover_account" | "settle_payment" | "payment_unmatched" | "reverse_payment";
                            detail: string | null;
                            /** @description Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider */
                            method: string | null;
                            /** @description Of a sign-in: the second factor that it was shown */
                            factor: string | null;
                            /** @description Where it was done; null if that is not known, or if an admin did it */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            } | null;
                            /**
                             * @description `link`: with the link of an email; `stranger`: by someone who was not signed in; `operator`: by the operator of the service, or the service itself
                             * @enum {string}
                             */
                            how: "you" | "link" | "stranger" | "admin" | "operator";
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Whether you were signed in when you did it */
                            byYou: boolean;
                        }[];
                        /** @description Cursor of the next page; null on the last page */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listSecurityEvents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            /** @enum {string} */
                            action: "sign_up" | "sign_in" | "sign_in_refused" | "sign_in_locked" | "sign_out" | "revoke_sessions" | "second_factor_refused" | "second_factor_locked" | "recovery_code_used" | "verify_email" | "change_email" | "change_password" | "set_password" | "reset_password" | "link_identity" | "unlink_identity" | "passkey_added" | "passkey_removed" | "second_factor_on" | "second_factor_off" | "recovery_codes_renewed" | "delete_account" | "read_member" | "list_users" | "list_audit_entries" | "grant_premium" | "revoke_premium" | "send_reset" | "send_verification" | "invite" | "revoke_invitation" | "change_role" | "suspend" | "unsuspend" | "schedule_deletion" | "cancel_deletion" | "end_sessions" | "reset_second_factor" | "recover_account" | "settle_payment" | "payment_unmatched" | "reverse_payment";
                            detail: string | null;
                            /** @description Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider */
                            method: string | null;
                            /** @description Of a sign-in: the second factor that it was shown */
                            factor: string | null;
                            /** @description Where it was done; null if that is not known, or if an admin did it */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            } | null;
                            /**
                             * @description `link`: with the link of an email; `stranger`: by someone who was not signed in; `operator`: by the operator of the service, or the service itself
                             * @enum {string}
                             */
                            how: "you" | "link" | "stranger" | "admin" | "operator";
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Whether you were signed in when you did it */
                            byYou: boolean;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For signInWithProvider and linkIdentity */
                        signInProviders: string[];
                        /** @enum {string} */
                        signUp: "open" | "closed" | "invited";
                        /** @description Whether they open accounts */
                        passwords: boolean;
                        /** @description Whether signInCode takes any */
                        emailCode: boolean;
                        /** @description Whether signInPasskey and passkeyAdd take any */
                        passkeys: boolean;
                        /** @description Whether members can turn one on */
                        secondFactor: boolean;
                        /**
                         * @description Whose sessions do nothing before they have shown one; admins: and owners
                         * @enum {string}
                         */
                        requireSecondFactor: "none" | "owners" | "admins" | "everybody";
                        /** @description Whether a sign-up waits for the link of an e-mail */
                        verifiesEmail: boolean;
                        /** @description Whether a password can be reset */
                        sendsEmail: boolean;
                        /** @description Whether createToken gives any */
                        issuesTokens: boolean;
                        /** @description In characters */
                        password: {
                            minimum: number;
                            maximum: number;
                        };
                        /** @description Present if a browser must pass its widget before a sign-up or an email */
                        turnstile?: {
                            siteKey: string;
                        };
                        /** @description How many a member may create in a month */
                        plans: {
                            [key: string]: {
                                [key: string]: number;
                            };
                        };
                        /** @description Empty where no payments are taken */
                        prices: {
                            [key: string]: {
                                /** @description In the currency's smallest unit */
                                amount: number;
                                currency: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            403: components["responses"]["INVALID_ORIGIN"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    createEntry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    mood: "awful" | "low" | "neutral" | "good" | "great";
                    text: string;
                    promptId?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        mood: "awful" | "low" | "neutral" | "good" | "great";
                        text: string;
                        promptId: string | null;
                        /** Format: date-time */
                        createdAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            402: components["responses"]["PLAN_LIMIT_REACHED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getEntry: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        mood: "awful" | "low" | "neutral" | "good" | "great";
                        text: string;
                        promptId: string | null;
                        /** Format: date-time */
                        createdAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.3"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listEntries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                mood?: "awful" | "low" | "neutral" | "good" | "great";
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            /** @enum {string} */
                            mood: "awful" | "low" | "neutral" | "good" | "great";
                            text: string;
                            promptId: string | null;
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getTodayPrompt: {
        parameters: {
            query?: {
                date?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** Format: date */
                        date: string;
                        text: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    createResult: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    partnerName: string;
                    /** @constant */
                    schemaVersion: 1;
                    lite: {
                        score: number;
                        summary: string;
                        traits: {
                            name: string;
                            score: number;
                        }[];
                    };
                    deepInsights: {
                        sections: {
                            title: string;
                            body: string;
                        }[];
                    };
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        partnerName: string;
                        schemaVersion: number;
                        /** @description Whether the deep insights have been paid for */
                        unlocked: boolean;
                        /** @description The payment that unlocked them */
                        paymentId: string | null;
                        /** @description Of that payment, else of the newest one for this result: pending and processing are not sold again. Null before any. */
                        paymentStatus: ("pending" | "paid" | "failed" | "processing" | "disputed" | "refunded") | null;
                        /** Format: date-time */
                        createdAt: string;
                        lite: {
                            score: number;
                            summary: string;
                            traits: {
                                name: string;
                                score: number;
                            }[];
                        };
                        /** @description Null until they have been paid for */
                        deepInsights: {
                            sections: {
                                title: string;
                                body: string;
                            }[];
                        } | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            402: components["responses"]["PLAN_LIMIT_REACHED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getResult: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        partnerName: string;
                        schemaVersion: number;
                        /** @description Whether the deep insights have been paid for */
                        unlocked: boolean;
                        /** @description The payment that unlocked them */
                        paymentId: string | null;
                        /** @description Of that payment, else of the newest one for this result: pending and processing are not sold again. Null before any. */
                        paymentStatus: ("pending" | "paid" | "failed" | "processing" | "disputed" | "refunded") | null;
                        /** Format: date-time */
                        createdAt: string;
                        lite: {
                            score: number;
                            summary: string;
                            traits: {
                                name: string;
                                score: number;
                            }[];
                        };
                        /** @description Null until they have been paid for */
                        deepInsights: {
                            sections: {
                                title: string;
                                body: string;
                            }[];
                        } | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.4"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listResults: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            partnerName: string;
                            schemaVersion: number;
                            /** @description Whether the deep insights have been paid for */
                            unlocked: boolean;
                            /** @description The payment that unlocked them */
                            paymentId: string | null;
                            /** @description Of that payment, else of the newest one for this result: pending and processing are not sold again. Null before any. */
                            paymentStatus: ("pending" | "paid" | "failed" | "processing" | "disputed" | "refunded") | null;
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    unlockDeepInsights: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    resultId: string;
                    paymentId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        partnerName: string;
                        schemaVersion: number;
                        /** @description Whether the deep insights have been paid for */
                        unlocked: boolean;
                        /** @description The payment that unlocked them */
                        paymentId: string | null;
                        /** @description Of that payment, else of the newest one for this result: pending and processing are not sold again. Null before any. */
                        paymentStatus: ("pending" | "paid" | "failed" | "processing" | "disputed" | "refunded") | null;
                        /** Format: date-time */
                        createdAt: string;
                        lite: {
                            score: number;
                            summary: string;
                            traits: {
                                name: string;
                                score: number;
                            }[];
                        };
                        /** @description Null until they have been paid for */
                        deepInsights: {
                            sections: {
                                title: string;
                                body: string;
                            }[];
                        } | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            402: components["responses"]["PAYMENT_REQUIRED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND.4"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    createCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    resultId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        paymentId: string;
                        /** Format: uri */
                        url: string;
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND.4"];
            409: components["responses"]["SESSION_CHANGED.PAYMENT_PROCESSING.ALREADY_UNLOCKED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["PAYMENT_NOT_CONFIGURED.PAYMENT_UNAVAILABLE.UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    verifyPayment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    paymentId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        resultId: string;
                        /** @enum {string} */
                        status: "pending" | "paid" | "failed" | "processing" | "disputed" | "refunded";
                        /** @description In the currency's smallest unit */
                        amount: number;
                        currency: string;
                        /** Format: date-time */
                        createdAt: string;
                        paidAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND.5"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["PAYMENT_NOT_CONFIGURED.PAYMENT_UNAVAILABLE.UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            resultId: string;
                            /** @enum {string} */
                            status: "pending" | "paid" | "failed" | "processing" | "disputed" | "refunded";
                            /** @description In the currency's smallest unit */
                            amount: number;
                            currency: string;
                            /** Format: date-time */
                            createdAt: string;
                            paidAt: string | null;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    recordConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    purpose: "terms" | "privacy" | "marketing" | "analytics";
                    version: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        purpose: "terms" | "privacy" | "marketing" | "analytics";
                        version: string;
                        /** Format: date-time */
                        grantedAt: string;
                        withdrawnAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED.TOO_MANY_CONSENTS"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listConsents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            /** @enum {string} */
                            purpose: "terms" | "privacy" | "marketing" | "analytics";
                            version: string;
                            /** Format: date-time */
                            grantedAt: string;
                            withdrawnAt: string | null;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    withdrawConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        purpose: "terms" | "privacy" | "marketing" | "analytics";
                        version: string;
                        /** Format: date-time */
                        grantedAt: string;
                        withdrawnAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND.6"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    audience: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["NOT_FOUND.7"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    makeUserAdmin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED.MEMBER_NOT_VERIFIED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    changeRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                    /** @enum {string} */
                    role: "member" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED.LAST_OWNER.MEMBER_NOT_VERIFIED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    grantPremium: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                    /** @description Null: no end date */
                    until: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    revokePremium: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: "active" | "suspended" | "unverified" | "deletion";
                role?: "member" | "admin" | "owner";
                search?: string;
                email?: string;
                formerEmail?: string;
                id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            suspendedAt: string | null;
                            suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                            deleteAt: string | null;
                            /** @description Of the first twenty sign-ins of a day */
                            lastSignInAt: string | null;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    suspendUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                    /** @enum {string} */
                    reason: "abuse" | "security" | "payment" | "request" | "other";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    unsuspendUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    scheduleDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                    /** @enum {string} */
                    reason: "abuse" | "security" | "payment" | "request" | "other";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    cancelDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                    /** @description Left out: all */
                    sessionId?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    sendReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        sent: true;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.RESET_PASSWORD_DISABLED"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.PASSWORD_OFF.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    sendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False: the address is verified */
                        sent: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.VERIFICATION_EMAIL_NOT_ENABLED"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    resetSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    recoverAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                    /**
                     * Format: email
                     * @description Owners only
                     */
                    formerEmail?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        emailVerified: boolean;
                        name: string;
                        image: string | null;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** Format: date-time */
                        createdAt: string;
                        /** @enum {string} */
                        plan: "free" | "premium";
                        planUntil: string | null;
                        suspendedAt: string | null;
                        suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                        deleteAt: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.RESET_PASSWORD_DISABLED"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED.FORMER_ADDRESS_GONE"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        /** @description Id of the admin */
                        invitedBy: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.VERIFICATION_EMAIL_NOT_ENABLED"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.SIGN_UP_CLOSED.RESERVED_ADDRESS.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    invitationId: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        /** @description Id of the admin */
                        invitedBy: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.9"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            email: string;
                            /** @description Id of the admin */
                            invitedBy: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getMemberAccess: {
        parameters: {
            query: {
                userId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        profile: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            suspendedAt: string | null;
                            suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                            deleteAt: string | null;
                        };
                        verdict: {
                            /** @description False where a reason other than `locked` is there */
                            canSignIn: boolean;
                            /** @description `deleted`: about to be; `unverified`: and this environment asks for it; `no_method`: none that this environment offers; `no_factor`: the second factor is on, and nothing is left to show it; `locked`: browsers that they have not signed in with */
                            reasons: ("deleted" | "suspended" | "unverified" | "no_method" | "no_factor" | "locked")[];
                        };
                        methods: {
                            password: boolean;
                            /** @description Null: not known, or no password */
                            passwordChangedAt: string | null;
                            /** @description Whether you may remove it, and why not; null: no password */
                            passwordRemoval: ("allowed" | "last_method" | "required_factor") | null;
                            /** @description Whether a code that is sent to your address lets you in */
                            emailCode: boolean;
                            providers: {
                                providerId: string;
                                /** @description Your id at the provider */
                                accountId: string;
                                /** Format: date-time */
                                createdAt: string;
                                /**
                                 * @description Whether you may remove it, and why not
                                 * @enum {string}
                                 */
                                removal: "allowed" | "last_method" | "required_factor";
                            }[];
                            /** @description The oldest first */
                            passkeys: {
                                id: string;
                                name: string;
                                /** @description Whether a copy of it outlives the device */
                                backedUp: boolean;
                                /** Format: date-time */
                                createdAt: string;
                                /** @description Of the last sign-in or step-up */
                                usedAt: string | null;
                                /**
                                 * @description Whether you may remove it, and why not
                                 * @enum {string}
                                 */
                                removal: "allowed" | "last_method" | "required_factor";
                            }[];
                            /** @description Null: a sign-in asks for none */
                            secondFactor: {
                                /** Format: date-time */
                                since: string;
                                /** @description Whether an app shows codes */
                                totp: boolean;
                                /** @description How many are left */
                                recoveryCodes: number;
                            } | null;
                            /** @description Whether your account must have one */
                            secondFactorRequired: boolean;
                            trustedBrowsers: {
                                id: string;
                                userAgent: string;
                                /** Format: date-time */
                                createdAt: string;
                                /** Format: date-time */
                                expiresAt: string;
                            }[];
                        };
                        sessions: {
                            id: string;
                            name: string | null;
                            /** @description What the user agent says; null if it names nothing known */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            };
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                        }[];
                        /** @description Of browsers that they have not signed in with: each known one has its own count */
                        locks: {
                            /** @enum {string} */
                            of: "password" | "code" | "recovery";
                            /** Format: date-time */
                            until: string;
                        }[];
                        lastSignIn: {
                            /** @description Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider */
                            method: string | null;
                            /** @description Of a sign-in: the second factor that it was shown */
                            factor: string | null;
                            /** @description Where it was done; null if that is not known, or if an admin did it */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            } | null;
                            /** Format: date-time */
                            at: string;
                        } | null;
                        /** @description The newest, without what admins have looked at */
                        events: {
                            id: string;
                            /** @enum {string} */
                            action: "sign_up" | "sign_in" | "sign_in_refused" | "sign_in_locked" | "sign_out" | "revoke_sessions" | "second_factor_refused" | "second_factor_locked" | "recovery_code_used" | "verify_email" | "change_email" | "change_password" | "set_password" | "reset_password" | "link_identity" | "unlink_identity" | "passkey_added" | "passkey_removed" | "second_factor_on" | "second_factor_off" | "recovery_codes_renewed" | "delete_account" | "read_member" | "list_users" | "list_audit_entries" | "grant_premium" | "revoke_premium" | "send_reset" | "send_verification" | "invite" | "revoke_invitation" | "change_role" | "suspend" | "unsuspend" | "schedule_deletion" | "cancel_deletion" | "end_sessions" | "reset_second_factor" | "recover_account" | "settle_payment" | "payment_unmatched" | "reverse_payment";
                            detail: string | null;
                            /** @description Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider */
                            method: string | null;
                            /** @description Of a sign-in: the second factor that it was shown */
                            factor: string | null;
                            /** @description Where it was done; null if that is not known, or if an admin did it */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            } | null;
                            /**
                             * @description `link`: with the link of an email; `stranger`: by someone who was not signed in; `operator`: by the operator of the service, or the service itself
                             * @enum {string}
                             */
                            how: "you" | "link" | "stranger" | "admin" | "operator";
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    readMember: {
        parameters: {
            query: {
                userId: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null on every page but the first */
                        profile: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            suspendedAt: string | null;
                            suspendedFor: ("abuse" | "security" | "payment" | "request" | "other") | null;
                            deleteAt: string | null;
                            language: ("en" | "de") | null;
                            secondFactorSince: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        } | null;
                        sessions: {
                            id: string;
                            ipAddress: string | null;
                            userAgent: string | null;
                            name: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                        }[];
                        signInMethods: {
                            id: string;
                            /** @description credential: a password */
                            providerId: string;
                            /** @description Your id at the provider */
                            accountId: string;
                            scope: string | null;
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                        removedSignInMethods: {
                            providerId: string;
                            /** @description Who the provider is */
                            issuer: string | null;
                            /** Format: date-time */
                            removedAt: string;
                        }[];
                        secondFactors: {
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Null until a code of the app has shown that it works */
                            confirmedAt: string | null;
                        }[];
                        trustedBrowsers: {
                            userAgent: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                        }[];
                        passkeys: {
                            id: string;
                            name: string;
                            /** Format: date-time */
                            createdAt: string;
                            usedAt: string | null;
                        }[];
                        formerAddresses: {
                            email: string;
                            /**
                             * Format: date-time
                             * @description When it is forgotten
                             */
                            until: string;
                        }[];
                        usage: {
                            /** @enum {string} */
                            metric: "journal_entries" | "compatibility_results";
                            /** @description Calendar month (UTC) */
                            period: string;
                            count: number;
                        }[];
                        journalEntries: {
                            id: string;
                            /** @enum {string} */
                            mood: "awful" | "low" | "neutral" | "good" | "great";
                            text: string;
                            promptId: string | null;
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                        compatibilityResults: {
                            id: string;
                            partnerName: string;
                            schemaVersion: number;
                            /** @description Whether the deep insights have been paid for */
                            unlocked: boolean;
                            /** @description The payment that unlocked them */
                            paymentId: string | null;
                            /** @description Of that payment, else of the newest one for this result: pending and processing are not sold again. Null before any. */
                            paymentStatus: ("pending" | "paid" | "failed" | "processing" | "disputed" | "refunded") | null;
                            /** Format: date-time */
                            createdAt: string;
                            lite: {
                                score: number;
                                summary: string;
                                traits: {
                                    name: string;
                                    score: number;
                                }[];
                            };
                            /** @description Null until they have been paid for */
                            deepInsights: {
                                sections: {
                                    title: string;
                                    body: string;
                                }[];
                            } | null;
                        }[];
                        payments: {
                            id: string;
                            resultId: string;
                            /** @enum {string} */
                            status: "pending" | "paid" | "failed" | "processing" | "disputed" | "refunded";
                            /** @description In the currency's smallest unit */
                            amount: number;
                            currency: string;
                            /** Format: date-time */
                            createdAt: string;
                            paidAt: string | null;
                        }[];
                        consents: {
                            id: string;
                            /** @enum {string} */
                            purpose: "terms" | "privacy" | "marketing" | "analytics";
                            version: string;
                            /** Format: date-time */
                            grantedAt: string;
                            withdrawnAt: string | null;
                        }[];
                        securityEvents: {
                            id: string;
                            /** @enum {string} */
                            action: "sign_up" | "sign_in" | "sign_in_refused" | "sign_in_locked" | "sign_out" | "revoke_sessions" | "second_factor_refused" | "second_factor_locked" | "recovery_code_used" | "verify_email" | "change_email" | "change_password" | "set_password" | "reset_password" | "link_identity" | "unlink_identity" | "passkey_added" | "passkey_removed" | "second_factor_on" | "second_factor_off" | "recovery_codes_renewed" | "delete_account" | "read_member" | "list_users" | "list_audit_entries" | "grant_premium" | "revoke_premium" | "send_reset" | "send_verification" | "invite" | "revoke_invitation" | "change_role" | "suspend" | "unsuspend" | "schedule_deletion" | "cancel_deletion" | "end_sessions" | "reset_second_factor" | "recover_account" | "settle_payment" | "payment_unmatched" | "reverse_payment";
                            detail: string | null;
                            /** @description Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider */
                            method: string | null;
                            /** @description Of a sign-in: the second factor that it was shown */
                            factor: string | null;
                            /** @description Where it was done; null if that is not known, or if an admin did it */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            } | null;
                            /**
                             * @description `link`: with the link of an email; `stranger`: by someone who was not signed in; `operator`: by the operator of the service, or the service itself
                             * @enum {string}
                             */
                            how: "you" | "link" | "stranger" | "admin" | "operator";
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Whether you were signed in when you did it */
                            byYou: boolean;
                        }[];
                        /** @description Cursor of the next page; null on the last page */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.STEP_UP_REQUIRED.INVALID_ORIGIN"];
            404: components["responses"]["NOT_FOUND.8"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                actorId?: string;
                subjectId?: string;
                about?: string;
                action?: "sign_up" | "sign_in" | "sign_in_refused" | "sign_in_locked" | "sign_out" | "revoke_sessions" | "second_factor_refused" | "second_factor_locked" | "recovery_code_used" | "verify_email" | "change_email" | "change_password" | "set_password" | "reset_password" | "link_identity" | "unlink_identity" | "passkey_added" | "passkey_removed" | "second_factor_on" | "second_factor_off" | "recovery_codes_renewed" | "delete_account" | "read_member" | "list_users" | "list_audit_entries" | "grant_premium" | "revoke_premium" | "send_reset" | "send_verification" | "invite" | "revoke_invitation" | "change_role" | "suspend" | "unsuspend" | "schedule_deletion" | "cancel_deletion" | "end_sessions" | "reset_second_factor" | "recover_account" | "settle_payment" | "payment_unmatched" | "reverse_payment";
                group?: "access" | "account" | "admin" | "payment";
                since?: string;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            /** @enum {string} */
                            action: "sign_up" | "sign_in" | "sign_in_refused" | "sign_in_locked" | "sign_out" | "revoke_sessions" | "second_factor_refused" | "second_factor_locked" | "recovery_code_used" | "verify_email" | "change_email" | "change_password" | "set_password" | "reset_password" | "link_identity" | "unlink_identity" | "passkey_added" | "passkey_removed" | "second_factor_on" | "second_factor_off" | "recovery_codes_renewed" | "delete_account" | "read_member" | "list_users" | "list_audit_entries" | "grant_premium" | "revoke_premium" | "send_reset" | "send_verification" | "invite" | "revoke_invitation" | "change_role" | "suspend" | "unsuspend" | "schedule_deletion" | "cancel_deletion" | "end_sessions" | "reset_second_factor" | "recover_account" | "settle_payment" | "payment_unmatched" | "reverse_payment";
                            detail: string | null;
                            /** @description Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider */
                            method: string | null;
                            /** @description Of a sign-in: the second factor that it was shown */
                            factor: string | null;
                            /** @description Where it was done; null if that is not known, or if an admin did it */
                            device: {
                                /** @description Such as Firefox */
                                browser: string | null;
                                /** @description Such as Linux */
                                system: string | null;
                            } | null;
                            /**
                             * @description `link`: with the link of an email; `stranger`: by someone who was not signed in; `operator`: by the operator of the service, or the service itself
                             * @enum {string}
                             */
                            how: "you" | "link" | "stranger" | "admin" | "operator";
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Null if the actor was not signed in */
                            actorId: string | null;
                            subjectId: string | null;
                            /** @description As they are now; null if the account no longer exists */
                            actor: {
                                name: string;
                                email: string;
                                /** @enum {string} */
                                role: "member" | "admin" | "owner";
                            } | null;
                            /** @description As they are now; null if the account no longer exists */
                            subject: {
                                name: string;
                                email: string;
                                /** @enum {string} */
                                role: "member" | "admin" | "owner";
                            } | null;
                        }[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["SECOND_FACTOR_MISSING.FORBIDDEN.MISSING_OR_NULL_ORIGIN.INVALID_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signUpEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** Format: email */
                    email: string;
                    password: string;
                    /** Format: uri */
                    image?: string;
                    /** @description A URL of the front end whose path is / or one of accounts:letterPages */
                    callbackURL?: string;
                    /** @description A URL of the front end whose path is / or one of accounts:letterPages */
                    errorCallbackURL?: string;
                    /** @description false: the session ends with the browser */
                    rememberMe?: boolean;
                    /** @description The token in the link of an invitation */
                    invitation?: string;
                    /** @description Where settings has turnstile: the token of a widget, whose action is this path with dashes, such as sign-up-email */
                    turnstile?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description A mark of the browser that waits for the e-mail, and the session, if the user is signed in */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string | null;
                        user: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.PASSWORD_BREACHED"];
            403: components["responses"]["SIGN_UP_CLOSED.INVITATION_REQUIRED.PASSWORD_OFF.RESERVED_ADDRESS.TURNSTILE_REFUSED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["TURNSTILE_UNAVAILABLE.UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signInEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    password: string;
                    /** @description false: the session ends with the browser */
                    rememberMe?: boolean;
                    /** @description A URL on a trusted origin */
                    callbackURL?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, and a mark of the browser for the address */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redirect: boolean;
                        token: string;
                        url?: string;
                        user: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["INVALID_EMAIL_OR_PASSWORD"];
            403: components["responses"]["ACCOUNT_SUSPENDED.SECOND_FACTOR_REQUIRED.PASSWORD_OFF.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signInCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    /** @description false: the session ends with the browser */
                    rememberMe?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, and a mark of the browser for the address */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        user: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_CODE"];
            403: components["responses"]["ACCOUNT_SUSPENDED.SECOND_FACTOR_REQUIRED.EMAIL_CODE_OFF.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signInCodeBegin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description What binds the code to the browser, for this host and ten minutes */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        sent: true;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            403: components["responses"]["EMAIL_CODE_OFF.RESERVED_ADDRESS.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signInWithProvider: {
        parameters: {
            query?: {
                callbackURL?: string;
                errorCallbackURL?: string;
                newUserCallbackURL?: string;
                prompt?: "login" | "select_account" | "consent";
                loginHint?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect */
            302: {
                headers: {
                    location?: string;
                    /** @description The sealed state of this sign-in */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BAD_REQUEST"];
            403: components["responses"]["INVALID_ORIGIN"];
            404: components["responses"]["PROVIDER_NOT_FOUND"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended; or its end */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session: {
                            id: string;
                            userId: string;
                            /** @description Identifies the session when revoking it; not valid as a cookie */
                            token: string;
                            ipAddress?: string | null;
                            userAgent?: string | null;
                            /** Format: date-time */
                            expiresAt: string;
                            /** @description false: it ends with the browser */
                            remembered: boolean;
                            /** @description The second factor that it was shown; trusted: a browser that has shown one before. Null if the account has none */
                            factor?: ("totp" | "recovery" | "passkey" | "trusted") | null;
                            /** @description When all that the account has was last shown; null: not in this session */
                            provenAt?: string | null;
                            /** @description What its owner calls the device */
                            name?: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                        user: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    } | null;
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            403: components["responses"]["INVALID_ORIGIN"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The end of the session */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            403: components["responses"]["INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        userId: string;
                        /** @description Identifies the session when revoking it; not valid as a cookie */
                        token: string;
                        ipAddress?: string | null;
                        userAgent?: string | null;
                        /** Format: date-time */
                        expiresAt: string;
                        /** @description false: it ends with the browser */
                        remembered: boolean;
                        /** @description The second factor that it was shown; trusted: a browser that has shown one before. Null if the account has none */
                        factor?: ("totp" | "recovery" | "passkey" | "trusted") | null;
                        /** @description When all that the account has was last shown; null: not in this session */
                        provenAt?: string | null;
                        /** @description What its owner calls the device */
                        name?: string | null;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: date-time */
                        updatedAt: string;
                        /** @description What the user agent says; null if it names nothing known */
                        device: {
                            /** @description Such as Firefox */
                            browser: string | null;
                            /** @description Such as Linux */
                            system: string | null;
                        };
                    }[];
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    revokeOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    revokeSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currentPassword: string;
                    newPassword: string;
                    revokeOtherSessions?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description A new session, if the others are revoked */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string | null;
                        user: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_PASSWORD.CREDENTIAL_ACCOUNT_NOT_FOUND.PASSWORD_BREACHED"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["STEP_UP_REQUIRED.PASSWORD_OFF.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    setPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.PASSWORD_BREACHED"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["PASSWORD_OFF.STEP_UP_REQUIRED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["PASSWORD_EXISTS.SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    listAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        userId: string;
                        providerId: string;
                        /** @description The user's id at the provider */
                        accountId: string;
                        scopes: string[];
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: date-time */
                        updatedAt: string;
                    }[];
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["SECOND_FACTOR_MISSING.INVALID_ORIGIN"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    linkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    provider: string;
                    /** @description A URL on a trusted origin */
                    callbackURL?: string;
                    /** @description A URL on a trusted origin */
                    errorCallbackURL?: string;
                    /**
                     * @description What the provider asks, also of a user who is signed in there
                     * @enum {string}
                     */
                    prompt?: "login" | "select_account" | "consent";
                    /** @description The address that the provider fills in */
                    loginHint?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The sealed state of this sign-in */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uri */
                        url: string;
                        redirect: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["STEP_UP_REQUIRED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            404: components["responses"]["PROVIDER_NOT_FOUND"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    unlinkAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    providerId: string;
                    accountId?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.ACCOUNT_NOT_FOUND.FAILED_TO_UNLINK_LAST_ACCOUNT"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["STEP_UP_REQUIRED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    stepUpBegin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        sent: true;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    stepUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password?: string;
                    code?: string;
                    /** @description Dashes, spaces and capitals do not matter */
                    recoveryCode?: string;
                    passkey?: {
                        id: string;
                        rawId: string;
                        /** @constant */
                        type: "public-key";
                        response: {
                            clientDataJSON: string;
                            authenticatorData: string;
                            signature: string;
                            /** @description The user that the passkey belongs to: a passkey that names none is refused */
                            userHandle: string;
                        };
                    };
                    /** @description Of the e-mail that stepUpBegin sends */
                    emailCode?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        provenAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_PASSWORD.INVALID_CODE"];
            401: components["responses"]["PASSKEY_REFUSED.UNAUTHORIZED"];
            403: components["responses"]["PASSKEYS_OFF.STEP_UP_REQUIRED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The end of the session */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_PASSWORD"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["STEP_UP_REQUIRED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["LAST_OWNER.SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    sendVerificationEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @description A URL of the front end whose path is / or one of accounts:letterPages */
                    callbackURL?: string;
                    /** @description A URL of the front end whose path is / or one of accounts:letterPages */
                    errorCallbackURL?: string;
                    /** @description Where settings has turnstile: the token of a widget, whose action is this path with dashes, such as sign-up-email */
                    turnstile?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.VERIFICATION_EMAIL_NOT_ENABLED"];
            403: components["responses"]["TURNSTILE_REFUSED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["TURNSTILE_UNAVAILABLE.UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    verifyEmailWithPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    /** @description The password chosen at sign-up */
                    password?: string;
                    /** @description Replaces it; leave out password then */
                    newPassword?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description A mark of the browser for the address */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                        email: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_PASSWORD.PASSWORD_BREACHED"];
            401: components["responses"]["INVALID_TOKEN.TOKEN_EXPIRED"];
            403: components["responses"]["PASSWORD_OFF.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @description A URL of the front end whose path is / or one of accounts:letterPages */
                    redirectTo?: string;
                    /** @description Where settings has turnstile: the token of a widget, whose action is this path with dashes, such as sign-up-email */
                    turnstile?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                        message: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.RESET_PASSWORD_DISABLED"];
            403: components["responses"]["PASSWORD_OFF.TURNSTILE_REFUSED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["TURNSTILE_UNAVAILABLE.UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    newPassword: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description A mark of the browser for the address */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: boolean;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_TOKEN.PASSWORD_BREACHED"];
            403: components["responses"]["PASSWORD_OFF.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    passkeyBegin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    for: "sign-in" | "step-up" | "add";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The challenge, for this host and five minutes */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For PublicKeyCredential.parseRequestOptionsFromJSON */
                        get?: {
                            challenge: string;
                            /** @description Milliseconds */
                            timeout: number;
                            rpId: string;
                            /** @constant */
                            userVerification: "required";
                        };
                        /** @description To add one: for PublicKeyCredential.parseCreationOptionsFromJSON */
                        create?: {
                            challenge: string;
                            /** @description Milliseconds */
                            timeout: number;
                            rp: {
                                id: string;
                                name: string;
                            };
                            user: {
                                id: string;
                                name: string;
                                displayName: string;
                            };
                            pubKeyCredParams: {
                                /** @constant */
                                type: "public-key";
                                alg: number;
                            }[];
                            excludeCredentials: {
                                /** @constant */
                                type: "public-key";
                                id: string;
                            }[];
                            authenticatorSelection: {
                                /** @constant */
                                residentKey: "required";
                                /** @constant */
                                requireResidentKey: true;
                                /** @constant */
                                userVerification: "required";
                            };
                            /** @constant */
                            attestation: "none";
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["UNAUTHORIZED.2"];
            403: components["responses"]["PASSKEYS_OFF.STEP_UP_REQUIRED.EMAIL_NOT_VERIFIED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["SESSION_CHANGED.TOO_MANY_PASSKEYS"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signInPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    passkey: {
                        id: string;
                        rawId: string;
                        /** @constant */
                        type: "public-key";
                        response: {
                            clientDataJSON: string;
                            authenticatorData: string;
                            signature: string;
                            /** @description The user that the passkey belongs to: a passkey that names none is refused */
                            userHandle: string;
                        };
                    };
                    /** @description false: the session ends with the browser */
                    rememberMe?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        user: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["PASSKEY_REFUSED"];
            403: components["responses"]["PASSKEYS_OFF.ACCOUNT_SUSPENDED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    passkeyAdd: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    passkey: {
                        id: string;
                        rawId: string;
                        /** @constant */
                        type: "public-key";
                        response: {
                            clientDataJSON: string;
                            attestationObject: string;
                            transports?: string[];
                        };
                    };
                    name: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, extended */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** Format: date-time */
                        createdAt: string;
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            401: components["responses"]["PASSKEY_REFUSED.UNAUTHORIZED"];
            403: components["responses"]["PASSKEYS_OFF.STEP_UP_REQUIRED.EMAIL_NOT_VERIFIED.SECOND_FACTOR_MISSING.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            409: components["responses"]["TOO_MANY_PASSKEYS.SESSION_CHANGED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    signInSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code?: string;
                    /** @description Dashes, spaces and capitals do not matter */
                    recoveryCode?: string;
                    /** @description true: sign-ins of this browser ask for no second factor for thirty days */
                    trustBrowser?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The session, a mark of the browser for the address and, if you like, its trust */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        /** @description callbackURL of the sign-in that goes on */
                        url?: string;
                        user: {
                            id: string;
                            email: string;
                            emailVerified: boolean;
                            name: string;
                            image: string | null;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** Format: date-time */
                            createdAt: string;
                            /** @enum {string} */
                            plan: "free" | "premium";
                            planUntil: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST.INVALID_CODE"];
            401: components["responses"]["STEP_EXPIRED"];
            403: components["responses"]["ACCOUNT_SUSPENDED.INVALID_ORIGIN.MISSING_OR_NULL_ORIGIN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["TOO_MANY_ATTEMPTS.TOO_MANY_REQUESTS"];
            500: components["responses"]["INTERNAL_SERVER_ERROR"];
            503: components["responses"]["UNAVAILABLE.SERVICE_MISCONFIGURED"];
        };
    };
    health: {
        parameters: {
            query?: {
                /** @description 1: also say whether the schema of the database fits the build */
                schema?: "1";
                /** @description 1, for monitors: the same, and how many milliseconds the database took; 503 from 2,000 (slow) */
                deep?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "behind" | "ahead" | "slow";
                        version: {
                            id: string;
                            tag: string;
                        };
                        migrations: {
                            expected: string;
                            found?: string | null;
                        };
                        database?: {
                            ms: number;
                        };
                    };
                };
            };
            400: components["responses"]["BAD_REQUEST"];
            429: components["responses"]["TOO_MANY_REQUESTS"];
            /** @description The schema lacks what the build needs (behind), has dropped what it knows (ahead), is slow (with deep), or cannot be asked for */
            503: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "behind" | "ahead" | "slow";
                        version: {
                            id: string;
                            tag: string;
                        };
                        migrations: {
                            expected: string;
                            found?: string | null;
                        };
                        database?: {
                            ms: number;
                        };
                    } | {
                        /** @constant */
                        code: "UNAVAILABLE";
                        message: string;
                    };
                };
            };
        };
    };
}
