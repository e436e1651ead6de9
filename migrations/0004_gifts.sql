-- Gifts: what may be sold, what must be given back, and who gave how much.

-- Every change of a gift is a new version; old ones stay, because a debit is honoured at its own
-- price.
CREATE TABLE gift_catalogue (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  gift_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  catalogue_version BIGINT NOT NULL,
  coin_price        BIGINT NOT NULL,
  on_sale           TINYINT NOT NULL,
  created_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, gift_id, catalogue_version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Debit keys that must be voided at the wallet. status: open, settled. The partition only says who
-- does it: voiding twice is harmless, so no topic and no epoch belong to a row (ADR 8). by_due holds
-- all that the search for due rows and the count of open ones look at.
CREATE TABLE wallet_settlement (
  debit_key         CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  command_id        VARCHAR(96) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  payer_user_id     VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_id      INT NOT NULL,
  reason            VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status            VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  tries             INT NOT NULL DEFAULT 0,
  next_try_at_ms    BIGINT NOT NULL DEFAULT 0,
  last_error        VARCHAR(1000) NOT NULL DEFAULT '',
  refunded_coins    BIGINT NULL,
  created_at_ms     BIGINT NOT NULL,
  settled_at_ms     BIGINT NULL,
  PRIMARY KEY (debit_key),
  KEY by_due (status, partition_id, next_try_at_ms, created_at_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Sums over all committed gifts of a room, raised in the transactions that commit them (RES-34).
CREATE TABLE room_user_gift_stats (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  room_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  sent_coins        BIGINT NOT NULL,
  sent_count        BIGINT NOT NULL,
  received_coins    BIGINT NOT NULL,
  received_count    BIGINT NOT NULL,
  updated_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, room_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
