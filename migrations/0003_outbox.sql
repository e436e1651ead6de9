-- One narrow row per (event, destination). An event is delivered when all its rows are.
-- status: pending, delivering, delivered, retryable, failed; the historical 'published' may be read
-- but is never written and never claimed.

CREATE TABLE room_outbox (
  id                BIGINT NOT NULL AUTO_INCREMENT,
  event_id          CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_version      BIGINT NOT NULL,
  event_index       INT NOT NULL,
  event_type        VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  destination       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  shard             SMALLINT NOT NULL,
  status            VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  worker_id         VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  claim_token       VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  lock_until_ms     BIGINT NOT NULL DEFAULT 0,
  next_retry_at_ms  BIGINT NOT NULL DEFAULT 0,
  retry_count       INT NOT NULL DEFAULT 0,
  started_count     INT NOT NULL DEFAULT 0,
  last_error        VARCHAR(1000) NOT NULL DEFAULT '',
  useful_until_ms   BIGINT NULL,
  created_at_ms     BIGINT NOT NULL,
  finished_at_ms    BIGINT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY one_row_per_destination (event_id, destination),
  KEY by_shard (shard, status, id),
  KEY by_stream (app_code, room_id, destination, status, id),
  KEY by_claim (claim_token, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
