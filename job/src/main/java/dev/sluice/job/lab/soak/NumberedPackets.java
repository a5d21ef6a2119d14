package dev.sluice.job.lab.soak;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Packets whose headers follow from their numbers, so that the reference needs nothing else; and
 * messages that are none, with numbers of their own.
 */
final class NumberedPackets {
    /** Packets of a block. */
    static final int BLOCK = 250;

    /** Flow shards, which blocks go to in turn. */
    static final int SHARDS = 16;

    private static final int[] WORDS = {HeaderWord.ETHER, HeaderWord.IP, HeaderWord.PORTS};
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
        long first = block * BLOCK + 1;
        long[] packets = new long[BLOCK];
        int[][] words = new int[WORDS.length][BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            packets[i] = first + i;
            int[] header = header(first + i);
            for (int w = 0; w < WORDS.length; w++) {
                words[w][i] = header[WORDS[w]];
            }
        }
        List<Column> columns = new ArrayList<>();
        for (int w = 0; w < WORDS.length; w++) {
            columns.add(Column.ofWords(WORDS[w], words[w], 0, BLOCK));
        }
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, BLOCK));
        return new PacketBlock("soak", 0, shard(block), SHARDS, BLOCK, columns);
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
