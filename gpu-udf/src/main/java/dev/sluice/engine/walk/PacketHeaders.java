package dev.sluice.engine.walk;

/** Headers of the packets of a batch. */
interface PacketHeaders {
    /** A word of a packet's header, which some box of the walk looks at. */
    int word(int word, int packet);
}
