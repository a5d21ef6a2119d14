package dev.sluice.operators.stream;

import java.util.List;

/**
 * A rule stream in a checkpoint: messages of the rules topic, which bring another stream to where
 * this one was.
 *
 * @param log a complete snapshot that can be served, the transactions after it, and what has come
 *     of a transaction that is not committed; empty before the first snapshot
 * @param backlog messages that the broadcast has brought and that the log does not hold yet
 */
public record RuleStreamState(List<byte[]> log, List<byte[]> backlog) {
    /** A stream at its beginning. */
    public static final RuleStreamState EMPTY = new RuleStreamState(List.of(), List.of());

    /** Copies the lists, not the messages. */
    public RuleStreamState {
        log = List.copyOf(log);
        backlog = List.copyOf(backlog);
    }
}
