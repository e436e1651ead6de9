-- How the rocket of each app's rooms works. Every change is a new version and old ones stay, because
-- events name the version under which they were made. `rules` is JSON text.
CREATE TABLE rocket_rules (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  rules_version     BIGINT NOT NULL,
  rules             MEDIUMTEXT NOT NULL,
  created_at_ms     BIGINT NOT NULL,
  PRIMARY KEY (app_code, rules_version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
