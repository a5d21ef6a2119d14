package dev.sluice.operators.rules.topic;

/**
 * A message of the rules topic.
 *
 * @param timeNs time of its record, ns since 1970 UTC, or {@link
 *     dev.sluice.operators.rules.topic.RuleTransaction#NO_TIME}
 * @param message its bytes, which nobody writes
 */
public record TimedMessage(long timeNs, byte[] message) {}
