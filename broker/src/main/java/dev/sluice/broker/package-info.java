/**
 * Kafka's server, newer than the clients of the job. {@code job.kafka.BrokerLibrary} loads it in a
 * class loader of its own.
 */
@NullMarked
package dev.sluice.broker;

import org.jspecify.annotations.NullMarked;
