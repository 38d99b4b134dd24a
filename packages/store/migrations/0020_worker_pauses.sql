ALTER TABLE "workers" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "paused_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "pause_reason" text;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "paused_by" text;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "pause_drains" boolean DEFAULT false NOT NULL;