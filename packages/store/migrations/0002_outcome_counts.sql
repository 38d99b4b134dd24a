ALTER TABLE "tasks" DROP CONSTRAINT "tasks_outcomes";--> statement-breakpoint
ALTER TABLE "tasks" DROP CONSTRAINT "tasks_done";--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_outcomes" CHECK ("tasks"."outcome_count" >= 0);--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_done" CHECK ("tasks"."status" <> 'done' or "tasks"."outcome_count" >= "tasks"."item_count");