package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.topic.TimedMessage;
import java.util.List;

/**
 * A rule stream in a checkpoint: messages of the rules topic, which bring another stream to where
 * this one was.
 *
 * @param topic id of the topic that the messages are of; empty: unknown
 * @param log what a {@link dev.sluice.operators.rules.history.RuleLog} goes on from; empty at the
 *     beginning
 * @param backlog messages that the broadcast has brought and that the log does not hold yet
 */
public record RuleStreamState(String topic, List<byte[]> log, List<TimedMessage> backlog) {
    /** A stream at its beginning. */
    public static final RuleStreamState EMPTY = new RuleStreamState("", List.of(), List.of());

    /** Copies the lists, not the messages. */
    public RuleStreamState {
        log = List.copyOf(log);
        backlog = List.copyOf(backlog);
    }
}
