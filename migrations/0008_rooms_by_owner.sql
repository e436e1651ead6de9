-- The rooms of one owner, page by page, without a walk over all rooms of the app.

ALTER TABLE room_list_entries
  ADD KEY by_owner (app_code, owner_user_id, room_id);
