CREATE TABLE "boots" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "boots_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"role" text NOT NULL,
	"name" text NOT NULL,
	"boot_id" text NOT NULL,
	"pid" integer NOT NULL,
	"hostname" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"cwd" text NOT NULL,
	"tmp_writable" boolean NOT NULL,
	"previous_boot_id" text,
	"verdict" text NOT NULL,
	CONSTRAINT "boots_boot_id" UNIQUE("boot_id")
);
--> statement-breakpoint
CREATE TABLE "deployment" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"one" boolean DEFAULT true NOT NULL,
	CONSTRAINT "deployment_one_unique" UNIQUE("one"),
	CONSTRAINT "deployment_one" CHECK ("deployment"."one")
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"owner" text DEFAULT '' NOT NULL,
	"key" "bytea" NOT NULL,
	"job_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	CONSTRAINT "ledger_owner_key_pk" PRIMARY KEY("owner","key")
);
--> statement-breakpoint
ALTER TABLE "items" ADD COLUMN "key" "bytea";--> statement-breakpoint
ALTER TABLE "items" ADD COLUMN "leader_seq" integer;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "reused_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "repeated_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "reused" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "boots_name" ON "boots" USING btree ("role","name","id");--> statement-breakpoint
CREATE INDEX "items_repeated" ON "items" USING btree ("job_id","leader_seq") WHERE "items"."leader_seq" is not null;--> statement-breakpoint
INSERT INTO "deployment" DEFAULT VALUES;
