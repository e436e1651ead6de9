/** The memory broker on its bad days: those of Kafka, and those that only it can have at will. */
import { logFaultsContract } from '../../../contract/suites/log-faults-contract.ts';
import { openMemoryLogSpace } from '../../../support/memory-log-space.ts';

logFaultsContract('memory', openMemoryLogSpace);
