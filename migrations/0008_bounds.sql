ALTER TABLE `session` ADD `remembered` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `payment` ADD `refunded_at` integer;--> statement-breakpoint
ALTER TABLE `payment` ADD `disputed_at` integer;--> statement-breakpoint
ALTER TABLE `kept_consent` ADD `kept_at` integer DEFAULT 1795651200000 NOT NULL;--> statement-breakpoint
CREATE INDEX `kept_consent_kept_at` ON `kept_consent` (`kept_at`);--> statement-breakpoint
CREATE INDEX `kept_payment_paid_at` ON `kept_payment` (`paid_at`);