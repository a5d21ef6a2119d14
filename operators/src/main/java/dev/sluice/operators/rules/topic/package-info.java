/**
 * The rules topic: from messages to the versions of the rules, and from rules to messages.
 *
 * <p>A transaction is a BEGIN, CHANGES in chunks and a COMMIT (schema {@code RuleChange}). {@link
 * dev.sluice.operators.rules.topic.TopicFollower} puts messages together to transactions, each of
 * which takes effect whole at its COMMIT or not at all, and applies them: a snapshot replaces all
 * rules, a delta changes those of its base. Each makes a {@link
 * dev.sluice.operators.rules.topic.Version}. All who read the topic follow it so.
 *
 * <p>{@link dev.sluice.operators.rules.topic.RuleIndex} holds the rules of a version, {@link
 * dev.sluice.operators.rules.topic.EffectiveTimes} says from when on it is in force. {@link
 * dev.sluice.operators.rules.topic.RuleSetMessages} writes snapshots and deltas as transactions.
 *
 * <p>Messages travel to the tasks of a job gathered ({@link
 * dev.sluice.operators.rules.topic.GatherRuleMessages}), since a task takes an element of the rules
 * for each element of packets. Beside the broadcast a job reads the topic by a {@link
 * dev.sluice.operators.rules.topic.RuleSource}: up to its first rules, in event time for good.
 */
@NullMarked
package dev.sluice.operators.rules.topic;

import org.jspecify.annotations.NullMarked;
