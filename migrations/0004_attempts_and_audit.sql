CREATE TABLE `attempt` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempt_since` ON `attempt` (`since`);--> statement-breakpoint
CREATE TABLE `kept_consent` (
	`id` text PRIMARY KEY NOT NULL,
	`account_hash` text NOT NULL,
	`purpose` text NOT NULL,
	`version` text NOT NULL,
	`granted_at` integer NOT NULL,
	`withdrawn_at` integer
);
--> statement-breakpoint
CREATE TABLE `kept_payment` (
	`id` text PRIMARY KEY NOT NULL,
	`account_hash` text NOT NULL,
	`session_id` text,
	`amount` integer NOT NULL,
	`currency` text NOT NULL,
	`paid_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `__new_audit_entry` (
	`id` text PRIMARY KEY NOT NULL,
	`actor_id` text,
	`subject_id` text,
	`action` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_audit_entry`("id", "actor_id", "subject_id", "action", "detail", "created_at") SELECT "id", "actor_id", "subject_id", "action", "detail", "created_at" FROM `audit_entry`;--> statement-breakpoint
DROP TABLE `audit_entry`;--> statement-breakpoint
ALTER TABLE `__new_audit_entry` RENAME TO `audit_entry`;--> statement-breakpoint
CREATE INDEX `audit_entry_list` ON `audit_entry` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entry_list_by_actor` ON `audit_entry` (`actor_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entry_list_by_subject` ON `audit_entry` (`subject_id`,`created_at`,`id`);