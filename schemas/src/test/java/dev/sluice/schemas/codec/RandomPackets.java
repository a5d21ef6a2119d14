package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random headers of packets, alone and in a block. */
final class RandomPackets {
    private RandomPackets() {}

    /** Header of a packet whose fields agree with one another. */
    static int[] header(Random random) {
        int[] h = new int[HeaderWord.COUNT];
        int version = random.nextInt(3);
        h[HeaderWord.IP] = Field.IP_VERSION.place(version);
        if (version == Field.VERSION_4) {
            h[HeaderWord.IPV4_SRC] = random.nextInt();
            h[HeaderWord.IPV4_DST] = random.nextInt();
        } else if (version == Field.VERSION_6) {
            for (int w = HeaderWord.IPV6_SRC; HeaderWord.isIpv6(w); w++) {
                h[w] = random.nextInt();
            }
        }
        if (version != 0) {
            int proto = random.nextBoolean() ? 6 : 17;
            int fragment = new int[] {0, 1, 3}[random.nextInt(3)];
            h[HeaderWord.IP] |=
                    Field.IP_PROTO.place(proto)
                            | Field.TOS.place(random.nextInt())
                            | Field.FRAGMENT.place(fragment);
            if (fragment != Field.FRAGMENT_LATER) {
                h[HeaderWord.IP] |= Field.PORTS_PRESENT.place(1);
                h[HeaderWord.PORTS] = random.nextInt();
                h[HeaderWord.TCP_FLAGS] = proto == 6 ? random.nextInt(0x1000) : 0;
            }
        }
        if (random.nextBoolean()) {
            FieldBits.orMac(h, Field.ETH_SRC, random.nextLong() >>> 16);
            h[HeaderWord.IP] |= Field.ETH_SRC_PRESENT.place(1);
        }
        if (random.nextBoolean()) {
            h[HeaderWord.IN_PORT] = random.nextInt();
            h[HeaderWord.IP] |= Field.IN_PORT_PRESENT.place(1);
        }
        if (random.nextBoolean()) {
            h[HeaderWord.SPI] = random.nextInt();
            h[HeaderWord.IP] |= Field.SPI_PRESENT.place(1);
        }
        if (random.nextBoolean()) {
            h[HeaderWord.TUNNEL_ID] = random.nextInt(3) - 1;
            h[HeaderWord.IP] |= Field.TUNNEL_ID_PRESENT.place(1);
        }
        h[HeaderWord.ETHER] = Field.ETH_TYPE.place(random.nextInt());
        if (random.nextBoolean()) {
            h[HeaderWord.ETHER] |=
                    Field.VLAN_PRESENT.place(1)
                            | Field.VLAN_ID.place(random.nextInt(3))
                            | Field.VLAN_PRIORITY.place(5);
        }
        for (Field field : Field.values()) {
            boolean told = field.source() != FieldSource.ALWAYS;
            if (told && FieldBits.fitsAddresses(h, field) && random.nextBoolean()) {
                field.put(h, random.nextInt());
            }
        }
        return h;
    }

    /** A block of such packets, in columns of all words. */
    static PacketBlock block(int count, long seed) {
        Random random = TestSeed.random(seed);
        int[][] words = new int[HeaderWord.COUNT][count];
        long[] packets = new long[count];
        for (int i = 0; i < count; i++) {
            int[] h = header(random);
            for (int w = 0; w < h.length; w++) {
                words[w][i] = h[w];
            }
            packets[i] = i + 1;
        }
        List<Column> columns = new ArrayList<>();
        for (int w = 0; w < words.length; w++) {
            columns.add(Column.ofWords(w, words[w], 0, count));
        }
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, count));
        return new PacketBlock("capture", 1, 3, 8, count, columns);
    }
}
