package dev.sluice.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a match names, what it matches, and its pieces without ranges. */
class MatchTest {
    private static final Subject PIECES = Subject.of("pieces", MatchTest::pieces);

    private static Match.Builder match() {
        return new Match.Builder();
    }

    private static int[] header(int word, int value) {
        int[] header = new int[HeaderWord.COUNT];
        header[word] = value;
        return header;
    }

    /** A header with ports, whose presence a match of ports asks for. */
    private static int[] ports(int src, int dst) {
        int[] header = new int[HeaderWord.COUNT];
        header[HeaderWord.PORTS] = src << 16 | dst;
        header[Field.PORTS_PRESENT.word()] |= Field.PORTS_PRESENT.place(1);
        return header;
    }

    @Test
    void anEmptyMatchMatchesEveryHeaderAndUsesNoWord() {
        Match all = match().build();
        assertEquals(0, all.usedWords());
        assertFalse(all.hasRange());
        assertTrue(all.matches(new int[HeaderWord.COUNT]));
        assertTrue(all.matches(ports(1, 65_535)));
        assertTrue(all.matches(header(HeaderWord.IPV4_SRC, -1)));
    }

    @Test
    void bitsOutsideTheMaskCountNeitherInTheMatchNorInTheHeader() {
        Match match = match().word(HeaderWord.IPV4_DST, 0x0a0b0cff, 0xffffff00).build();
        assertEquals(0x0a0b0c00, match.value(HeaderWord.IPV4_DST));
        assertEquals(0xffffff00, match.mask(HeaderWord.IPV4_DST));
        assertEquals(0, match.value(HeaderWord.IPV4_SRC));
        assertEquals(0, match.mask(HeaderWord.IPV4_SRC));
        assertEquals(HeaderWord.bit(HeaderWord.IPV4_DST), match.usedWords());
        assertTrue(match.matches(header(HeaderWord.IPV4_DST, 0x0a0b0c17)));
        assertFalse(match.matches(header(HeaderWord.IPV4_DST, 0x0a0b0d17)));
    }

    @Test
    void fieldsOfOneWordAreNamedTogether() {
        Match match = match().field(Field.SRC_PORT, 80).field(Field.DST_PORT, 443).build();
        assertEquals(-1, match.mask(HeaderWord.PORTS));
        assertEquals(80 << 16 | 443, match.value(HeaderWord.PORTS));
        assertFalse(match.hasRange());
    }

    @Test
    void aRangeThatIsAPrefixIsAValueAndAMask() {
        Match match = match().ports(Field.DST_PORT, 1_024, 2_047).build();
        assertFalse(match.hasRange());
        assertEquals(0xfc00, match.mask(HeaderWord.PORTS));
        assertEquals(1_024, match.value(HeaderWord.PORTS));
    }

    @Test
    void anyPortNamesNothingNotEvenThatThereArePorts() {
        assertEquals(match().build(), match().ports(Field.SRC_PORT, 0, 65_535).build());
    }

    @Test
    void aRangeHasItsBoundsAndAsksForPorts() {
        Match match = match().ports(Field.SRC_PORT, 10, 20).build();
        assertTrue(match.hasRange());
        assertEquals(10 << 16 | 20, match.srcPorts());
        assertEquals(Match.ANY_PORT, match.dstPorts());
        assertTrue(match.matches(ports(10, 0)));
        assertTrue(match.matches(ports(20, 65_535)));
        assertFalse(match.matches(ports(9, 15)));
        assertFalse(match.matches(ports(21, 15)));
        assertFalse(match.matches(header(HeaderWord.PORTS, 15 << 16)), "a fragment has no ports");
    }

    @ParameterizedTest
    @CsvSource({"20, 10", "-1, 5", "0, 65536"})
    void emptyRangesAndNoPortsAreRefused(int low, int high) {
        Exception refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> match().ports(Field.DST_PORT, low, high));
        assertEquals(
                "port range " + low + "-" + high + " is empty or not within 0-65535",
                refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "65535, 65535", "1, 65534", "0, 65534", "1, 65535", "1024, 2047", "7, 9"})
    void portPrefixesCoverEachPortOfTheRangeOnceAndNoOther(int low, int high) {
        List<int[]> prefixes = Match.portPrefixes(low << 16 | high);
        for (int port = 0; port < 1 << 16; port++) {
            int covering = 0;
            for (int[] prefix : prefixes) {
                covering += (port & prefix[1]) == prefix[0] ? 1 : 0;
            }
            assertEquals(port >= low && port <= high ? 1 : 0, covering, "port " + port);
        }
        assertTrue(prefixes.size() <= 30, prefixes.size() + " prefixes");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void thePiecesOfAMatchMatchWhatItMatches(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        int srcLow = random.nextInt(1, 60_000);
        int dstLow = random.nextInt(1, 60_000);
        int srcWidth = random.nextInt(2, 5_000);
        int dstWidth = random.nextInt(2, 5_000);
        Match match =
                match().word(HeaderWord.IPV4_SRC, 0x0a000000, 0xff000000)
                        .ports(Field.SRC_PORT, srcLow, srcLow + srcWidth)
                        .ports(Field.DST_PORT, dstLow, dstLow + dstWidth)
                        .build();
        Rule rule = new Rule(1, 1, match, "a", 1);
        RuleSet set = RuleSet.of("pieces", 1, RuleSet.DROP, List.of(rule));
        List<int[]> headers = new ArrayList<>();
        for (int k = 0; k < 5_000; k++) {
            int around = random.nextInt(2, 100);
            int src = srcLow + random.nextInt(-around, srcWidth + around);
            int dst = dstLow + random.nextInt(-around, dstWidth + around);
            int[] header = ports(src & 0xffff, dst & 0xffff);
            header[HeaderWord.IPV4_SRC] = random.nextInt(10) == 0 ? 0x0b000000 : 0x0a123456;
            headers.add(header);
        }
        RuleStory story =
                RuleStory.of("pieces", TestSeed.of(seed), set.rules(), List.of(), headers);
        SameVerdicts.assertServed(story, PIECES);
        long matched = headers.stream().filter(match::matches).count();
        assertTrue(matched > 0, "seed " + seed + " matched no header");
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredByPieces(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), PIECES);
    }

    /** The best rule of which one piece, and not two, matches a header. */
    private static Subject.LookUp pieces(RuleSet rules) {
        return headers -> headers.stream().mapToInt(header -> ofPieces(rules, header)).toArray();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "0, 1", "12, 12", "37096, 65535", "9, 65535", "8, 65528", "0, 32768"})
    void thePiecesOfAMatchKeepTheMaskOfTheRangesPort(int value, int mask) {
        for (Field port : List.of(Field.SRC_PORT, Field.DST_PORT)) {
            Match match = match().field(port, value, mask).ports(port, 7, 20).build();
            Rule rule = new Rule(1, 1, match, "a", 1);
            RuleSet set = RuleSet.of("pieces", 1, RuleSet.DROP, List.of(rule));
            for (int k = 0; k < 1 << 16; k++) {
                int[] header = port.equals(Field.SRC_PORT) ? ports(k, 5) : ports(5, k);
                assertEquals(
                        FirstMatch.classify(set, header), ofPieces(set, header), port + " " + k);
            }
        }
    }

    private static int ofPieces(RuleSet rules, int[] header) {
        for (int r = 0; r < rules.size(); r++) {
            List<Match> pieces = rules.rules().get(r).match().prefixes();
            pieces.forEach(piece -> assertFalse(piece.hasRange()));
            long hits = pieces.stream().filter(piece -> piece.matches(header)).count();
            assertTrue(hits <= 1, hits + " pieces match");
            if (hits == 1) {
                return r;
            }
        }
        return VerdictBatch.MISS;
    }

    @Test
    void withoutSomeWordsAMatchAsksForTheOthersAlone() {
        Match match =
                match().word(HeaderWord.IPV4_SRC, 1, -1)
                        .word(HeaderWord.IPV4_DST, 2, -1)
                        .ports(Field.DST_PORT, 5, 7)
                        .build();
        Match rest = match.without(HeaderWord.IPV4_SRC, HeaderWord.PORTS);
        assertEquals(0, rest.mask(HeaderWord.IPV4_SRC));
        assertEquals(2, rest.value(HeaderWord.IPV4_DST));
        assertFalse(rest.hasRange());
        assertEquals(match.dstPorts(), match.without(HeaderWord.IPV4_SRC).dstPorts());
    }

    @Test
    void equalMatchesAreEqualHoweverTheyWereBuilt() {
        Match a = match().field(Field.SRC_PORT, 80).field(Field.DST_PORT, 443).build();
        Match b = match().word(HeaderWord.PORTS, 80 << 16 | 443, -1).build();
        assertEquals(a, b);
        assertEquals(a.hashCode(), b.hashCode());
        assertNotEquals(a, match().field(Field.SRC_PORT, 80).build());
        assertNotEquals(
                match().ports(Field.SRC_PORT, 5, 7).build(),
                match().ports(Field.SRC_PORT, 5, 8).build());
    }

    @Test
    void theHashThatIdsAreMadeOfStaysTheSame() {
        Match match =
                match().word(HeaderWord.IPV4_SRC, 0x0a000000, 0xff000000)
                        .ports(Field.DST_PORT, 5, 7)
                        .build();
        assertEquals(-5_693_491_938_972_420_892L, match.hash64());
    }

    @Test
    void matchesThatHoldOrMeetOthersAgreeWithWhatTheyMatchTogether() {
        SplittableRandom random = new SplittableRandom(TestSeed.of(7));
        int holds = 0;
        int meets = 0;
        for (int i = 0; i < 20_000; i++) {
            Match some = drawn(random);
            Match other = drawn(random);
            Match both = some.and(other);
            assertEquals(both != null, some.meets(other));
            assertEquals(some.meets(other), other.meets(some));
            if (some.holds(other)) {
                int[] header = new int[HeaderWord.COUNT];
                for (int word = 0; word < header.length; word++) {
                    header[word] = random.nextInt(8) & ~other.mask(word) | other.value(word);
                }
                assertTrue(!other.matches(header) || some.matches(header));
                holds += other.matches(header) ? 1 : 0;
            }
            meets += both == null ? 0 : 1;
            assertTrue(some.holds(some));
        }
        assertTrue(holds > 200, holds + " hold the other");
        assertTrue(meets > 2_000, meets + " meet the other");
    }

    private static Match drawn(SplittableRandom random) {
        Match.Builder match = match();
        for (int word = 0; word < 3; word++) {
            match.word(
                    word == 2 ? HeaderWord.TCP_FLAGS : word, random.nextInt(4), random.nextInt(4));
        }
        int low = random.nextInt(6);
        Field port = random.nextBoolean() ? Field.SRC_PORT : Field.DST_PORT;
        return switch (random.nextInt(3)) {
            case 0 -> match.ports(port, low, low + random.nextInt(4)).build();
            case 1 -> match.field(port, low, 5).build();
            default -> match.build();
        };
    }
}
