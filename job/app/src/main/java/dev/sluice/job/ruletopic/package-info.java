/**
 * The rules topic of a Kafka cluster: what reads it, publishes to it, and keeps its settings.
 *
 * <p>{@link dev.sluice.job.ruletopic.RuleScan} follows the topic, and {@link
 * dev.sluice.job.ruletopic.RuleTopic} brings it the messages: a range, what came since, or what a
 * version needs. {@link dev.sluice.job.ruletopic.RulePublisher} publishes transactions, one
 * publisher at a time; {@link dev.sluice.job.ruletopic.RuleHeartbeats} says that no version comes.
 * {@link dev.sluice.job.ruletopic.RuleTopicSettings} makes the topic and checks it.
 *
 * <p>A job reads the topic by its source ({@link dev.sluice.job.ruletopic.RuleDeserializer}), and
 * beside it by {@link dev.sluice.job.ruletopic.KafkaRuleSource}.
 */
@NullMarked
package dev.sluice.job.ruletopic;

import org.jspecify.annotations.NullMarked;
