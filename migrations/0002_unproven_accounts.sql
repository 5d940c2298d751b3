ALTER TABLE `user` ADD `unproven_since` integer;--> statement-breakpoint
CREATE INDEX `user_unproven_since` ON `user` (`unproven_since`) WHERE unproven_since is not null;--> statement-breakpoint
CREATE INDEX `verification_value` ON `verification` (`value`);