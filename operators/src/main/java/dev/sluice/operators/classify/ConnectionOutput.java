package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.Connection;
import java.io.Serializable;

/**
 * How rows of connections are emitted.
 *
 * @param intervalNanos packet time after which a connection that goes on has another row, if it had
 *     packets
 * @param form form of their messages
 */
public record ConnectionOutput(long intervalNanos, Form form) implements Serializable {
    /** Maker of messages. Thread-safe. */
    public interface Form extends Serializable {
        /** Returns the message of a row. */
        byte[] message(Connection row);
    }

    /** Checks the interval. */
    public ConnectionOutput {
        if (intervalNanos < 1) {
            throw new IllegalArgumentException(
                    "rows every " + intervalNanos + " ns; give 1 or more");
        }
    }
}
