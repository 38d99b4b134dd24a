CREATE TABLE "copies" (
	"task_id" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"worker_id" text NOT NULL,
	"boot_id" text NOT NULL,
	"first_seq" integer NOT NULL,
	"end_seq" integer NOT NULL,
	"copied_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"ended" text,
	CONSTRAINT "copies_task_id_attempt_worker_id_first_seq_pk" PRIMARY KEY("task_id","attempt","worker_id","first_seq"),
	CONSTRAINT "copies_ended" CHECK ("copies"."ended" in ('done', 'returned', 'lost', 'failed', 'suspect'))
);
--> statement-breakpoint
CREATE INDEX "copies_live" ON "copies" USING btree ("worker_id") WHERE "copies"."ended" is null;