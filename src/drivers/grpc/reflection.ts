/**
 * Server reflection from the generated descriptors, so that tools can call the API without its
 * files. Made from the same bytes as the codec: what it shows is what is served.
 */
import { toBinary } from '@bufbuild/protobuf';
import type { DescFile } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { file_google_rpc_error_details } from './generated/google/rpc/error_details_pb.ts';
import { file_google_rpc_status } from './generated/google/rpc/status_pb.ts';
import { file_roomcell_v1_activity } from './generated/roomcell/v1/activity_pb.ts';
import { file_roomcell_v1_room_admin } from './generated/roomcell/v1/room_admin_pb.ts';
import { file_roomcell_v1_room_commands } from './generated/roomcell/v1/room_commands_pb.ts';
import { file_roomcell_v1_room_queries } from './generated/roomcell/v1/room_queries_pb.ts';

const rootFiles: readonly DescFile[] = [
  file_roomcell_v1_room_commands,
  file_roomcell_v1_room_queries,
  file_roomcell_v1_room_admin,
  file_roomcell_v1_activity,
  file_google_rpc_status,
  file_google_rpc_error_details,
];

/** Reflection that names these services and knows all their types and the error details. */
export function createReflection(services: readonly string[]): ReflectionService {
  const fileDescriptorProtos = [...withDependencies(rootFiles)].map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)),
  );
  // Of a package definition the library reads the file descriptors alone.
  const definition = { roomcell: { fileDescriptorProtos } } as unknown as PackageDefinition;
  return new ReflectionService(definition, { services: [...services] });
}

function withDependencies(files: readonly DescFile[]): Set<DescFile> {
  const all = new Set<DescFile>();
  const visit = (file: DescFile): void => {
    if (all.has(file)) return;
    all.add(file);
    file.dependencies.forEach(visit);
  };
  files.forEach(visit);
  return all;
}
