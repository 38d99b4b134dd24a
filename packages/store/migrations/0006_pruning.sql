CREATE TABLE "pruned_tallies" (
	"worker_id" text PRIMARY KEY NOT NULL,
	"leases_granted" bigint DEFAULT 0 NOT NULL,
	"leases_expired" bigint DEFAULT 0 NOT NULL,
	"tasks_done" bigint DEFAULT 0 NOT NULL,
	"tasks_failed" bigint DEFAULT 0 NOT NULL,
	"items_ok" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "pruned_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "first_task_id" bigint;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "last_task_id" bigint;--> statement-breakpoint
UPDATE "jobs" SET "first_task_id" = found.first_id, "last_task_id" = found.last_id
FROM (
	SELECT job_id, min(id) AS first_id, max(id) AS last_id FROM "tasks" GROUP BY job_id
) AS found
WHERE "jobs".id = found.job_id;
