CREATE TABLE `audit_entry` (
	`id` text PRIMARY KEY NOT NULL,
	`actor_id` text,
	`subject_id` text,
	`action` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`actor_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`subject_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "audit_entry_action_known" CHECK(action in ('read_member', 'list_users', 'change_role', 'grant_premium'))
);
--> statement-breakpoint
CREATE INDEX `audit_entry_list` ON `audit_entry` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entry_actor_id` ON `audit_entry` (`actor_id`);--> statement-breakpoint
CREATE INDEX `audit_entry_subject_id` ON `audit_entry` (`subject_id`);--> statement-breakpoint
CREATE TABLE `compatibility_result` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`partner_name` text NOT NULL,
	`schema_version` integer NOT NULL,
	`lite` text NOT NULL,
	`deep_insights` text NOT NULL,
	`payment_id` text,
	`unlocked_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "compatibility_result_lite_json" CHECK(json_valid(lite)),
	CONSTRAINT "compatibility_result_deep_insights_json" CHECK(json_valid(deep_insights))
);
--> statement-breakpoint
CREATE INDEX `compatibility_result_list` ON `compatibility_result` (`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `consent` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`version` text NOT NULL,
	`granted_at` integer NOT NULL,
	`withdrawn_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "consent_purpose_known" CHECK(purpose in ('terms', 'privacy', 'marketing', 'analytics'))
);
--> statement-breakpoint
CREATE INDEX `consent_list` ON `consent` (`user_id`,`granted_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `consent_standing` ON `consent` (`user_id`,`purpose`,`version`) WHERE withdrawn_at is null;--> statement-breakpoint
CREATE TABLE `journal_entry` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`mood` text NOT NULL,
	`text` text NOT NULL,
	`prompt_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "journal_entry_mood_known" CHECK(mood in ('awful', 'low', 'neutral', 'good', 'great'))
);
--> statement-breakpoint
CREATE INDEX `journal_entry_list` ON `journal_entry` (`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `journal_entry_list_by_mood` ON `journal_entry` (`user_id`,`mood`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `payment` (
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
	CONSTRAINT "payment_status_known" CHECK(status in ('pending', 'paid', 'failed')),
	CONSTRAINT "payment_paid_at" CHECK((status = 'paid') = (paid_at is not null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_session_id_unique` ON `payment` (`session_id`);--> statement-breakpoint
CREATE INDEX `payment_user_id` ON `payment` (`user_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_pending` ON `payment` (`result_id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `payment_result_id` ON `payment` (`result_id`);--> statement-breakpoint
CREATE TABLE `payment_event` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `payment_event_received_at` ON `payment_event` (`received_at`);--> statement-breakpoint
CREATE TABLE `usage` (
	`user_id` text NOT NULL,
	`period` text NOT NULL,
	`metric` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`user_id`, `period`, `metric`),
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "usage_count_positive" CHECK(count > 0)
);
