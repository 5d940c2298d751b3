DROP INDEX `user_unproven_since`;--> statement-breakpoint
CREATE INDEX `user_unproven` ON `user` (`unproven_since`) WHERE unproven_since is not null and email_verified = 0;--> statement-breakpoint
CREATE INDEX `audit_entry_list_by_action` ON `audit_entry` (`action`,`created_at`,`id`);