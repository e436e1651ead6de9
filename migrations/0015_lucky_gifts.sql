-- Lucky gifts: which gifts draw, and prizes that are still to be paid.

ALTER TABLE gift_catalogue ADD COLUMN lucky TINYINT NOT NULL DEFAULT 0;

-- A row with a prize is not a debit to void but a prize to pay: debit_key is the prize's own key,
-- prize_of that of the debit that it was won with, and refunded_coins becomes what was paid.
ALTER TABLE wallet_settlement
  ADD COLUMN prize_of      CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
  ADD COLUMN prize_coins   BIGINT NULL,
  ADD COLUMN prize_draw_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL;
