/** The contracts of the outbox on its memory twin. */
import { outboxBlockContract } from '../../../contract/suites/outbox-block-contract.ts';
import { outboxClaimContract } from '../../../contract/suites/outbox-claim-contract.ts';
import { outboxFinishContract } from '../../../contract/suites/outbox-finish-contract.ts';
import { outboxTogetherContract } from '../../../contract/suites/outbox-together-contract.ts';
import { memoryOutboxFixture } from '../../../support/memory-outbox-rows.ts';

outboxBlockContract('memory', memoryOutboxFixture);
outboxClaimContract('memory', memoryOutboxFixture);
outboxFinishContract('memory', memoryOutboxFixture);
outboxTogetherContract('memory', memoryOutboxFixture);
