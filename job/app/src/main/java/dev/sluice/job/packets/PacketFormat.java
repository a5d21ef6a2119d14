package dev.sluice.job.packets;

import dev.sluice.job.capture.ParserOptions;
import dev.sluice.schemas.header.FlowShard;
import java.io.Serializable;

/**
 * Format of a packets topic.
 *
 * @param kind kind of its messages
 * @param parsing for frames: which header is classified
 * @param by which of its single packets share a flow shard
 */
public record PacketFormat(Kind kind, ParserOptions parsing, FlowShard by) implements Serializable {
    /** Kind of messages. */
    public enum Kind {
        /** PacketBlock and PacketHeader messages in any mixture, distinguished by fingerprints. */
        AVRO,
        /**
         * Raw Ethernet frames, one a message, in the form of Apache Metron's pycapa and fastcapa;
         * the key is a {@link dev.sluice.job.kafka.FrameKey}.
         */
        FRAMES
    }

    /** Messages whose headers the sender has parsed. */
    public static final PacketFormat AVRO =
            new PacketFormat(Kind.AVRO, ParserOptions.DEFAULTS, FlowShard.FLOW);

    /** Frames of which the outer header is classified. */
    public static final PacketFormat FRAMES =
            new PacketFormat(Kind.FRAMES, ParserOptions.DEFAULTS, FlowShard.FLOW);

    private static final long serialVersionUID = 2L;
}
