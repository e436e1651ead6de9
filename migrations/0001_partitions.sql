-- Who may write which partition, and how keys map to partitions.

CREATE TABLE topic_layout (
  topic            VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_count  INT NOT NULL,
  hash_name        VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at_ms    BIGINT NOT NULL,
  PRIMARY KEY (topic)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The fence: every commit compares (epoch, incarnation, commit_seq) of its partitions' rows.
CREATE TABLE partition_owner (
  topic            VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_id     INT NOT NULL,
  epoch            BIGINT NOT NULL,
  owner_node_id    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  incarnation      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lane             INT NOT NULL,
  advertise_addr   VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  applied_offset   BIGINT NOT NULL,
  commit_seq       BIGINT NOT NULL,
  released         TINYINT NOT NULL,
  updated_at_ms    BIGINT NOT NULL,
  PRIMARY KEY (topic, partition_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Offsets above applied_offset that ended without a log row; removed when applied_offset passes.
CREATE TABLE partition_settled (
  topic            VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_id     INT NOT NULL,
  kafka_offset     BIGINT NOT NULL,
  PRIMARY KEY (topic, partition_id, kafka_offset)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Records set aside: unreadable, on the wrong partition, or refused by the database.
CREATE TABLE room_dead_letters (
  topic            VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_id     INT NOT NULL,
  kafka_offset     BIGINT NOT NULL,
  reason           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  detail           VARCHAR(1000) NOT NULL,
  record_key       MEDIUMBLOB NULL,
  record_value     MEDIUMBLOB NULL,
  headers_json     MEDIUMTEXT NOT NULL,
  record_time_ms   BIGINT NOT NULL,
  created_at_ms    BIGINT NOT NULL,
  PRIMARY KEY (topic, partition_id, kafka_offset),
  KEY by_age (created_at_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Which gateway listens on which partition of the reply topic.
CREATE TABLE reply_slots (
  topic            VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  slot             INT NOT NULL,
  node_id          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  incarnation      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lease_until_ms   BIGINT NOT NULL,
  PRIMARY KEY (topic, slot)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Avro schemas of every release that ever wrote, by CRC-64-AVRO fingerprint.
CREATE TABLE avro_schemas (
  fingerprint      CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name             VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  schema_json      MEDIUMTEXT NOT NULL,
  registered_at_ms BIGINT NOT NULL,
  PRIMARY KEY (fingerprint)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
