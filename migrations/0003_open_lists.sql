-- Lists grow without a migration from here on. Others refer to `user`, and D1 would delete their rows
-- with the old table: so its keys move away first, and come back with the new one.
PRAGMA defer_foreign_keys = ON;--> statement-breakpoint
CREATE TABLE `__old_user` AS SELECT * FROM `user`;--> statement-breakpoint
UPDATE `user` SET `id` = 'moved:' || `id`;--> statement-breakpoint
DROP TABLE `user`;--> statement-breakpoint
CREATE TABLE `user` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`name` text NOT NULL,
	`image` text,
	`role` text DEFAULT 'member' NOT NULL,
	`plan` text DEFAULT 'free' NOT NULL,
	`plan_until` integer,
	`sign_in_failures` integer DEFAULT 0 NOT NULL,
	`sign_in_failures_since` integer,
	`unproven_since` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `user`("id", "email", "email_verified", "name", "image", "role", "plan", "plan_until", "sign_in_failures", "sign_in_failures_since", "unproven_since", "created_at", "updated_at") SELECT "id", "email", "email_verified", "name", "image", "role", "plan", "plan_until", "sign_in_failures", "sign_in_failures_since", "unproven_since", "created_at", "updated_at" FROM `__old_user`;--> statement-breakpoint
DROP TABLE `__old_user`;--> statement-breakpoint
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);--> statement-breakpoint
CREATE INDEX `user_unproven_since` ON `user` (`unproven_since`) WHERE unproven_since is not null;--> statement-breakpoint
CREATE INDEX `user_created_at` ON `user` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `user_role` ON `user` (`role`) WHERE role <> 'member';--> statement-breakpoint
-- A role gives rights, so the database still knows them all.
CREATE TRIGGER `user_role_inserted` BEFORE INSERT ON `user` WHEN new.role NOT IN ('member', 'admin', 'owner')
BEGIN SELECT raise(ABORT, 'user.role is member, admin or owner'); END;--> statement-breakpoint
CREATE TRIGGER `user_role_updated` BEFORE UPDATE OF `role` ON `user` WHEN new.role NOT IN ('member', 'admin', 'owner')
BEGIN SELECT raise(ABORT, 'user.role is member, admin or owner'); END;--> statement-breakpoint
-- Nothing refers to the tables below.
CREATE TABLE `__new_audit_entry` (
	`id` text PRIMARY KEY NOT NULL,
	`actor_id` text,
	`subject_id` text,
	`action` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`actor_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`subject_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null
);--> statement-breakpoint
INSERT INTO `__new_audit_entry`("id", "actor_id", "subject_id", "action", "detail", "created_at") SELECT "id", "actor_id", "subject_id", "action", "detail", "created_at" FROM `audit_entry`;--> statement-breakpoint
DROP TABLE `audit_entry`;--> statement-breakpoint
ALTER TABLE `__new_audit_entry` RENAME TO `audit_entry`;--> statement-breakpoint
CREATE INDEX `audit_entry_list` ON `audit_entry` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entry_actor_id` ON `audit_entry` (`actor_id`);--> statement-breakpoint
CREATE INDEX `audit_entry_subject_id` ON `audit_entry` (`subject_id`);--> statement-breakpoint
CREATE TABLE `__new_consent` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`version` text NOT NULL,
	`granted_at` integer NOT NULL,
	`withdrawn_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_consent`("id", "user_id", "purpose", "version", "granted_at", "withdrawn_at") SELECT "id", "user_id", "purpose", "version", "granted_at", "withdrawn_at" FROM `consent`;--> statement-breakpoint
DROP TABLE `consent`;--> statement-breakpoint
ALTER TABLE `__new_consent` RENAME TO `consent`;--> statement-breakpoint
CREATE INDEX `consent_list` ON `consent` (`user_id`,`granted_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `consent_standing` ON `consent` (`user_id`,`purpose`,`version`) WHERE withdrawn_at is null;--> statement-breakpoint
CREATE TABLE `__new_journal_entry` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`mood` text NOT NULL,
	`text` text NOT NULL,
	`prompt_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_journal_entry`("id", "user_id", "mood", "text", "prompt_id", "created_at") SELECT "id", "user_id", "mood", "text", "prompt_id", "created_at" FROM `journal_entry`;--> statement-breakpoint
DROP TABLE `journal_entry`;--> statement-breakpoint
ALTER TABLE `__new_journal_entry` RENAME TO `journal_entry`;--> statement-breakpoint
CREATE INDEX `journal_entry_list` ON `journal_entry` (`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `journal_entry_list_by_mood` ON `journal_entry` (`user_id`,`mood`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `__new_payment` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`result_id` text NOT NULL,
	`status` text NOT NULL,
	`amount` integer NOT NULL,
	`currency` text NOT NULL,
	`session_id` text,
	`checkout_url` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`paid_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`result_id`) REFERENCES `compatibility_result`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "payment_paid_at" CHECK(status <> 'paid' or paid_at is not null),
	CONSTRAINT "payment_unpaid" CHECK(status not in ('pending', 'failed') or paid_at is null)
);
--> statement-breakpoint
INSERT INTO `__new_payment`("id", "user_id", "result_id", "status", "amount", "currency", "session_id", "checkout_url", "expires_at", "created_at", "paid_at") SELECT "id", "user_id", "result_id", "status", "amount", "currency", "session_id", "checkout_url", "expires_at", "created_at", "paid_at" FROM `payment`;--> statement-breakpoint
DROP TABLE `payment`;--> statement-breakpoint
ALTER TABLE `__new_payment` RENAME TO `payment`;--> statement-breakpoint
CREATE UNIQUE INDEX `payment_session_id_unique` ON `payment` (`session_id`);--> statement-breakpoint
CREATE INDEX `payment_user_id` ON `payment` (`user_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_pending` ON `payment` (`result_id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `payment_result_id` ON `payment` (`result_id`);
