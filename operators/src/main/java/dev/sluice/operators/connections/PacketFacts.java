package dev.sluice.operators.connections;

/** Facts that rows of connections tell of packets beside their headers. */
public interface PacketFacts {
    /**
     * Returns the length of a packet in bytes.
     *
     * @param at place in the batch that is judged
     */
    int length(int at);

    /** Returns the number of a packet, which the rows of refused connections tell. */
    long number(int at);

    /**
     * Returns a number that stands for a packet that begins a connection and for its verdict.
     *
     * @param rule that decided, as the batch's verdicts name it
     */
    int opening(int at, int rule);

    /**
     * Takes the refused connection that a packet is of.
     *
     * @param refusal valid until the method returns
     */
    void refused(int at, ConnectionRow refusal);
}
