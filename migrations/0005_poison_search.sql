-- The search for a record that ends the process which executes it (ADR 11).

-- taken_at_offset: applied_offset as the last takeover found it. stalled_takeovers: takeovers since
-- it last moved whose former owner had not given the partition up. trying_offset and tries: the record
-- that an owner began by itself, and how often one did.
ALTER TABLE partition_owner
  ADD COLUMN taken_at_offset    BIGINT NULL,
  ADD COLUMN stalled_takeovers  INT NOT NULL DEFAULT 0,
  ADD COLUMN trying_offset      BIGINT NULL,
  ADD COLUMN tries              INT NOT NULL DEFAULT 0;
