-- Only ON DELETE SET NULL refers to the rebuilt table
-- Seen: drizzle-kit 0.31
-- On D1: loses
-- Lint: error cascade-parent
-- before
CREATE TABLE image (id INTEGER PRIMARY KEY, url TEXT);
CREATE TABLE product (id INTEGER PRIMARY KEY, image_id INTEGER REFERENCES image (id) ON DELETE SET NULL);
-- change
CREATE TABLE `__new_image` (id INTEGER PRIMARY KEY, url TEXT NOT NULL DEFAULT '');
--> statement-breakpoint
INSERT INTO `__new_image`("id", "url") SELECT "id", coalesce("url", '') FROM `image`;--> statement-breakpoint
DROP TABLE `image`;--> statement-breakpoint
ALTER TABLE `__new_image` RENAME TO `image`;
