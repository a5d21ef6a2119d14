package dev.sluice.job.packets;

import dev.sluice.job.capture.ParserOptions;
import java.io.Serializable;

/**
 * What the messages of a packets topic are.
 *
 * @param kind their kind
 * @param parsing of frames: what is taken for their headers
 */
public record PacketFormat(Kind kind, ParserOptions parsing) implements Serializable {
    /** Kinds of messages. */
    public enum Kind {
        /** PacketBlock and PacketHeader messages in any mixture, told apart by fingerprints. */
        AVRO,
        /**
         * Raw Ethernet frames, one a message, as pycapa and fastcapa of Apache Metron write them;
         * the key is a {@link dev.sluice.job.kafka.FrameKey}.
         */
        FRAMES
    }

    /** Messages whose headers were parsed by who sent them. */
    public static final PacketFormat AVRO = new PacketFormat(Kind.AVRO, ParserOptions.DEFAULTS);

    /** Frames whose outer headers count. */
    public static final PacketFormat FRAMES = new PacketFormat(Kind.FRAMES, ParserOptions.DEFAULTS);

    private static final long serialVersionUID = 1L;
}
