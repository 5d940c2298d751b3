CREATE TABLE `recovery_code` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `recovery_code_user_id` ON `recovery_code` (`user_id`);--> statement-breakpoint
CREATE TABLE `second_factor` (
	`user_id` text PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`key_id` text NOT NULL,
	`last_step` integer DEFAULT 0 NOT NULL,
	`confirmed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `second_factor_unconfirmed` ON `second_factor` (`created_at`) WHERE confirmed_at is null;--> statement-breakpoint
CREATE INDEX `second_factor_key_id` ON `second_factor` (`key_id`);--> statement-breakpoint
CREATE TABLE `trusted_browser` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `trusted_browser_user_id` ON `trusted_browser` (`user_id`);--> statement-breakpoint
CREATE INDEX `trusted_browser_expires_at` ON `trusted_browser` (`expires_at`);--> statement-breakpoint
CREATE TABLE `passkey` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`algorithm` integer NOT NULL,
	`count` integer DEFAULT 0 NOT NULL,
	`backed_up` integer DEFAULT false NOT NULL,
	`transports` text,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_credential_id_unique` ON `passkey` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkey_user_id` ON `passkey` (`user_id`);--> statement-breakpoint
ALTER TABLE `session` ADD `factor` text;--> statement-breakpoint
ALTER TABLE `session` ADD `proven_at` integer;--> statement-breakpoint
ALTER TABLE `user` ADD `second_factor_since` integer;--> statement-breakpoint
-- For versions that know no factor, beside the next one or after a rollback. A minute is for requests under way;
-- rows from before the factor, as a restore of the database inserts them, stay what they are.
CREATE TRIGGER `session_without_factor` BEFORE INSERT ON `session`
WHEN new.`factor` IS NULL
  AND EXISTS (SELECT 1 FROM `user` WHERE `id` = new.`user_id` AND `second_factor_since` < new.`created_at` + 60000)
BEGIN SELECT raise(ABORT, 'the account asks for a second factor'); END;
