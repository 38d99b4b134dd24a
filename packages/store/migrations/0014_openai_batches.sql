CREATE TABLE "batch_jobs" (
	"batch_id" text NOT NULL,
	"position" integer NOT NULL,
	"job_id" uuid NOT NULL,
	CONSTRAINT "batch_jobs_batch_id_position_pk" PRIMARY KEY("batch_id","position")
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"id" text PRIMARY KEY NOT NULL,
	"owner" text DEFAULT '' NOT NULL,
	"state" text NOT NULL,
	"input_file_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"completion_window" text NOT NULL,
	"metadata" text,
	"output_expires_seconds" integer,
	"idempotency_key" text,
	"body_digest" text NOT NULL,
	"model" text,
	"errors" text,
	"total_count" integer,
	"completed_count" integer,
	"failed_count" integer,
	"usage" text,
	"output_file_id" text,
	"error_file_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"in_progress_at" timestamp with time zone,
	"finalizing_at" timestamp with time zone,
	"completed_at" timestamp with time zone,
	"failed_at" timestamp with time zone,
	"expired_at" timestamp with time zone,
	"cancelling_at" timestamp with time zone,
	"cancelled_at" timestamp with time zone,
	"claim" bigint DEFAULT 0 NOT NULL,
	"claim_until" timestamp with time zone,
	CONSTRAINT "batches_state" CHECK ("batches"."state" in ('validating', 'in_progress', 'finalizing', 'expiring', 'cancelling', 'failed', 'completed', 'expired', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "file_chunks" (
	"file_id" text NOT NULL,
	"position" integer NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "file_chunks_file_id_position_pk" PRIMARY KEY("file_id","position")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"owner" text DEFAULT '' NOT NULL,
	"purpose" text NOT NULL,
	"filename" text NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"state" text NOT NULL,
	"storage" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"upload_until" timestamp with time zone,
	CONSTRAINT "files_state" CHECK ("files"."state" in ('uploading', 'ready', 'deleted'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "batch_jobs_job" ON "batch_jobs" USING btree ("job_id");--> statement-breakpoint
CREATE UNIQUE INDEX "batches_idempotency_key" ON "batches" USING btree ("idempotency_key");--> statement-breakpoint
CREATE INDEX "batches_owner" ON "batches" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "batches_open" ON "batches" USING btree ("id") WHERE "batches"."state" not in ('failed', 'completed', 'expired', 'cancelled');--> statement-breakpoint
CREATE INDEX "batches_input" ON "batches" USING btree ("input_file_id") WHERE "batches"."state" = 'validating';--> statement-breakpoint
CREATE INDEX "files_owner" ON "files" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "files_expires_at" ON "files" USING btree ("expires_at") WHERE "files"."state" = 'ready';--> statement-breakpoint
CREATE INDEX "files_to_remove" ON "files" USING btree ("id") WHERE "files"."state" <> 'ready';--> statement-breakpoint
ALTER TABLE "file_chunks" ALTER COLUMN "data" SET STORAGE EXTERNAL;