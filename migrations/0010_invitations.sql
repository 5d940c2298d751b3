CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`hash` text NOT NULL,
	`invited_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_email_unique` ON `invitation` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_hash_unique` ON `invitation` (`hash`);--> statement-breakpoint
CREATE INDEX `invitation_list` ON `invitation` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `invitation_expires_at` ON `invitation` (`expires_at`);