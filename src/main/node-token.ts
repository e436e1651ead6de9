/** What the nodes of a deployment show one another, made from what they share. */
import { createHmac } from 'node:crypto';
import type { RoomcellConfig } from './config/config-schema.ts';

/** '' without a deployment secret: then nobody is asked. Tells nothing about the secret. */
export function nodeTokenOf({ deploymentSecret }: RoomcellConfig): string {
  if (deploymentSecret === '') return '';
  return createHmac('sha256', deploymentSecret).update('roomcell owner reads').digest('hex');
}
