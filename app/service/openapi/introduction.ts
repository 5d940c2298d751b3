/** Markdown at the top of the description. A test follows each link to a page of the front end. */
export const introduction = `Sign-up, sign-in, sessions and member data.

The session is a cookie: call from a trusted origin and include credentials. A trusted origin is \`accounts:webOrigin\` or one of \`accounts:trustedOrigins\` of the environment; others get INVALID_ORIGIN, which a browser shows as a failed request without a reason. \`packages/client/\` of the repository is a typed client.

A session lasts a week, \`accounts:sessionDays\` at most (thirty days), and is extended by getSession, at most once a day: call it now and then, not only typed operations.

The header \`accounts-user\` of a call with a session is the id of whom your page shows: the session of anybody else, whom another tab has signed in, is refused with SESSION_CHANGED before anything is written. \`signOut\` alone looks at none.

Where the environment has read replication, any answer may also set a cookie \`….bookmark\`. A client that sends it back reads at least what it has read or written before; one that does not may read its own journal, results and consents as they were a moment ago.

## Pages that a front end must have

The service leads browsers to these pages of \`WEB_URL\`, the front end's origin. Where an operation takes another page (\`callbackURL\`, \`errorCallbackURL\`, \`redirectTo\`), it must lie on a trusted origin; that of an e-mail is \`/\` of \`WEB_URL\` or one of \`accounts:letterPages\`, as it is written there.

| page | who leads there |
| --- | --- |
| \`/\` | the link of a verification e-mail, unless sign-up named a \`callbackURL\`, with \`?error=\` if it has verified nothing (then at its \`errorCallbackURL\`, if it named one); a sign-in at an identity provider, unless it named a \`callbackURL\` |
| \`/?error=PASSWORD_REQUIRED&token=\` | the same link in another browser than the one that signed up, such as a telephone's: at the \`errorCallbackURL\` of sign-up, else at its \`callbackURL\`, which then is a page of failure, too; the page asks for the password that was chosen, or a new one, and sends it with the token to verifyEmailWithPassword |
| \`/?error=\` | a failed sign-in at an identity provider, unless it named an \`errorCallbackURL\`; the codes are listed at returnFromProvider |
| \`/sign-up?invitation=\` | the link of an invitation; the page sends the token to signUpEmail with the address that was invited, or starts a sign-in at an identity provider |
| \`/reset-password?token=\` | the link of an e-mail that resets the password, unless requestPasswordReset named a \`redirectTo\`; the page sends the token to resetPassword. With \`redirectTo\`, \`?error=\` takes the place of \`?token=\` if the link is no longer valid |
| \`/payments/{paymentId}\` | the payment provider after a checkout, with \`?cancelled\` if it was left; the page asks verifyPayment, since the money may be later than the member |
`
