package dev.sluice.schemas.codec;

import java.util.Arrays;

/**
 * Looks at PacketBlocks' messages as far as a source needs: which flow shard they belong to, and
 * that they can be read. Everything is checked that {@link PacketMessages#decode} would refuse, by
 * the same code, so that what passes here is never refused later. Nothing is built and no header is
 * looked at: the block's fields and the heads of its columns are, which is the same work for a
 * block of one header as for one of 65,536. Beyond that, the name of a capture must be within
 * {@link TextLimit}.
 *
 * <p>Messages may lie among other bytes, which are not looked at. Reusable; not thread-safe: one a
 * thread.
 */
public final class PacketGlance {
    private static final MessageKind BLOCK = MessageKind.of("PacketBlock");

    private final BlockReader reader = new BlockReader();

    /**
     * Returns whether a message of {@code length} bytes among others says that it is a PacketBlock.
     */
    public static boolean isBlock(byte[] among, int from, int length) {
        return BLOCK.isIn(among, from, length, MessageSchemas::byFingerprint);
    }

    /**
     * The flow shard of a message for which {@link #isBlock} holds.
     *
     * @throws MalformedMessageException as {@link PacketMessages#decode} does, or where the name of
     *     the capture is too long
     */
    public int shard(byte[] among, int from, int length) throws MalformedMessageException {
        try {
            if (MessageCodec.fingerprint(among, from) == BLOCK.fingerprint()) {
                return reader.shard(among, from, length);
            }
            byte[] older = Arrays.copyOfRange(among, from, from + length);
            byte[] message = BLOCK.present(older, MessageSchemas::byFingerprint);
            return reader.shard(message, 0, message.length);
        } finally {
            reader.clear();
        }
    }
}
