CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "keys" DROP CONSTRAINT "keys_role";--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_key_id_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_key" ON "sessions" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_role" CHECK ("keys"."role" in ('submit', 'read', 'worker', 'metrics', 'admin'));