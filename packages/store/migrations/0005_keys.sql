CREATE TABLE "join_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"worker_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"owner" text NOT NULL,
	"worker_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "keys_role" CHECK ("keys"."role" in ('submit', 'worker', 'metrics', 'admin')),
	CONSTRAINT "keys_worker_id" CHECK (("keys"."role" = 'worker') = ("keys"."worker_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "owner" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "payload_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "keys_worker" ON "keys" USING btree ("worker_id") WHERE "keys"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "jobs_owner" ON "jobs" USING btree ("owner","id");