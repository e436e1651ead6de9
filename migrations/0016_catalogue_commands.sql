-- Which call of an operator made a version: its row in operator_audit says who, and the same call again
-- is answered with the version that it made. Empty: made at a start, or before calls were kept.
ALTER TABLE gift_catalogue
  ADD COLUMN set_by_command VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';

ALTER TABLE rocket_rules
  ADD COLUMN set_by_command VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
