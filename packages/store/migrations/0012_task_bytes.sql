ALTER TABLE "jobs" ADD COLUMN "smaller_tasks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "largest_task_bytes" bigint;