package dev.sluice.operators.connections;

/** Receiver of the rows of connections. */
public interface ConnectionRows {
    /**
     * Takes the row of a connection that ended, or that has not when the packets end.
     *
     * @param row valid until the method returns
     */
    void take(ConnectionRow row, ConnectionEnd end);
}
