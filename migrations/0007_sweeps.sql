-- Rooms with people that nobody has in memory are found by this, so that nobody stays in a room for
-- ever whose client has gone. Set by commits alone; null: only robots or nobody are there. Not part
-- of next_deadline_ms: rooms in memory whose users are alive are overdue here, and must not stand
-- before the others' deadlines.
ALTER TABLE rooms
  ADD COLUMN next_sweep_ms BIGINT NULL,
  ADD KEY by_sweep (partition_id, next_sweep_ms);

-- Rooms of earlier releases are looked at once, at their first owner's first look.
UPDATE rooms SET next_sweep_ms = 0 WHERE status = 'active' AND (app_code, room_id) IN (
  SELECT app_code, room_id FROM room_list_entries WHERE online_count > 0
);
