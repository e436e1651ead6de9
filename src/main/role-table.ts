/** Which wiring makes which role. */
import type { Role, RoleName } from './role.ts';
import { wireAdapterActivity } from './wire-adapter-activity.ts';
import { wireAdapterIm } from './wire-adapter-im.ts';
import { wireCell } from './wire-cell.ts';
import { wireGateway } from './wire-gateway.ts';
import { wireRelay } from './wire-relay.ts';
import { wireSandbox } from './wire-sandbox.ts';
import type { WiringContext } from './wiring-context.ts';

/** Makes a role on the shared context; nothing of it runs yet. */
export type WireRole = (context: WiringContext) => Role;

/** See the file header. */
export const roleTable: Readonly<Record<RoleName, WireRole>> = {
  sandbox: wireSandbox,
  'adapter-im': wireAdapterIm,
  'adapter-activity': wireAdapterActivity,
  relay: wireRelay,
  cell: wireCell,
  gateway: wireGateway,
};
