package dev.sluice.schemas.header;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HeaderModelTest {
    @Test
    void noTwoFieldsShareABit() {
        int[] taken = new int[HeaderWord.COUNT];
        for (Field field : Field.values()) {
            int[] bits = new int[HeaderWord.COUNT];
            if (field.bits() == 48) {
                FieldBits.orMac(bits, field, 0xffffffffffffL);
            } else if (field.bits() == 128) {
                byte[] ones = new byte[16];
                java.util.Arrays.fill(ones, (byte) -1);
                FieldBits.orIpv6(bits, field, ones);
            } else {
                bits[field.word()] = field.maskInWord();
            }
            int count = 0;
            for (int w = 0; w < HeaderWord.COUNT; w++) {
                assertEquals(0, taken[w] & bits[w], field + " overlaps another field in word " + w);
                taken[w] |= bits[w];
                count += Integer.bitCount(bits[w]);
            }
            assertEquals(field.bits(), count, field + " has other bits than it states");
        }
    }

    @Test
    void longFieldsComeOutAsTheyWentIn() {
        int[] words = new int[HeaderWord.COUNT];
        FieldBits.orMac(words, Field.ETH_SRC, 0x0123456789abL);
        FieldBits.orMac(words, Field.ETH_DST, 0xfedcba987654L);
        byte[] address = new byte[16];
        new Random(1).nextBytes(address);
        FieldBits.orIpv6(words, Field.IPV6_DST, address);
        assertEquals(0x0123456789abL, FieldBits.mac(words, Field.ETH_SRC));
        assertEquals(0xfedcba987654L, FieldBits.mac(words, Field.ETH_DST));
        assertArrayEquals(address, FieldBits.ipv6(words, Field.IPV6_DST));
    }

    @Test
    void aLayoutTakesTheWordsOfTheDesign() {
        HeaderLayout fiveTuple =
                HeaderLayout.of(
                        HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST, HeaderWord.PORTS, HeaderWord.IP);
        assertEquals(4, fiveTuple.size());
        assertEquals(2, fiveTuple.position(HeaderWord.PORTS));
        assertEquals(-1, fiveTuple.position(HeaderWord.ETHER));
        assertEquals(HeaderWord.COUNT, HeaderLayout.complete().size());
        assertThrows(
                IllegalArgumentException.class,
                () -> HeaderLayout.ofWordBits(1 << HeaderWord.COUNT));
    }

    @Test
    void bothDirectionsOfAFlowMeetInOneShard() {
        Random random = new Random(2);
        boolean[] seen = new boolean[16];
        for (int i = 0; i < 2000; i++) {
            int[] there = new int[HeaderWord.COUNT];
            int[] back = new int[HeaderWord.COUNT];
            int kind = random.nextInt(3);
            int proto = random.nextBoolean() ? 6 : 17;
            there[HeaderWord.IP] = Field.IP_PROTO.place(proto) | Field.IP_VERSION.place(kind);
            back[HeaderWord.IP] = there[HeaderWord.IP];
            for (int w :
                    new int[] {HeaderWord.IPV4_SRC, HeaderWord.IPV6_SRC, HeaderWord.IPV6_SRC + 3}) {
                int other = w == HeaderWord.IPV4_SRC ? HeaderWord.IPV4_DST : w + 4;
                there[w] = random.nextInt();
                there[other] = random.nextInt();
                back[w] = there[other];
                back[other] = there[w];
            }
            there[HeaderWord.PORTS] = random.nextInt();
            back[HeaderWord.PORTS] = Integer.rotateLeft(there[HeaderWord.PORTS], 16);
            int shard = FlowShard.of(there, 16);
            assertEquals(shard, FlowShard.of(back, 16));
            seen[shard] = true;
        }
        for (boolean s : seen) {
            assertTrue(s, "a shard of 16 is never used by 2000 flows");
        }
    }
}
