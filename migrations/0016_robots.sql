-- Robots: accounts that cells play themselves, and by which rules. `rules` is JSON text; the quotas
-- stand apart, because a change of one is no change of the rules.
CREATE TABLE robot_accounts (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  nickname          VARCHAR(64) NOT NULL,
  avatar_url        VARCHAR(512) NOT NULL,
  country_code      VARCHAR(8) NOT NULL,
  PRIMARY KEY (app_code, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE robot_rules (
  app_code             VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  rules                MEDIUMTEXT NOT NULL,
  config_updated_at_ms BIGINT NOT NULL,
  PRIMARY KEY (app_code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE robot_quotas (
  app_code          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  country_code      VARCHAR(8) NOT NULL,
  robots_max        INT NOT NULL,
  PRIMARY KEY (app_code, country_code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
