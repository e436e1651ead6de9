/** The contracts of the outbox on its memory twin. */
import { outboxClaimContract } from '../../../contract/suites/outbox-claim-contract.ts';
import { outboxFinishContract } from '../../../contract/suites/outbox-finish-contract.ts';
import { memoryOutboxFixture } from '../../../support/memory-outbox-rows.ts';

outboxClaimContract('memory', memoryOutboxFixture);
outboxFinishContract('memory', memoryOutboxFixture);
