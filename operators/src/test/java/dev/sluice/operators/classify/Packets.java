package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;

/** Packet blocks whose packet number n goes to port n mod 4. */
final class Packets {
    private Packets() {}

    /** Packets {@code first} to {@code first + count - 1}. */
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
}
