CREATE TABLE `former_address` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`email` text NOT NULL,
	`until` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_address_user_id` ON `former_address` (`user_id`);--> statement-breakpoint
CREATE INDEX `former_address_email` ON `former_address` (`email`);--> statement-breakpoint
CREATE INDEX `former_address_until` ON `former_address` (`until`);--> statement-breakpoint
ALTER TABLE `session` ADD `name` text;--> statement-breakpoint
ALTER TABLE `user` ADD `delete_at` integer;--> statement-breakpoint
CREATE INDEX `user_delete_at` ON `user` (`delete_at`) WHERE delete_at is not null;