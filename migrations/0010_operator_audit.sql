-- What operators did, one row for each command id, written in the transaction of what it tells of.
-- The id makes a repeat harmless: what was lifted or unpinned since is not done a second time.
CREATE TABLE operator_audit (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  command_id        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  operator_id       VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  action            VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reason            VARCHAR(64) NOT NULL,
  expires_at_ms     BIGINT NOT NULL,
  pinned            TINYINT NOT NULL,
  done_at_ms        BIGINT NOT NULL,
  PRIMARY KEY (app_code, command_id),
  KEY by_time (app_code, done_at_ms),
  KEY by_user (app_code, user_id, done_at_ms),
  KEY by_room (app_code, room_id, done_at_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
