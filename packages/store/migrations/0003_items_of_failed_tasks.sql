ALTER TABLE "job_tallies" ADD COLUMN "items_failed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "job_tallies" SET "items_failed" = failed.missing
FROM (
	SELECT job_id, sum(item_count - outcome_count) AS missing FROM "tasks" WHERE status = 'failed' GROUP BY job_id
) AS failed
WHERE "job_tallies".job_id = failed.job_id AND "job_tallies".worker_id = '';
