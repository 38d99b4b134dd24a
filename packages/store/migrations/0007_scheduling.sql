ALTER TABLE "job_tallies" ADD COLUMN "last_leased_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "priority" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "rates" text DEFAULT '[]' NOT NULL;