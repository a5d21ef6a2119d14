package dev.sluice.engine.versions;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What rules name of a half of a header word, and which halves tell them apart. */
class HeaderHalvesTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST, HeaderWord.PORTS);
    private static final int SRC_UPPER = 0;
    private static final int SRC_LOWER = 1;
    private static final int DST_UPPER = 2;
    private static final int DST_PORT = 5;

    private static int values(Match.Builder match, int half) {
        return HeaderHalves.values(match.build(), LAYOUT, half);
    }

    private static Match.Builder from(int address, int length) {
        return new Match.Builder().field(Field.IPV4_SRC, address, -1 << 32 - length);
    }

    @Test
    void aPrefixNamesARangeOfAHalf() {
        assertEquals(0x0a0b0a0b, values(from(0x0a0b0c0d, 32), SRC_UPPER));
        assertEquals(0x0c0d0c0d, values(from(0x0a0b0c0d, 32), SRC_LOWER));
        assertEquals(0x0a000a3f, values(from(0x0a000000, 10), SRC_UPPER));
        assertEquals(HeaderHalves.ANY, values(from(0x0a000000, 9), SRC_UPPER));
        assertEquals(HeaderHalves.ANY, values(from(0x0a000000, 10), SRC_LOWER));
        assertEquals(-1, values(from(-1, 32), SRC_UPPER));
    }

    @Test
    void aMaskThatIsNoPrefixNamesNothing() {
        Match.Builder bits = new Match.Builder().field(Field.IPV4_SRC, 0x01000000, 0x01010000);
        assertEquals(HeaderHalves.ANY, values(bits, SRC_UPPER));
    }

    @Test
    void aShortRangeOfPortsIsNamed() {
        Match.Builder few = new Match.Builder().ports(Field.DST_PORT, 1000, 1063);
        assertEquals(1000 << 16 | 1063, values(few, DST_PORT));
        Match.Builder more = new Match.Builder().ports(Field.DST_PORT, 1000, 1064);
        assertEquals(HeaderHalves.ANY, values(more, DST_PORT));
        Match.Builder one = new Match.Builder().ports(Field.DST_PORT, 80, 80);
        assertEquals(80 << 16 | 80, values(one, DST_PORT));
    }

    private static List<Rule> rules(int count, int networks, int ports) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Match match =
                    new Match.Builder()
                            .field(Field.IPV4_DST, i % networks << 16, 0xffff0000)
                            .ports(Field.DST_PORT, i / networks % ports, i / networks % ports)
                            .build();
            rules.add(new Rule(i + 1, 3, match, "permit", i + 1));
        }
        return rules;
    }

    @Test
    void theHalfThatTellsTheMostIsTheFirst() {
        int[] chosen = HeaderHalves.choose(rules(60, 20, 3), LAYOUT);
        assertArrayEquals(new int[] {DST_UPPER, DST_PORT, DST_UPPER}, chosen);
        assertEquals(DST_PORT, HeaderHalves.choose(rules(60, 3, 20), LAYOUT)[0]);
    }

    @Test
    void rulesThatAreNotToldApartHaveNoHalves() {
        assertEquals(0, HeaderHalves.choose(List.of(), LAYOUT).length);
        assertEquals(0, HeaderHalves.choose(rules(1, 1, 1), LAYOUT).length);
    }
}
