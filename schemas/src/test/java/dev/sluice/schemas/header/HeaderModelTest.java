package dev.sluice.schemas.header;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
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
                // No packet is of both IP versions.
                int others =
                        field.equals(Field.FLOW_DST_6) && w == HeaderWord.FLOW_DST ? 0 : taken[w];
                assertEquals(0, others & bits[w], field + " overlaps another field in word " + w);
                taken[w] |= bits[w];
                count += Integer.bitCount(bits[w]);
            }
            assertEquals(field.bits(), count, field + " has other bits than it states");
        }
    }

    /** Else a packet whose source does not state the field would have the value 0. */
    @Test
    void aFieldThatNotEverySourceStatesHasAPresentBit() {
        for (Field field : Field.values()) {
            assertTrue(
                    field.source() == FieldSource.ALWAYS || field.present() != null,
                    "field " + field + ": add its present bit to Field");
        }
    }

    @Test
    void longFieldsComeOutAsTheyWentIn() {
        int[] words = new int[HeaderWord.COUNT];
        FieldBits.orMac(words, Field.ETH_SRC, 0x0123456789abL);
        FieldBits.orMac(words, Field.ETH_DST, 0xfedcba987654L);
        byte[] address = new byte[16];
        TestSeed.random(1).nextBytes(address);
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
                () -> HeaderLayout.ofWordBits(1L << HeaderWord.COUNT));
    }

    @Test
    void aRuleSetOfMoreWordsThanFitIsRefusedWithItsFields() {
        long most = -1L >>> Long.SIZE - HeaderLayout.MOST_WORDS;
        assertDoesNotThrow(() -> HeaderLayout.ofRules(most & HeaderWord.ALL));
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> HeaderLayout.ofRules(most << 1 | 1))
                        .getMessage();
        assertTrue(message.startsWith("the rules look at 33 header words of 32 bits"), message);
        assertTrue(message.contains(" nw_src "), message);
    }
}
