-- What was given in a room day by day, raised in the transactions that commit the gifts, for the boards
-- (LB-4). A day is one of UTC (`2026-11-30`), by the time at which the log keeps the command. The day
-- comes before the room: a board is made of all rooms of one day. Rows of deleted rooms stay.
CREATE TABLE room_day_contributions (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  utc_day           CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  coins             BIGINT NOT NULL,
  gift_count        BIGINT NOT NULL,
  updated_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, utc_day, room_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- All rooms of one week, without a walk over all weeks of the app. A gift writes this index only when
-- it is its room's first of the week.
ALTER TABLE room_week_contributions
  ADD KEY by_week (app_code, iso_week, room_id);
