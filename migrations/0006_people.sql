-- Users beyond one room: whom the platform keeps out, and who is in which rooms.

-- A ban from all rooms of an app, written by operators and looked at by every join.
-- expires_at_ms 0: until it is lifted.
CREATE TABLE user_bans (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reason            VARCHAR(64) NOT NULL DEFAULT '',
  banned_by         VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  banned_at_ms      BIGINT NOT NULL,
  expires_at_ms     BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (app_code, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Who is present where, written in the transactions that commit joins and leaves. The key finds the
-- rooms of a user, by_room empties a room that is closed.
CREATE TABLE user_rooms (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  joined_at_ms      BIGINT NOT NULL,
  PRIMARY KEY (app_code, user_id, room_id),
  KEY by_room (app_code, room_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
