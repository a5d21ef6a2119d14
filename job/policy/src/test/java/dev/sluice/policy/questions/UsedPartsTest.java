package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UsedPartsTest {
    private final UsedParts parts = new UsedParts();

    private static int[] tcp(int source, int port) {
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, Field.VERSION_4);
        Field.IP_PROTO.put(header, 6);
        Field.PORTS_PRESENT.put(header, 1);
        Field.IPV4_SRC.put(header, source);
        Field.DST_PORT.put(header, port);
        Field.SRC_PORT.put(header, 40_000);
        return header;
    }

    private static Match.Builder of(int network, int bits) {
        return new Match.Builder().field(Field.IPV4_SRC, network, -1 << 32 - bits);
    }

    private String narrower(Match... boxes) {
        return parts.narrower(List.of(boxes));
    }

    @Test
    void fieldsThatPacketsUsedWhollyAreNotTold() {
        parts.add(tcp(0x0a000000, 22), -1L);
        parts.add(tcp(0x0a000001, 22), -1L);
        Match.Builder both = of(0x0a000000, 31).field(Field.IP_PROTO, 6).field(Field.DST_PORT, 22);
        assertEquals("destination any: only 0.0.0.0", narrower(both.build()));
        assertEquals(
                "source 10.0.0.0/30: only 10.0.0.0,10.0.0.1; destination any: only 0.0.0.0",
                narrower(
                        of(0x0a000000, 30)
                                .field(Field.IP_PROTO, 6)
                                .field(Field.DST_PORT, 22)
                                .build()));
    }

    @Test
    void manyValuesAreToldByAPrefixOrRange() {
        for (int i = 0; i < 20; i++) {
            parts.add(
                    tcp(0x0a010200 + i, 1_000 + 7 * i),
                    1L << HeaderWord.IP | 1L << HeaderWord.PORTS | 1);
        }
        Match.Builder rule = of(0x0a000000, 8).field(Field.IP_PROTO, 6);
        assertEquals(
                "source 10.0.0.0/8: only 10.1.2.0/27; destination port any: only 1000-1133",
                narrower(rule.build()));
        assertEquals(
                "destination port 900-2000: only 1000-1133",
                narrower(
                        of(0x0a010200, 27)
                                .field(Field.IP_PROTO, 6)
                                .ports(Field.DST_PORT, 900, 2_000)
                                .build()));
    }

    @Test
    void unusedAlternativesAndAddressesOfVersion6AreTold() {
        int[] header = tcp(0, 80);
        Field.IP_VERSION.put(header, Field.VERSION_6);
        FieldBits.orIpv6(
                header,
                Field.IPV6_SRC,
                new byte[] {0x20, 1, 0xd, (byte) 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7});
        parts.add(header, -1L);
        List<Match> boxes = new ArrayList<>();
        for (int port : new int[] {25, 80, 443}) {
            Match.Builder box =
                    new Match.Builder().field(Field.IP_PROTO, 6).field(Field.DST_PORT, port);
            boxes.add(box.build());
        }
        assertEquals(
                "source any: only 2001:db8::7; destination any: only ::; destination port 25,80,443: only 80",
                parts.narrower(boxes));
    }

    @Test
    void maskWithHolesTellsNothing() {
        parts.add(tcp(0x0a000007, 80), 1L << HeaderWord.IP | 1);
        Match odd =
                new Match.Builder()
                        .field(Field.IPV4_SRC, 0x0a000007, 0xff0000ff)
                        .field(Field.IP_PROTO, 6)
                        .build();
        assertEquals("", narrower(odd));
    }

    /** Rules of ports, which are told if and only if packets left a port of them unused. */
    @Test
    void portsAreToldWhereSomeAreUnused() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            UsedParts used = new UsedParts();
            BitSet allowed = new BitSet();
            List<Match> boxes = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                int first = random.nextInt(12);
                int last = first + random.nextInt(4);
                allowed.set(first, last + 1);
                boxes.add(new Match.Builder().ports(Field.DST_PORT, first, last).build());
            }
            BitSet had = new BitSet();
            for (int port = 0; port < allowed.length() && had.cardinality() < 8; port++) {
                if (allowed.get(port) && random.nextInt(6) > 0) {
                    had.set(port);
                    used.add(tcp(0, port), 1L << HeaderWord.PORTS | 1L << HeaderWord.IP);
                }
            }
            boolean told = used.narrower(boxes).contains("destination port");
            assertEquals(!had.isEmpty() && !had.equals(allowed), told, "seed " + seed);
        }
    }

    /** Beside addresses, ports and protocol a match may ask for more, which does not count. */
    @Test
    void boxMayTakeAPacketOfItsAddressesAndPortsAlone() {
        int[] header = tcp(0x0a000001, 22);
        Match.Builder net = of(0x0a000000, 8).field(Field.IP_PROTO, 6);
        assertTrue(UsedParts.mayTake(net.field(Field.TTL, 9).build(), header));
        assertTrue(UsedParts.mayTake(new Match.Builder().build(), header));
        assertTrue(UsedParts.mayTake(ports(Field.DST_PORT, 22, 30), header));
        assertFalse(UsedParts.mayTake(ports(Field.DST_PORT, 23, 30), header));
        assertFalse(UsedParts.mayTake(ports(Field.SRC_PORT, 1, 30), header));
        assertFalse(UsedParts.mayTake(of(0x0b000000, 8).build(), header));
        assertFalse(
                UsedParts.mayTake(new Match.Builder().field(Field.IP_PROTO, 17).build(), header));
    }

    private static Match ports(Field of, int first, int last) {
        return new Match.Builder().ports(of, first, last).build();
    }
}
