-- Versions before decision 038 took a provider that is not its authority for proof of an address. The accounts
-- stay open to whoever proves it, as an unverified address does, and are no sign-ups that the sweep deletes.
-- accounts:changes user.email_verified: nobody has proven these addresses
-- accounts:changes user.unproven_since: the sweep would take them for sign-ups
UPDATE `user` SET `email_verified` = 0, `unproven_since` = NULL
WHERE `email_verified` = 1 AND `unproven_since` IS NOT NULL;
