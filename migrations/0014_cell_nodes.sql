-- The cell nodes that live: who has which name, and which of them operators want drained. Times are
-- the database's own.
CREATE TABLE cell_nodes (
  topic               VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  node_id             VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  incarnation         VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  renewed_at_ms       BIGINT NOT NULL,
  lease_until_ms      BIGINT NOT NULL,
  queues              TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  drain_asked_by      VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (topic, node_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
