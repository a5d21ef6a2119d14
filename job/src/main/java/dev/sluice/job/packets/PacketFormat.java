package dev.sluice.job.packets;

/** What the messages of a packets topic are. */
public enum PacketFormat {
    /** PacketBlock and PacketHeader messages in any mixture, told apart by their fingerprints. */
    AVRO,
    /**
     * Raw Ethernet frames, one a message, as pycapa and fastcapa of Apache Metron write them; the
     * key is a {@link dev.sluice.job.kafka.FrameKey}.
     */
    FRAMES,
    /** The same frames, of which the innermost IP header counts. */
    INNER_FRAMES
}
