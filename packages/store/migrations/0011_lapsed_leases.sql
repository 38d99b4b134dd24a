ALTER TABLE "tasks" ADD COLUMN "lapsed_worker" text;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "lapsed_boot" text;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "lapsed_attempt" integer;