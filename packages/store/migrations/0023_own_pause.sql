ALTER TABLE "workers" ADD COLUMN "own_pause_rule" text;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "own_pause_reason" text;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "own_paused_at" timestamp with time zone;