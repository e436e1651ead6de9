/** The Kafka drivers on the bad days of a broker of their own. */
import { openFaultyKafkaLogSpace } from '../support/kafka-log-space.ts';
import { logFaultsContract } from './suites/log-faults-contract.ts';

logFaultsContract('Kafka', openFaultyKafkaLogSpace);
