package dev.sluice.operators.connections;

import java.util.Locale;

/** Reason why a connection's row is complete. */
public enum ConnectionEnd {
    /** The connection was idle for longer than its timeout. */
    TIMEOUT,
    /** A RST ended a TCP connection that nobody had answered. */
    RESET,
    /** A SYN began another connection between the same ends. */
    REOPENED,
    /** The connection was dropped for a new one at the largest number. */
    EVICTED,
    /** A later packet of a refused connection began one that was let through. */
    LET_THROUGH,
    /** Rules that came later refused it: {@code --reevaluate}. */
    RULES_CHANGED,
    /** The connection has not ended. */
    LIVE;

    /** Returns the word that users read, as {@code let-through}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
