-- The level of the deployment: commands and events above it are not written (docs/operations.md). One
-- row, made by the first process on a database that nobody has written to yet, with the level of its
-- release. A database that was in use has the level of release 0.2.0, the newest one without levels,
-- until an operator raises it.
CREATE TABLE schema_level (
  id            TINYINT NOT NULL,
  level         INT NOT NULL,
  raised_at_ms  BIGINT NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO schema_level (id, level, raised_at_ms)
  SELECT 1, 2, 0 FROM avro_schemas LIMIT 1;
