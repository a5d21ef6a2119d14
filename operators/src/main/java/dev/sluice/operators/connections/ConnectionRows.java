package dev.sluice.operators.connections;

/** Receiver of the rows of connections. */
public interface ConnectionRows {
    /**
     * Hears that a row begins, or was restored.
     *
     * @param opening of the row
     */
    default void began(int opening) {}

    /**
     * Takes the row of a connection that ended, or that goes on: {@link ConnectionEnd#LIVE}.
     *
     * @param row valid until the method returns
     */
    void take(ConnectionRow row, ConnectionEnd end);
}
