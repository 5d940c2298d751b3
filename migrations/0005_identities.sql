CREATE TABLE `removed_identity` (
	`user_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`removed_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `provider_id`),
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `kept_checkout` (
	`id` text PRIMARY KEY NOT NULL,
	`account_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`amount` integer NOT NULL,
	`currency` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `kept_checkout_created_at` ON `kept_checkout` (`created_at`);--> statement-breakpoint
ALTER TABLE `audit_entry` ADD `letter_due` integer;--> statement-breakpoint
CREATE INDEX `audit_entry_letter_due` ON `audit_entry` (`letter_due`) WHERE letter_due is not null;--> statement-breakpoint
ALTER TABLE `account` ADD `issuer` text;--> statement-breakpoint
CREATE INDEX `account_without_issuer` ON `account` (`provider_id`) WHERE issuer is null and provider_id <> 'credential';