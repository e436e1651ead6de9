/** The memory broker under the promises of the log's ports. */
import { commandGroupContract } from '../../../contract/suites/command-group-contract.ts';
import { commandSinkContract } from '../../../contract/suites/command-sink-contract.ts';
import { commandSourceContract } from '../../../contract/suites/command-source-contract.ts';
import { displayLogContract } from '../../../contract/suites/display-log-contract.ts';
import { eventLogContract } from '../../../contract/suites/event-log-contract.ts';
import { replyLogContract } from '../../../contract/suites/reply-log-contract.ts';
import { topicsContract } from '../../../contract/suites/topics-contract.ts';
import { openMemoryLogSpace } from '../../../support/memory-log-space.ts';

commandSourceContract('memory', openMemoryLogSpace);
commandGroupContract('memory', openMemoryLogSpace);
commandSinkContract('memory', openMemoryLogSpace);
displayLogContract('memory', openMemoryLogSpace);
eventLogContract('memory', openMemoryLogSpace);
replyLogContract('memory', openMemoryLogSpace);
topicsContract('memory', openMemoryLogSpace);
