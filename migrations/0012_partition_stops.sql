-- What an owner must know when it takes a partition over, beside what is applied: from which epoch on
-- offsets in log rows are those of the present log, when the record at the applied offset was appended
-- (it tells another log under the same name apart), how far the group's stored offset is known to be
-- ahead, and up to which offset records are executed however old they are.
ALTER TABLE partition_owner
  ADD COLUMN offsets_since_epoch BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN applied_record_ms   BIGINT NULL,
  ADD COLUMN accepted_hint       BIGINT NOT NULL DEFAULT -1,
  ADD COLUMN replay_until        BIGINT NOT NULL DEFAULT -1;

-- Partitions that stand still until an operator has said what it means.
CREATE TABLE partition_stops (
  topic               VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_id        INT NOT NULL,
  state               VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  expected_offset     BIGINT NOT NULL,
  log_start_offset    BIGINT NOT NULL,
  log_end_offset      BIGINT NOT NULL,
  committed_offset    BIGINT NOT NULL,
  epoch               BIGINT NOT NULL,
  owner_node_id       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  stopped_at_ms       BIGINT NOT NULL,
  accepted_choice     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
  accepted_replay     BIGINT NOT NULL DEFAULT -1,
  accepted_by         VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  accepted_at_ms      BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (topic, partition_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What an act is about where it is about no user and no room.
ALTER TABLE operator_audit
  ADD COLUMN subject VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
