ALTER TABLE "job_tallies" ADD COLUMN "leases_expired" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "job_tallies" SET "leases_expired" = expired.events
FROM (
	SELECT job_id, count(*) AS events FROM "events" WHERE kind = 'lease_expired' GROUP BY job_id
) AS expired
WHERE "job_tallies".job_id = expired.job_id AND "job_tallies".worker_id = '';
