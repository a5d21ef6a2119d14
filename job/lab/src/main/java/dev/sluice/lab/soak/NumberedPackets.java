package dev.sluice.lab.soak;

import dev.sluice.job.kafka.BlockBuilder;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.charset.StandardCharsets;

/**
 * Packets whose headers follow from their numbers, so that the reference needs nothing else; and
 * messages that are none, with numbers of their own.
 */
final class NumberedPackets {
    /** Packets of a block. */
    static final int BLOCK = 250;

    /** Flow shards, which blocks go to in turn. */
    static final int SHARDS = 16;

    private static final int PORT_STEP = 7_919;
    private static final int PORTS = 1 << 16;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int UDP_EVERY = 3;
    private static final String GARBAGE = "no packets: ";

    private NumberedPackets() {}

    /** The header of a packet: TCP or UDP over IPv4, to a port that follows from its number. */
    static int[] header(long packet) {
        int[] header = new int[HeaderWord.COUNT];
        header[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x0800);
        header[HeaderWord.IP] =
                Field.IP_VERSION.place(Field.VERSION_4)
                        | Field.IP_PROTO.place(packet % UDP_EVERY == 0 ? UDP : TCP)
                        | Field.PORTS_PRESENT.place(1);
        header[HeaderWord.PORTS] = (int) (packet * PORT_STEP % PORTS);
        return header;
    }

    /** The flow shard of a block, by its number from 0 on. */
    static int shard(long block) {
        return (int) (block % SHARDS);
    }

    /** A block: its packets have the numbers from {@code block * BLOCK + 1} on. */
    static PacketBlock block(long block) {
        BlockBuilder headers = new BlockBuilder(shard(block), SHARDS, BLOCK);
        for (long packet = block * BLOCK + 1; packet <= (block + 1) * BLOCK; packet++) {
            headers.add(header(packet), packet, Column.NO_TIME, 0);
        }
        return headers.take("soak", 0);
    }

    /** A message that is no block. */
    static byte[] garbage(long number) {
        return (GARBAGE + number).getBytes(StandardCharsets.UTF_8);
    }

    /** The number of a message that is no block; -1 if it is none of these. */
    static long garbageNumber(byte[] message) {
        String text = new String(message, StandardCharsets.UTF_8);
        return text.matches(GARBAGE + "\\d{1,18}")
                ? Long.parseLong(text.substring(GARBAGE.length()))
                : -1;
    }
}
