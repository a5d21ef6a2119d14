package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Packet blocks. */
final class Packets {
    private Packets() {}

    /** Packets {@code first} to {@code first + count - 1}; packet n goes to port n mod 4. */
    static PacketBlock block(int shard, long first, int count) {
        int[] ports = new int[count];
        long[] packets = new long[count];
        for (int i = 0; i < count; i++) {
            packets[i] = first + i;
            ports[i] = (int) (packets[i] % 4);
        }
        List<Column> columns =
                List.of(
                        Column.ofWords(HeaderWord.PORTS, ports, 0, count),
                        Column.ofLongs(Column.PACKET, packets, 0, count));
        return new PacketBlock("cap", 0, shard, 64, count, columns);
    }

    /**
     * Packets of any headers, with all words of them but the frame's length.
     *
     * @param numbers of each packet
     * @param others further columns
     */
    static PacketBlock block(
            int shard, int shards, long[] numbers, List<int[]> headers, Column... others) {
        int count = numbers.length;
        List<Column> columns = new ArrayList<>();
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            int id = word;
            if (id == HeaderWord.FRAME_LENGTH
                    || Arrays.stream(others).anyMatch(other -> other.id() == id)) {
                continue;
            }
            int[] values = new int[count];
            for (int i = 0; i < count; i++) {
                values[i] = headers.get(i)[word];
            }
            columns.add(Column.ofWords(word, values, 0, count));
        }
        columns.add(Column.ofLongs(Column.PACKET, numbers, 0, count));
        columns.addAll(List.of(others));
        return new PacketBlock("c", 0, shard, shards, count, columns);
    }
}
