/**
 * Kafka clients, topics and serializers of the job and the commands.
 *
 * <p>{@link dev.sluice.job.kafka.KafkaClients} makes all clients, by a {@link
 * dev.sluice.job.kafka.KafkaConfigFile} where brokers authenticate them; {@link
 * dev.sluice.job.kafka.KafkaAccess} checks and creates topics. {@link
 * dev.sluice.job.kafka.TopicReader}, {@link dev.sluice.job.kafka.TopicScan}, {@link
 * dev.sluice.job.kafka.PartitionReader} and {@link dev.sluice.job.kafka.MessageLookup} read
 * messages; {@link dev.sluice.job.kafka.PacketExporter} sends captures. {@link
 * dev.sluice.job.kafka.RestorableSource} and {@link dev.sluice.job.kafka.TopicWatch} mend what
 * Flink's connector does after failures. {@link dev.sluice.job.kafka.EmbeddedBroker} runs Kafka in
 * this process.
 */
@NullMarked
package dev.sluice.job.kafka;

import org.jspecify.annotations.NullMarked;
