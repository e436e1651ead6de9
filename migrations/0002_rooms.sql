-- The rooms themselves: present facts, the log they are recovered from, their events and snapshots.

CREATE TABLE rooms (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_id      INT NOT NULL,
  version           BIGINT NOT NULL,
  chain_hash        BINARY(32) NOT NULL,
  status            VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  owner_user_id     VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  seat_count        INT NOT NULL,
  mode              VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  visible_region_id BIGINT NOT NULL,
  password_hash     VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  password_version  BIGINT NOT NULL,
  close_info_json   TEXT NULL,
  next_deadline_ms  BIGINT NULL,
  created_at_ms     BIGINT NOT NULL,
  updated_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, room_id),
  KEY by_deadline (partition_id, next_deadline_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The public list. list_order columns: pinned first, then heat bucket, then room id (decision 32).
CREATE TABLE room_list_entries (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status            VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  title             VARCHAR(128) NOT NULL,
  cover_url         VARCHAR(512) NOT NULL,
  owner_user_id     VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  mode              VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  visible_region_id BIGINT NOT NULL,
  locked            TINYINT NOT NULL,
  tags_json         VARCHAR(1024) NOT NULL,
  seat_count        INT NOT NULL,
  online_count      INT NOT NULL,
  pinned            TINYINT NOT NULL DEFAULT 0,
  heat              BIGINT NOT NULL DEFAULT 0,
  heat_bucket       SMALLINT NOT NULL DEFAULT 0,
  created_at_ms     BIGINT NOT NULL,
  updated_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, room_id),
  KEY by_order (app_code, status, pinned DESC, heat_bucket DESC, room_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Every finally decided command. applied_version is null unless the command changed the room, and
-- unique per room: a second writer cannot fork a room even if every other fence failed.
CREATE TABLE room_command_log (
  app_code             VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id              VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  command_id           VARCHAR(96) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  command_type         VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  actor_user_id        VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  payload_hash         BINARY(32) NOT NULL,
  payload_hash_version SMALLINT NOT NULL,
  outcome              VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  applied_version      BIGINT NULL,
  decided_version      BIGINT NOT NULL,
  decided_at_ms        BIGINT NOT NULL,
  result               MEDIUMBLOB NOT NULL,
  result_crc32c        INT UNSIGNED NOT NULL,
  events               MEDIUMBLOB NULL,
  events_crc32c        INT UNSIGNED NULL,
  chain_hash           BINARY(32) NULL,
  topic                VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_id         INT NOT NULL,
  kafka_offset         BIGINT NULL,
  epoch                BIGINT NOT NULL,
  owner_node_id        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lease_token          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (app_code, room_id, command_id),
  UNIQUE KEY one_writer_per_version (app_code, room_id, applied_version),
  KEY by_offset (topic, partition_id, kafka_offset)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Each event's envelope once; the outbox points at it.
CREATE TABLE room_events (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_version      BIGINT NOT NULL,
  event_index       INT NOT NULL,
  event_id          CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_type        VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  occurred_at_ms    BIGINT NOT NULL,
  envelope          MEDIUMBLOB NOT NULL,
  envelope_crc32c   INT UNSIGNED NOT NULL,
  PRIMARY KEY (app_code, room_id, room_version, event_index),
  UNIQUE KEY by_event_id (event_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE room_snapshots (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version           BIGINT NOT NULL,
  state             LONGBLOB NOT NULL,
  state_hash        BINARY(32) NOT NULL,
  chain_hash        BINARY(32) NOT NULL,
  created_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, room_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
