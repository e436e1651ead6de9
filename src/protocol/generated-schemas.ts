/**
 * Generated from `schemas/avro` by `scripts/generate-avro-schemas.ts`; change those files.
 * Each schema is complete in itself: every named type stands at its first use.
 */

/** Avro JSON of every record that this release writes, by the name of the record. */
export const schemaJson = {
  CommandTopicRecord:
    '{"type":"record","name":"roomcell.CommandTopicRecord","fields":[{"name":"content","type":["null",{"type":"record","name":"roomcell.Command","fields":[{"name":"appCode","type":"string","default":""},' +
    '{"name":"roomId","type":"string","default":""},' +
    '{"name":"commandId","type":"string","default":""},' +
    '{"name":"actorUserId","type":"string","default":""},' +
    '{"name":"actorRole","type":{"type":"enum","name":"roomcell.ActorRole","symbols":["UNKNOWN","user","service","operator","system"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"clientTimeMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"snapshotMode","type":{"type":"enum","name":"roomcell.SnapshotMode","symbols":["UNKNOWN","none","view"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"body","type":["null",{"type":"record","name":"roomcell.CreateRoom","fields":[{"name":"title","type":"string","default":""},' +
    '{"name":"coverUrl","type":"string","default":""},' +
    '{"name":"backgroundUrl","type":"string","default":""},' +
    '{"name":"seatCount","type":"int","default":0},' +
    '{"name":"mode","type":{"type":"enum","name":"roomcell.RoomMode","symbols":["UNKNOWN","free","apply"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"visibleRegionId","type":"long","default":0},' +
    '{"name":"passwordHash","type":"string","default":""},' +
    '{"name":"tags","type":{"type":"array","items":"string"},"default":[]},' +
    '{"name":"ext","type":"string","default":""}]},' +
    '{"type":"record","name":"roomcell.JoinRoom","fields":[{"name":"profile","type":{"type":"record","name":"roomcell.UserProfile","fields":[{"name":"nickname","type":"string","default":""},' +
    '{"name":"avatarUrl","type":"string","default":""},' +
    '{"name":"countryCode","type":"string","default":""},' +
    '{"name":"ext","type":"string","default":""}]},"default":{}},' +
    '{"name":"isRobot","type":"boolean","default":false},' +
    '{"name":"password","type":{"type":"record","name":"roomcell.PasswordVerdict","fields":[{"name":"passwordVersion","type":"long","default":0},' +
    '{"name":"verdict","type":{"type":"enum","name":"roomcell.PasswordCheck","symbols":["UNKNOWN","none_given","match","mismatch"],"default":"UNKNOWN"},"default":"UNKNOWN"}]},"default":{}}]},' +
    '{"type":"record","name":"roomcell.LeaveRoom","fields":[]},' +
    '{"type":"record","name":"roomcell.MicUp","fields":[{"name":"seatNo","type":"int","default":0}]},' +
    '{"type":"record","name":"roomcell.MicDown","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"micSessionId","type":"string","default":""}]},' +
    '{"type":"record","name":"roomcell.ConfirmMicPublishing","fields":[{"name":"micSessionId","type":"string","default":""}]},' +
    '{"type":"record","name":"roomcell.CloseRoom","fields":[{"name":"reason","type":"string","default":""},' +
    '{"name":"note","type":"string","default":""}]},' +
    '{"type":"record","name":"roomcell.ExpireMicPublish","fields":[{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"publishDeadlineMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0}]}],"default":null}]},' +
    '{"type":"record","name":"roomcell.HeartbeatFold","fields":[{"name":"items","type":{"type":"array","items":{"type":"record","name":"roomcell.HeartbeatItem","fields":[{"name":"appCode","type":"string","default":""},' +
    '{"name":"roomId","type":"string","default":""},' +
    '{"name":"userId","type":"string","default":""}]}},"default":[]}]}],"default":null}]}',
  EventEnvelope:
    '{"type":"record","name":"roomcell.EventEnvelope","fields":[{"name":"eventId","type":"string","default":""},' +
    '{"name":"appCode","type":"string","default":""},' +
    '{"name":"roomId","type":"string","default":""},' +
    '{"name":"eventType","type":"string","default":""},' +
    '{"name":"roomVersion","type":"long","default":0},' +
    '{"name":"eventIndex","type":"int","default":0},' +
    '{"name":"occurredAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"commandId","type":"string","default":""},' +
    '{"name":"actorUserId","type":"string","default":""},' +
    '{"name":"event","type":["null",{"type":"record","name":"roomcell.RoomCreated","fields":[{"name":"ownerUserId","type":"string","default":""},' +
    '{"name":"title","type":"string","default":""},' +
    '{"name":"coverUrl","type":"string","default":""},' +
    '{"name":"backgroundUrl","type":"string","default":""},' +
    '{"name":"seatCount","type":"int","default":0},' +
    '{"name":"mode","type":{"type":"enum","name":"roomcell.RoomMode","symbols":["UNKNOWN","free","apply"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"visibleRegionId","type":"long","default":0},' +
    '{"name":"tags","type":{"type":"array","items":"string"},"default":[]},' +
    '{"name":"ext","type":"string","default":""}]},' +
    '{"type":"record","name":"roomcell.RoomUserJoined","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"profile","type":{"type":"record","name":"roomcell.UserProfile","fields":[{"name":"nickname","type":"string","default":""},' +
    '{"name":"avatarUrl","type":"string","default":""},' +
    '{"name":"countryCode","type":"string","default":""},' +
    '{"name":"ext","type":"string","default":""}]},"default":{}},' +
    '{"name":"isRobot","type":"boolean","default":false}]},' +
    '{"type":"record","name":"roomcell.RoomUserUpdated","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"profile","type":"roomcell.UserProfile","default":{}}]},' +
    '{"type":"record","name":"roomcell.RoomUserLeft","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"reason","type":{"type":"enum","name":"roomcell.LeaveReason","symbols":["UNKNOWN","left","stale","kicked","closed"],"default":"UNKNOWN"},"default":"UNKNOWN"}]},' +
    '{"type":"record","name":"roomcell.RoomMicUp","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"publishDeadlineMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0}]},' +
    '{"type":"record","name":"roomcell.RoomMicPublishing","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"publishEventTimeMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0}]},' +
    '{"type":"record","name":"roomcell.RoomMicDown","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"reason","type":{"type":"enum","name":"roomcell.MicDownReason","symbols":["UNKNOWN","mic_down","taken_down","left_room","publish_timeout","room_closed"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"onMicMs","type":{"type":"long","logicalType":"duration-millis"},"default":0}]},' +
    '{"type":"record","name":"roomcell.RoomClosed","fields":[{"name":"closedByUserId","type":"string","default":""},' +
    '{"name":"closedByKind","type":{"type":"enum","name":"roomcell.CloserKind","symbols":["UNKNOWN","owner","admin","operator","system"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"reason","type":"string","default":""},' +
    '{"name":"note","type":"string","default":""},' +
    '{"name":"finalOnlineCount","type":"int","default":0}]}],"default":null}]}',
  LoggedEvents:
    '{"type":"record","name":"roomcell.LoggedEvents","fields":[{"name":"events","type":{"type":"array","items":["null",{"type":"record","name":"roomcell.RoomCreated","fields":[{"name":"ownerUserId","type":"string","default":""},' +
    '{"name":"title","type":"string","default":""},' +
    '{"name":"coverUrl","type":"string","default":""},' +
    '{"name":"backgroundUrl","type":"string","default":""},' +
    '{"name":"seatCount","type":"int","default":0},' +
    '{"name":"mode","type":{"type":"enum","name":"roomcell.RoomMode","symbols":["UNKNOWN","free","apply"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"visibleRegionId","type":"long","default":0},' +
    '{"name":"passwordHash","type":"string","default":""},' +
    '{"name":"tags","type":{"type":"array","items":"string"},"default":[]},' +
    '{"name":"ext","type":"string","default":""}]},' +
    '{"type":"record","name":"roomcell.RoomUserJoined","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"profile","type":{"type":"record","name":"roomcell.UserProfile","fields":[{"name":"nickname","type":"string","default":""},' +
    '{"name":"avatarUrl","type":"string","default":""},' +
    '{"name":"countryCode","type":"string","default":""},' +
    '{"name":"ext","type":"string","default":""}]},"default":{}},' +
    '{"name":"isRobot","type":"boolean","default":false}]},' +
    '{"type":"record","name":"roomcell.RoomUserUpdated","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"profile","type":"roomcell.UserProfile","default":{}}]},' +
    '{"type":"record","name":"roomcell.RoomUserLeft","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"reason","type":{"type":"enum","name":"roomcell.LeaveReason","symbols":["UNKNOWN","left","stale","kicked","closed"],"default":"UNKNOWN"},"default":"UNKNOWN"}]},' +
    '{"type":"record","name":"roomcell.RoomMicUp","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"publishDeadlineMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0}]},' +
    '{"type":"record","name":"roomcell.RoomMicPublishing","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"publishEventTimeMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0}]},' +
    '{"type":"record","name":"roomcell.RoomMicDown","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"reason","type":{"type":"enum","name":"roomcell.MicDownReason","symbols":["UNKNOWN","mic_down","taken_down","left_room","publish_timeout","room_closed"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"onMicMs","type":{"type":"long","logicalType":"duration-millis"},"default":0}]},' +
    '{"type":"record","name":"roomcell.RoomClosed","fields":[{"name":"closedByUserId","type":"string","default":""},' +
    '{"name":"closedByKind","type":{"type":"enum","name":"roomcell.CloserKind","symbols":["UNKNOWN","owner","admin","operator","system"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"reason","type":"string","default":""},' +
    '{"name":"note","type":"string","default":""},' +
    '{"name":"finalOnlineCount","type":"int","default":0}]}]},"default":[]}]}',
  ReplyRecord:
    '{"type":"record","name":"roomcell.ReplyRecord","fields":[{"name":"content","type":["null",{"type":"record","name":"roomcell.ResultReply","fields":[{"name":"resultBytes","type":"bytes","default":""},' +
    '{"name":"replayed","type":"boolean","default":false},' +
    '{"name":"view","type":["null",{"type":"record","name":"roomcell.RoomView","fields":[{"name":"appCode","type":"string","default":""},' +
    '{"name":"roomId","type":"string","default":""},' +
    '{"name":"status","type":{"type":"enum","name":"roomcell.RoomStatus","symbols":["UNKNOWN","absent","active","closing","closed"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"version","type":"long","default":0},' +
    '{"name":"ownerUserId","type":"string","default":""},' +
    '{"name":"title","type":"string","default":""},' +
    '{"name":"coverUrl","type":"string","default":""},' +
    '{"name":"announcement","type":"string","default":""},' +
    '{"name":"backgroundUrl","type":"string","default":""},' +
    '{"name":"tags","type":{"type":"array","items":"string"},"default":[]},' +
    '{"name":"ext","type":"string","default":""},' +
    '{"name":"mode","type":{"type":"enum","name":"roomcell.RoomMode","symbols":["UNKNOWN","free","apply"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"visibleRegionId","type":"long","default":0},' +
    '{"name":"locked","type":"boolean","default":false},' +
    '{"name":"createdAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"seats","type":{"type":"array","items":{"type":"record","name":"roomcell.SeatView","fields":[{"name":"seatNo","type":"int","default":0},' +
    '{"name":"locked","type":"boolean","default":false},' +
    '{"name":"muted","type":"boolean","default":false},' +
    '{"name":"state","type":{"type":"enum","name":"roomcell.SeatViewState","symbols":["UNKNOWN","idle","pending_publish","publishing"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"holder","type":["null",{"type":"record","name":"roomcell.SeatHolderView","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"nickname","type":"string","default":""},' +
    '{"name":"avatarUrl","type":"string","default":""}]}],"default":null}]}},"default":[]},' +
    '{"name":"counts","type":{"type":"record","name":"roomcell.RoomViewCounts","fields":[{"name":"online","type":"int","default":0},' +
    '{"name":"onSeat","type":"int","default":0}]},"default":{}},' +
    '{"name":"close","type":["null",{"type":"record","name":"roomcell.RoomViewClose","fields":[{"name":"kind","type":{"type":"enum","name":"roomcell.CloserKind","symbols":["UNKNOWN","owner","admin","operator","system"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"reason","type":"string","default":""},' +
    '{"name":"closedAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0}]}],"default":null},' +
    '{"name":"me","type":["null",{"type":"record","name":"roomcell.RoomViewMe","fields":[{"name":"role","type":{"type":"enum","name":"roomcell.ViewerRole","symbols":["UNKNOWN","owner","member"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"present","type":"boolean","default":false},' +
    '{"name":"seatNo","type":"int","default":0},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"muted","type":"boolean","default":false}]}],"default":null}]}],"default":null}]},' +
    '{"type":"record","name":"roomcell.RefusalReply","fields":[{"name":"reason","type":"string","default":""},' +
    '{"name":"facts","type":{"type":"array","items":{"type":"record","name":"roomcell.Fact","fields":[{"name":"name","type":"string","default":""},' +
    '{"name":"value","type":"string","default":""}]}},"default":[]},' +
    '{"name":"retryAfterMs","type":{"type":"long","logicalType":"duration-millis"},"default":0}]},' +
    '{"type":"record","name":"roomcell.HeartbeatReply","fields":[{"name":"notPresent","type":{"type":"array","items":"int"},"default":[]},' +
    '{"name":"notActive","type":{"type":"array","items":"int"},"default":[]}]}],"default":null}]}',
  ResultRecord:
    '{"type":"record","name":"roomcell.ResultRecord","fields":[{"name":"outcome","type":{"type":"enum","name":"roomcell.Outcome","symbols":["UNKNOWN","applied","no_effect","rejected"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"roomVersion","type":"long","default":0},' +
    '{"name":"reason","type":"string","default":""},' +
    '{"name":"facts","type":{"type":"array","items":{"type":"record","name":"roomcell.Fact","fields":[{"name":"name","type":"string","default":""},' +
    '{"name":"value","type":"string","default":""}]}},"default":[]},' +
    '{"name":"fields","type":{"type":"record","name":"roomcell.ResultFields","fields":[{"name":"user","type":["null",{"type":"record","name":"roomcell.PresentUser","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"profile","type":{"type":"record","name":"roomcell.UserProfile","fields":[{"name":"nickname","type":"string","default":""},' +
    '{"name":"avatarUrl","type":"string","default":""},' +
    '{"name":"countryCode","type":"string","default":""},' +
    '{"name":"ext","type":"string","default":""}]},"default":{}},' +
    '{"name":"isRobot","type":"boolean","default":false},' +
    '{"name":"joinedAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"joinedAtVersion","type":"long","default":0}]}],"default":null},' +
    '{"name":"seatNo","type":["null","int"],"default":null},' +
    '{"name":"micSessionId","type":["null","string"],"default":null},' +
    '{"name":"publishDeadlineMs","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"default":null}]},"default":{}}]}',
  RoomSnapshot:
    '{"type":"record","name":"roomcell.RoomSnapshot","fields":[{"name":"state","type":{"type":"record","name":"roomcell.RoomState","fields":[{"name":"appCode","type":"string","default":""},' +
    '{"name":"roomId","type":"string","default":""},' +
    '{"name":"status","type":{"type":"enum","name":"roomcell.RoomStatus","symbols":["UNKNOWN","absent","active","closing","closed"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"version","type":"long","default":0},' +
    '{"name":"ownerUserId","type":["null","string"],"default":null},' +
    '{"name":"profile","type":{"type":"record","name":"roomcell.RoomProfile","fields":[{"name":"title","type":"string","default":""},' +
    '{"name":"coverUrl","type":"string","default":""},' +
    '{"name":"announcement","type":"string","default":""},' +
    '{"name":"backgroundUrl","type":"string","default":""},' +
    '{"name":"tags","type":{"type":"array","items":"string"},"default":[]},' +
    '{"name":"ext","type":"string","default":""}]},"default":{}},' +
    '{"name":"mode","type":{"type":"enum","name":"roomcell.RoomMode","symbols":["UNKNOWN","free","apply"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"visibleRegionId","type":"long","default":0},' +
    '{"name":"passwordHash","type":"string","default":""},' +
    '{"name":"passwordVersion","type":"long","default":0},' +
    '{"name":"seats","type":{"type":"array","items":{"type":"record","name":"roomcell.MicSeat","fields":[{"name":"seatNo","type":"int","default":0},' +
    '{"name":"locked","type":"boolean","default":false},' +
    '{"name":"muted","type":"boolean","default":false},' +
    '{"name":"occupancy","type":["null",{"type":"record","name":"roomcell.MicOccupancy","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"micSessionId","type":"string","default":""},' +
    '{"name":"state","type":{"type":"enum","name":"roomcell.MicState","symbols":["UNKNOWN","pending_publish","publishing"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"sessionRoomVersion","type":"long","default":0},' +
    '{"name":"sessionStartedAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"publishDeadlineMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"lastPublishEventTimeMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0}]}],"default":null}]}},"default":[]},' +
    '{"name":"users","type":{"type":"array","items":{"type":"record","name":"roomcell.PresentUser","fields":[{"name":"userId","type":"string","default":""},' +
    '{"name":"profile","type":{"type":"record","name":"roomcell.UserProfile","fields":[{"name":"nickname","type":"string","default":""},' +
    '{"name":"avatarUrl","type":"string","default":""},' +
    '{"name":"countryCode","type":"string","default":""},' +
    '{"name":"ext","type":"string","default":""}]},"default":{}},' +
    '{"name":"isRobot","type":"boolean","default":false},' +
    '{"name":"joinedAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"joinedAtVersion","type":"long","default":0}]}},"default":[]},' +
    '{"name":"createdAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"lastEventAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"closeInfo","type":["null",{"type":"record","name":"roomcell.RoomCloseInfo","fields":[{"name":"closedByUserId","type":"string","default":""},' +
    '{"name":"closedByKind","type":{"type":"enum","name":"roomcell.CloserKind","symbols":["UNKNOWN","owner","admin","operator","system"],"default":"UNKNOWN"},"default":"UNKNOWN"},' +
    '{"name":"reason","type":"string","default":""},' +
    '{"name":"note","type":"string","default":""},' +
    '{"name":"closedAtMs","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},' +
    '{"name":"finalOnlineCount","type":"int","default":0}]}],"default":null}]},"default":{}}]}',
} as const;

/** Names of the records that this release writes. */
export type SchemaName = keyof typeof schemaJson;
