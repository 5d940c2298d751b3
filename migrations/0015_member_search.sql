CREATE INDEX `audit_entry_last_sign_in` ON `audit_entry` (`subject_id`,`created_at`) WHERE action = 'sign_in';--> statement-breakpoint
CREATE INDEX `user_name` ON `user` ("name" collate nocase);--> statement-breakpoint
CREATE INDEX `user_last_name` ON `user` (replace("name", rtrim("name", replace("name", ' ', '')), '') collate nocase);