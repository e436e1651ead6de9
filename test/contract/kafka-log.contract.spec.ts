/** The Kafka drivers under the promises of the log's ports. */
import { openKafkaLogSpace } from '../support/kafka-log-space.ts';
import { commandGroupContract } from './suites/command-group-contract.ts';
import { commandSinkContract } from './suites/command-sink-contract.ts';
import { commandSourceContract } from './suites/command-source-contract.ts';
import { displayLogContract } from './suites/display-log-contract.ts';
import { eventLogContract } from './suites/event-log-contract.ts';
import { replyLogContract } from './suites/reply-log-contract.ts';
import { topicsContract } from './suites/topics-contract.ts';

commandSourceContract('Kafka', openKafkaLogSpace);
commandGroupContract('Kafka', openKafkaLogSpace);
commandSinkContract('Kafka', openKafkaLogSpace);
displayLogContract('Kafka', openKafkaLogSpace);
eventLogContract('Kafka', openKafkaLogSpace);
replyLogContract('Kafka', openKafkaLogSpace);
topicsContract('Kafka', openKafkaLogSpace);
