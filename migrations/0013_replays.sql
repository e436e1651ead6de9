-- What an operator sent again. A row of the outbox begins anew, so what it had come to stands here; a
-- record of the commands topic gets a new place there, and its letter says that it went.
CREATE TABLE outbox_replays (
  app_code         VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  command_id       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  outbox_id        BIGINT NOT NULL,
  event_id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  destination      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  retry_count      INT NOT NULL,
  started_count    INT NOT NULL,
  last_error       VARCHAR(1000) NOT NULL,
  failed_at_ms     BIGINT NULL,
  replayed_at_ms   BIGINT NOT NULL,
  PRIMARY KEY (app_code, command_id, outbox_id),
  KEY by_event (event_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

ALTER TABLE room_dead_letters
  ADD COLUMN replayed_at_ms BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN replayed_by    VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
