-- What was given in a room week by week, raised in the transactions that commit the gifts. A week is
-- an ISO week in UTC (`2026-W49`), by the time at which the log keeps the command, so that the events
-- of a room tell the same weeks. Rows of deleted rooms stay: they tell of coins that were spent.

-- The room's column of the back office (RES-35).
CREATE TABLE room_week_contributions (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  iso_week          CHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  coins             BIGINT NOT NULL,
  gift_count        BIGINT NOT NULL,
  updated_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, room_id, iso_week)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What each sender gave there in that week (RES-33).
CREATE TABLE room_user_week_contributions (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  iso_week          CHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  coins             BIGINT NOT NULL,
  gift_count        BIGINT NOT NULL,
  updated_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, room_id, iso_week, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
