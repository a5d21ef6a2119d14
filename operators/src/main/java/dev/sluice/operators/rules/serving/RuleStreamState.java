package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.topic.TimedMessage;
import java.util.List;

/**
 * Rules in a checkpoint. In processing time these are messages of the rules topic, which bring
 * another stream to where this one was; in event time the history is read again.
 *
 * @param topic id of the topic that they are of; empty: unknown
 * @param log messages that a {@link dev.sluice.operators.rules.history.RuleLog} goes on from; empty
 *     at the beginning
 * @param backlog messages that the broadcast has brought and that the log does not hold yet
 * @param history in event time numbers on the history
 */
public record RuleStreamState(
        String topic, List<byte[]> log, List<TimedMessage> backlog, List<Long> history) {
    /** Nothing, as at the beginning. */
    public static final RuleStreamState EMPTY =
            new RuleStreamState("", List.of(), List.of(), List.of());

    /** Copies the lists, not the messages. */
    public RuleStreamState {
        log = List.copyOf(log);
        backlog = List.copyOf(backlog);
        history = List.copyOf(history);
    }
}
