CREATE TABLE "minute_counts" (
	"minute" timestamp with time zone NOT NULL,
	"job_id" uuid NOT NULL,
	"worker_id" text NOT NULL,
	"owner" text NOT NULL,
	"model" text NOT NULL,
	"items_ok" integer DEFAULT 0 NOT NULL,
	"items_error" integer DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"leases_expired" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "minute_counts_minute_job_id_worker_id_pk" PRIMARY KEY("minute","job_id","worker_id")
);
