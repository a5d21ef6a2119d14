package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.Connection;
import java.io.Serializable;
import java.util.List;

/**
 * How rows of connections are emitted.
 *
 * @param intervalNanos packet time after which a connection that goes on has another row, if it had
 *     packets
 * @param form form of their messages
 * @param interfaces names that exporters number from 1; rows name no others
 */
public record ConnectionOutput(long intervalNanos, Form form, List<String> interfaces)
        implements Serializable {
    /** Bit of an interface that is known. */
    private static final int KNOWN = 1 << 16;

    /** Maker of messages. Thread-safe. */
    public interface Form extends Serializable {
        /** Returns the message of a row. */
        byte[] message(Connection row);
    }

    /** Returns the name of an interface by its word in a header; empty: unknown. */
    String interfaceName(int word) {
        int number = word & KNOWN - 1;
        boolean listed = number > 0 && number <= interfaces.size();
        return listed && (word & KNOWN) != 0 ? interfaces.get(number - 1) : "";
    }

    /** Checks the interval. */
    public ConnectionOutput {
        interfaces = List.copyOf(interfaces);
        if (intervalNanos < 1) {
            throw new IllegalArgumentException(
                    "rows every " + intervalNanos + " ns; give 1 or more");
        }
    }
}
