#include "CMigrations.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct cmigration sqlite[] = {
    {"0001_create_users", (const char[]){
#embed "../../Migrations/0001_create_users.sql" suffix(, 0)
    }},
    {"0002_create_photos", (const char[]){
#embed "../../Migrations/0002_create_photos.sql" suffix(, 0)
    }},
    {"0003_create_tokens", (const char[]){
#embed "../../Migrations/0003_create_tokens.sql" suffix(, 0)
    }},
    {"0004_add_photo_digests", (const char[]){
#embed "../../Migrations/0004_add_photo_digests.sql" suffix(, 0)
    }},
    {"0005_index_photos_without_digest", (const char[]){
#embed "../../Migrations/0005_index_photos_without_digest.sql" suffix(, 0)
    }},
    {"0006_create_notes", (const char[]){
#embed "../../Migrations/0006_create_notes.sql" suffix(, 0)
    }},
    {"0007_create_microblog", (const char[]){
#embed "../../Migrations/0007_create_microblog.sql" suffix(, 0)
    }},
    {"0008_refresh_tokens", (const char[]){
#embed "../../Migrations/0008_refresh_tokens.sql" suffix(, 0)
    }},
    {"0009_disable_users", (const char[]){
#embed "../../Migrations/0009_disable_users.sql" suffix(, 0)
    }},
    {"0010_sum_photo_bytes", (const char[]){
#embed "../../Migrations/0010_sum_photo_bytes.sql" suffix(, 0)
    }},
    {"0011_merge_retired_tokens", (const char[]){
#embed "../../Migrations/0011_merge_retired_tokens.sql" suffix(, 0)
    }},
    {"0012_count_photos", (const char[]){
#embed "../../Migrations/0012_count_photos.sql" suffix(, 0)
    }},
    {"0013_identify_storage", (const char[]){
#embed "../../Migrations/0013_identify_storage.sql" suffix(, 0)
    }},
    {"0014_name_token_states", (const char[]){
#embed "../../Migrations/0014_name_token_states.sql" suffix(, 0)
    }},
    {"0015_sum_note_bytes", (const char[]){
#embed "../../Migrations/0015_sum_note_bytes.sql" suffix(, 0)
    }},
    {"0016_remember_backups", (const char[]){
#embed "../../Migrations/0016_remember_backups.sql" suffix(, 0)
    }},
    {0},
};

static const struct cmigration postgresql[] = {
    {"0001_create_tables", (const char[]){
#embed "../../Migrations/PostgreSQL/0001_create_tables.sql" suffix(, 0)
    }},
    {"0002_create_commits", (const char[]){
#embed "../../Migrations/PostgreSQL/0002_create_commits.sql" suffix(, 0)
    }},
    {"0003_merge_retired_tokens", (const char[]){
#embed "../../Migrations/PostgreSQL/0003_merge_retired_tokens.sql" suffix(, 0)
    }},
    {"0004_take_null_ids", (const char[]){
#embed "../../Migrations/PostgreSQL/0004_take_null_ids.sql" suffix(, 0)
    }},
    {"0005_add_photo_count", (const char[]){
#embed "../../Migrations/PostgreSQL/0005_add_photo_count.sql" suffix(, 0)
    }},
    {"0006_count_photos", (const char[]){
#embed "../../Migrations/PostgreSQL/0006_count_photos.sql" suffix(, 0)
    }},
    {"0007_identify_storage", (const char[]){
#embed "../../Migrations/PostgreSQL/0007_identify_storage.sql" suffix(, 0)
    }},
    {"0008_note_removals", (const char[]){
#embed "../../Migrations/PostgreSQL/0008_note_removals.sql" suffix(, 0)
    }},
    {"0009_name_token_states", (const char[]){
#embed "../../Migrations/PostgreSQL/0009_name_token_states.sql" suffix(, 0)
    }},
    {"0010_sum_note_bytes", (const char[]){
#embed "../../Migrations/PostgreSQL/0010_sum_note_bytes.sql" suffix(, 0)
    }},
    {0},
};

const struct cmigration *const cmigrations_sqlite = sqlite;
const struct cmigration *const cmigrations_postgresql = postgresql;
